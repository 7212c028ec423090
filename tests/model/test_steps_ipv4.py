"""Edge cases of steps 1 to 5 of docs/parser.md: Ethernet, VLAN tags, IPv4."""

import pytest

from stellar_model import parse
from stellar_model.build import ethernet, ipv4, stellar, vlan
from stellar_spec.codes import Flag, KeyKind
from stellar_spec.opcodes import Opcode
from tests.model.steps import DNS, SEND, flags, offsets


@pytest.mark.parametrize("n", range(1, 14))
def test_no_ethernet(n):
    parsed = parse(bytes([0xFF] * n))
    assert offsets(parsed) == (0, 0, 0, 0)
    assert (parsed.header_end, flags(parsed)) == (n, Flag.ETH_TRUNCATED)
    assert set(parsed.header["eth"].values()) == {0}


@pytest.mark.parametrize("type", [0x0000, 0x05DC, 0x0600, 0x0806, 0x88F7, 0xFFFF])
def test_type_that_leads_nowhere(type):
    parsed = parse(ethernet(bytes(46), type=type))
    assert (parsed.header["eth"]["type"], flags(parsed)) == (type, Flag(0))
    assert offsets(parsed) == (14, 0, 0, 14)
    assert parsed.header_end == 14


def test_mac_addresses():
    eth = parse(bytes.fromhex("0102030405060708090a0b0c0800")).header["eth"]
    assert (eth["dst"], eth["src"], eth["type"]) == (0x010203040506, 0x0708090A0B0C, 0x0800)


@pytest.mark.parametrize("inner", [0x8100, 0x88A8, 0x9100])
@pytest.mark.parametrize("outer", [0x8100, 0x88A8, 0x9100])
def test_two_tags_in_any_mix(outer, inner):
    tags = vlan(vlan(ipv4(DNS), tpid=inner, pcp=2, vid=0xFFF), tpid=outer, pcp=7, dei=1, vid=1)
    parsed = parse(ethernet(tags))
    eth = parsed.header["eth"]
    first = [eth[f"vlan0_{name}"] for name in ("tpid", "pcp", "dei", "vid")]
    second = [eth[f"vlan1_{name}"] for name in ("tpid", "pcp", "dei", "vid")]
    assert (first, second) == ([outer, 7, 1, 1], [inner, 2, 0, 0xFFF])
    assert (eth["vlan_count"], eth["type"]) == (2, 0x0800)
    assert offsets(parsed) == (22, 42, 0, 50)
    assert flags(parsed) == Flag(0)


@pytest.mark.parametrize("tags", [1, 2])
@pytest.mark.parametrize("missing", [1, 2, 3, 4])
def test_cut_tag(tags, missing):
    packet = ipv4(DNS)
    for _ in range(tags):
        packet = vlan(packet, vid=9)
    n = 14 + 4 * tags - missing
    parsed = parse(ethernet(packet)[:n])
    eth = parsed.header["eth"]
    assert (eth["vlan_count"], eth["type"]) == (tags - 1, 0x8100)
    assert offsets(parsed) == (0, 0, 0, 14 + 4 * (tags - 1))
    assert parsed.header_end == n


def test_third_tag():
    packet = vlan(vlan(vlan(ipv4(DNS), tpid=0x9100, vid=3), vid=2), vid=1)
    parsed = parse(ethernet(packet))
    eth = parsed.header["eth"]
    assert (eth["vlan_count"], eth["type"], eth["vlan1_vid"]) == (2, 0x9100, 2)
    assert (parsed.header_end, offsets(parsed)) == (22, (0, 0, 0, 22))


def test_tag_and_802_3_length():
    parsed = parse(ethernet(vlan(bytes(46), type=46, vid=1)))
    assert (parsed.header_end, offsets(parsed)) == (18, (18, 0, 0, 18))


@pytest.mark.parametrize("version", [0, 5, 6, 15])
def test_ip_version(version):
    parsed = parse(ethernet(ipv4(DNS, version=version)))
    assert (flags(parsed), parsed.header_end) == (Flag.IP_VERSION, 18)
    assert offsets(parsed) == (14, 0, 0, 14)
    assert parsed.header["key"]["kind"] == KeyKind.NONE


@pytest.mark.parametrize("ihl", range(5))
def test_ihl(ihl):
    parsed = parse(ethernet(ipv4(DNS, ihl=ihl)))
    assert (flags(parsed), parsed.header_end, offsets(parsed)) == (
        Flag.IPV4_IHL,
        18,
        (14, 0, 0, 14),
    )


def test_ihl_past_the_frame():
    parsed = parse(ethernet(ipv4(DNS, ihl=15)))  # 32 of 60 bytes are there
    assert (flags(parsed), parsed.header_end) == (Flag.IP_TRUNCATED, 46)


def test_ipv4_fields():
    frame = ethernet(ipv4(b"", protocol=1, dscp=46, ecn=2, ttl=9, src=0x01020304, dst=0xFFFEFDFC))
    assert parse(frame).header["ip"] == {
        "version": 4,
        "src": 0x01020304,
        "dst": 0xFFFEFDFC,
        "dscp": 46,
        "ecn": 2,
        "ttl": 9,
        "protocol": 1,
        "header_length": 20,
        "total_length": 20,
        "fragment_offset": 0,
        "more_fragments": 0,
    }


@pytest.mark.parametrize("words", range(1, 11))
def test_options(words):
    parsed = parse(ethernet(ipv4(SEND, options=bytes([1]) * 4 * words)))
    assert flags(parsed) == Flag.IPV4_OPTIONS
    assert parsed.trailer["candidate"] == 1
    assert offsets(parsed) == (14, 34 + 4 * words, 0, 54 + 4 * words)
    assert parsed.header["ip"]["header_length"] == 20 + 4 * words


@pytest.mark.parametrize("option", [131, 137])
@pytest.mark.parametrize("at", [0, 7])
def test_source_route(option, at):
    options = bytearray(8)
    options[at] = option
    parsed = parse(ethernet(ipv4(SEND, options=bytes(options))))
    assert (parsed.header["state"]["candidate"], parsed.header_end) == (0, 50)
    assert flags(parsed) == Flag.IPV4_OPTIONS  # the sum is absent
    dns = parse(ethernet(ipv4(DNS, options=bytes(options))))
    assert flags(dns) == Flag.IPV4_OPTIONS | Flag.UNVERIFIED


def test_source_route_value_outside_the_options():
    parsed = parse(ethernet(ipv4(stellar(Opcode.SEND, b"\x83\x89" * 8), ttl=131)))
    assert (parsed.trailer["candidate"], flags(parsed)) == (1, Flag(0))


@pytest.mark.parametrize("total", [0, 19, 23])
def test_total_length_below_the_header(total):
    parsed = parse(ethernet(ipv4(DNS, options=b"\1\1\1\1", total_length=total)))
    assert flags(parsed) == Flag.IP_LENGTH | Flag.IPV4_OPTIONS  # and never PADDED
    assert (parsed.header_end, offsets(parsed)) == (38, (14, 0, 0, 38))
    assert parsed.header["key"]["kind"] == KeyKind.IPV4_5TUPLE
    assert parsed.header["key"]["protocol"] == 17


def test_fragment_offset_is_in_bytes():
    ip = parse(ethernet(ipv4(b"", protocol=17, fragment_offset=0x1FFF))).header["ip"]
    assert (ip["fragment_offset"], ip["more_fragments"]) == (0xFFF8, 0)


def test_later_fragment_has_no_ports():
    parsed = parse(ethernet(ipv4(DNS, fragment_offset=2, more_fragments=1)))
    assert (parsed.header_end, offsets(parsed)) == (34, (14, 34, 0, 34))
    assert (parsed.header["key"]["sport"], parsed.header["key"]["dport"]) == (0, 0)
    first = parse(ethernet(ipv4(DNS, more_fragments=1)))
    assert (first.header["key"]["sport"], first.header["key"]["dport"]) == (1000, 53)
