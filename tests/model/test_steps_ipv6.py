"""Edge cases of step 6 of docs/parser.md: IPv6 and its extension headers."""

import pytest

from stellar_model import parse
from stellar_model.build import (
    ah,
    destination,
    ethernet,
    fragment,
    hop_by_hop,
    ipv4,
    ipv6,
    routing,
    stellar,
    udp,
    vlan,
)
from stellar_spec.codes import Flag, KeyKind, Layer
from stellar_spec.opcodes import Opcode
from tests.model.steps import DNS, SEND, flags, offsets

E = Flag.IPV6_EXTENSIONS


def test_ipv6_fields():
    frame = ethernet(ipv6(hop_by_hop(DNS), dscp=46, ecn=1, hop_limit=7, src=1 << 127, dst=5))
    assert parse(frame).header["ip"] == {
        "version": 6,
        "src": 1 << 127,
        "dst": 5,
        "dscp": 46,
        "ecn": 1,
        "ttl": 7,
        "protocol": 17,
        "header_length": 48,
        "total_length": 60,
        "fragment_offset": 0,
        "more_fragments": 0,
    }


@pytest.mark.parametrize(
    ("inner", "size"),
    [
        (hop_by_hop(SEND), 8),
        (destination(SEND, options=bytes(7)), 16),
        (routing(SEND, data=bytes(36)), 40),
        (fragment(SEND), 8),
        (fragment(SEND, reserved=0xFF, reserved_low=3), 8),  # its length is not that byte's
        (ah(SEND), 24),
        (ah(SEND, body=bytes(16)), 20),  # AH counts in 4 bytes
        (ah(SEND, body=bytes(4)), 8),
        (hop_by_hop(destination(routing(fragment(ah(destination(SEND)))))), 64),
        (destination(destination(SEND, options=bytes(126)), options=bytes(126)), 256),
    ],
)
def test_extension_headers(inner, size):
    parsed = parse(ethernet(ipv6(inner)))
    assert (flags(parsed), parsed.trailer["candidate"]) == (E, 1)
    assert parsed.header["ip"]["header_length"] == 40 + size
    assert offsets(parsed) == (14, 54 + size, 0, 74 + size)


@pytest.mark.parametrize(
    ("inner", "walked", "kind"),
    [
        (destination(DNS, options=bytes(262)), 0, 60),
        (hop_by_hop(destination(DNS, options=bytes(254)), options=bytes(6)), 8, 60),
        (destination(ah(DNS, body=bytes(8)), options=bytes(254)), 256, 51),
    ],
)
def test_extension_limit(inner, walked, kind):
    """The walk stops in front of the header that passes 256 bytes, at the end of its first word."""
    parsed = parse(ethernet(ipv6(inner)))
    assert flags(parsed) == E | Flag.EXT_LIMIT
    ip = parsed.header["ip"]
    assert (ip["header_length"], ip["protocol"]) == (40 + walked, kind)
    assert (parsed.header_end, offsets(parsed)) == (58 + walked, (14, 0, 0, 54 + walked))
    assert parsed.header["key"]["kind"] == KeyKind.IPV6_5TUPLE


def test_extension_past_limit_and_payload():
    parsed = parse(ethernet(ipv6(destination(DNS, length=255), payload_length=100)))
    assert flags(parsed) == E | Flag.EXT_LIMIT | Flag.IP_LENGTH


def test_extension_headers_fill_the_payload_to_the_byte():
    parsed = parse(ethernet(ipv6(routing(b"", next_header=59))))
    assert (flags(parsed), parsed.header["ip"]["protocol"]) == (E, 59)
    assert (parsed.header_end, offsets(parsed)) == (62, (14, 62, 0, 62))


@pytest.mark.parametrize("n", [54, 57, 58, 61])
def test_cut_extension_header(n):
    parsed = parse(ethernet(ipv6(routing(DNS)))[:n])
    assert flags(parsed) == E | Flag.IP_TRUNCATED | Flag.IP_LENGTH
    ip = parsed.header["ip"]
    assert (ip["header_length"], ip["protocol"], parsed.header_end) == (40, 43, n)
    assert offsets(parsed) == (14, 0, 0, 54)


@pytest.mark.parametrize("left", [1, 255])
def test_segments_left(left):
    assert flags(parse(ethernet(ipv6(routing(DNS, segments_left=left))))) == E | Flag.UNVERIFIED
    assert parse(ethernet(ipv6(routing(SEND, segments_left=left)))).trailer["candidate"] == 0


@pytest.mark.parametrize("at", range(6))
def test_home_address(at):
    options = bytearray(6)
    options[at] = 201
    away = parse(ethernet(ipv6(destination(DNS, options=bytes(options)))))
    assert flags(away) == E | Flag.UNVERIFIED
    assert parse(ethernet(ipv6(destination(SEND, options=options)))).trailer["candidate"] == 0
    # in hop-by-hop options the value means nothing
    assert flags(parse(ethernet(ipv6(hop_by_hop(DNS, options=bytes(options)))))) == E


def test_201_in_front_of_the_options_is_no_home_address():
    """The last bytes of the header in front do not count."""
    packet = hop_by_hop(destination(DNS), options=b"\xc9" * 6)
    assert flags(parse(ethernet(ipv6(packet)))) == E


@pytest.mark.parametrize(("length", "right"), [(12, True), (13, False), (20, False), (21, False)])
def test_ip_payload_is_less_the_extension_headers(length, right):
    """12 bytes of UDP behind 8 of options."""
    packet = hop_by_hop(udp(b"dns?", dport=53, length=length))
    parsed = parse(ethernet(ipv6(packet)) + bytes(20))
    expected = E | Flag.PADDED | (Flag(0) if right else Flag.UDP_LENGTH)
    assert flags(parsed) == expected


def test_atomic_fragment_is_none():
    parsed = parse(ethernet(ipv6(fragment(SEND))))
    assert (flags(parsed), parsed.trailer["candidate"]) == (E, 1)


def test_later_fragment_ends_the_chain():
    parsed = parse(ethernet(ipv6(fragment(destination(DNS), offset=16, more=1))))
    ip = parsed.header["ip"]
    assert (ip["protocol"], ip["header_length"]) == (60, 48)
    assert (ip["fragment_offset"], ip["more_fragments"]) == (16, 1)
    assert (parsed.header_end, offsets(parsed)) == (62, (14, 62, 0, 62))
    assert flags(parsed) == E | Flag.FRAGMENT


def test_the_last_of_two_fragment_headers_is_shown():
    parsed = parse(ethernet(ipv6(fragment(fragment(DNS), more=1))))
    assert parsed.header["ip"]["more_fragments"] == 0
    assert flags(parsed) == E | Flag.FRAGMENT | Flag.UNVERIFIED


def test_jumbogram():
    """RFC 2675: payload length 0 and hop-by-hop; no length is judged."""
    jumbo = bytes.fromhex("c204 00011000")
    parsed = parse(ethernet(ipv6(hop_by_hop(DNS, options=jumbo), payload_length=0)))
    assert flags(parsed) == E | Flag.UNVERIFIED
    assert parsed.header["ip"]["total_length"] == 40
    assert parse(ethernet(ipv6(hop_by_hop(SEND), payload_length=0))).trailer["candidate"] == 0
    for length in (0, 7):  # a UDP length of 0 is legal here, so none is judged
        short = parse(ethernet(ipv6(hop_by_hop(udp(length=length, checksum=5)), payload_length=0)))
        assert flags(short) == E | Flag.UNVERIFIED
    cut = parse(ethernet(ipv6(hop_by_hop(DNS), payload_length=0))[:69])
    assert flags(cut) == E | Flag.L4_TRUNCATED


def test_payload_length_0_without_hop_by_hop_is_no_jumbogram():
    parsed = parse(ethernet(ipv6(DNS, payload_length=0)))
    assert flags(parsed) == Flag.L4_TRUNCATED | Flag.PADDED
    parsed = parse(ethernet(ipv6(routing(DNS), payload_length=0)))
    assert flags(parsed) == E | Flag.IP_LENGTH


def test_esp_and_other_types_are_upper_layers():
    for number in (50, 58, 59, 135, 139, 140, 255):
        parsed = parse(ethernet(ipv6(bytes(20), next_header=number)))
        assert (flags(parsed), parsed.header["ip"]["protocol"]) == (Flag(0), number)
        assert (parsed.header_end, offsets(parsed)) == (54, (14, 54, 0, 54))


def test_ah_over_ipv4_is_an_upper_layer():
    parsed = parse(ethernet(ipv4(ah(DNS))))
    assert (parsed.header["ip"]["protocol"], parsed.header_end) == (51, 34)


def test_the_deepest_header():
    """Two tags, 256 bytes of extension headers, every extension and 8 hops: offsets suffice."""
    reduce = stellar(
        Opcode.REDUCE, bytes(4), addr={}, imm={}, ack={}, int={"hops_reserved": 8}, flow=1
    )
    packet = ipv6(destination(reduce, options=bytes(254)))
    parsed = parse(ethernet(vlan(vlan(packet))))
    assert offsets(parsed) == (22, 318, 374, 442)
    assert Layer.INT in Layer(parsed.header["state"]["layers"])
    assert parsed.header_end == 378
