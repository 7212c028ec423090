"""The frame builders: against hand-typed bytes, and what they refuse."""

import pytest

from stellar_model.build import (
    ah,
    destination,
    ethernet,
    fragment,
    hop_by_hop,
    ipv4,
    ipv6,
    pad,
    routing,
    stellar,
    tcp,
    udp,
    vlan,
)
from stellar_spec.opcodes import Opcode, StellarFlag

MACS = "020000000002 020000000001"


def test_udp_in_ipv4_by_hand():
    """The sums are those of the hand computations in test_checksum, and of 4500+001d+4011+…"""
    typed = bytes.fromhex(
        MACS + "08004500 001d 0000 0000 4011 66ce 0a000001 0a0000020001 0002 0009 8ad6 61"
    )
    assert ethernet(ipv4(udp(b"a", sport=1, dport=2))) == typed


def test_udp_in_ipv6_by_hand():
    typed = bytes.fromhex(
        MACS + "86dd 60000000 0009 11 40"
        "fd00000000000000 0000000000000001 fd00000000000000 0000000000000002"
        "0001 0002 0009 a4d4 61"
    )
    assert ethernet(ipv6(udp(b"a", sport=1, dport=2))) == typed


def test_extension_headers_by_hand():
    packet = hop_by_hop(
        destination(
            routing(fragment(ah(b"\xee", next_header=59), offset=8, more=1), segments_left=2),
            options=b"\x05\x02\xaa\xbb\x01\x05\x00",
        )
    )
    typed = bytes.fromhex(
        "3c 00 000000000000"
        "2b 01 0502aabb 010500 00000000000000"
        "2c 00 04 02 00000000"
        "33 00 0009 00000000"
        "3b 04 0000" + "00" * 20 + "ee"
    )
    frame = ethernet(ipv6(packet))
    assert frame[54:] == typed
    assert frame[18:21] == len(typed).to_bytes(2, "big") + b"\0"


def test_stellar_by_hand():
    """WRITE with ADDR, the last of its message; the check is judged in test_check."""
    packet = stellar(
        Opcode.WRITE,
        b"\xee",
        flags=StellarFlag.EOM,
        flow=0x123456,
        psn=0x789ABC,
        placement=0x04000010,
        addr={"rkey": 0x11111111, "address": 0x22, "length": 0x33},
        check=b"\xc1\xc2\xc3\xc4",
        udp={"sport": 0xC000},
    )
    typed = bytes.fromhex(
        "c000 f57a 0029 0000"
        "01 48 123456 789abc 04000010"
        "11111111 0000000000000022 00000033"
        "ee c1c2c3c4"
    )
    assert ethernet(ipv4(packet))[34:] == typed


def test_tags_by_hand():
    frame = ethernet(vlan(vlan(b"\xee", type=0x0806, vid=2), tpid=0x88A8, pcp=5, dei=1, vid=1))
    assert frame == bytes.fromhex(MACS + "88a8 b001 8100 0002 0806 ee")


def test_tcp_by_hand():
    """The sum: 0a00+0001+0a00+0002+0006+0018 + 0001+0002+6002+0102+0304 = 782c."""
    frame = ethernet(ipv4(tcp(sport=1, dport=2, flags=2, options=b"\1\2\3\4")))
    assert frame[34:] == bytes.fromhex("0001 0002 00000000 00000000 6002 0000 87d3 0000 01020304")


@pytest.mark.parametrize(("layer", "at", "word"), [(udp, 40, "ffff"), (tcp, 50, "0000")])
def test_only_udp_sends_a_sum_of_zero_as_all_ones(layer, at, word):
    """A payload that equals the checksum over zeros in its place brings the checksum to 0."""
    fill = ethernet(ipv4(layer(bytes(2))))[at : at + 2]
    assert ethernet(ipv4(layer(fill)))[at : at + 2].hex() == word


def test_pad():
    assert pad(b"abc", 5, fill=b"\xff") == b"abc\xff\xff"
    assert len(pad(b"")) == 60
    assert pad(bytes(61)) == bytes(61)


def test_what_is_given_stays():
    frame = ethernet(
        ipv4(
            udp(b"", length=99, checksum=0xBEEF),
            version=7,
            ihl=3,
            total_length=1000,
            checksum=0xDEAD,
            protocol=1,
        ),
        type=0x1234,
    )
    assert frame[12:24] == bytes.fromhex("1234 73 00 03e8 0000 0000 40 01")
    assert (frame[24:26], frame[38:42]) == (b"\xde\xad", b"\x00\x63\xbe\xef")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: ethernet(b"abc"), "the payload is 3 plain bytes; give its type or protocol"),
        (lambda: ipv4(b""), "the payload is 0 plain bytes"),
        (lambda: ipv4(udp(), options=b"abc"), "options have 3 bytes; whole 4-byte words"),
        (lambda: tcp(options=b"ab"), "TCP options have 2 bytes; whole 4-byte words"),
        (lambda: ipv4(udp(), ttl=256), "IPv4: ttl is 256; 8 bits hold 0 to 255"),
        (lambda: ipv4(udp(), hops=1), "IPv4 has no field 'hops'"),
        (
            lambda: ipv6(fragment(udp(), offset=9)),
            "the fragment offset is 9 bytes; a multiple of 8",
        ),
        (lambda: ethernet(ipv4(udp(port=1))), "UDP has no field 'port'"),
        (lambda: ethernet(ipv4(udp(bytes(65528)))), "UDP: length is 65536; 16 bits"),
        (lambda: stellar(64), "opcode is 64; 6 bits hold 0 to 63"),
        (lambda: stellar(1, int={"hop": 1}), "INT extension, first word has no field 'hop'"),
    ],
)
def test_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()
