"""The Internet checksum against published examples, and against its definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stellar_model.checksum import GOOD, checksum, ones_complement_sum, pseudo_header


def test_rfc_1071_section_3_example():
    data = bytes.fromhex("0001 f203 f4f5 f6f7")
    assert ones_complement_sum(data) == 0xDDF2
    assert checksum(data) == 0x220D


# the example of Wikipedia's "Internet checksum", and a TCP packet's header that tutorials use
@pytest.mark.parametrize(
    "header",
    [
        "4500 0073 0000 4000 4011 b861 c0a8 0001 c0a8 00c7",
        "4500 003c 1c46 4000 4006 b1e6 ac10 0a63 ac10 0a0c",
    ],
)
def test_ipv4_header(header):
    words = header.split()
    stored = int(words[5], 16)
    assert ones_complement_sum(bytes.fromhex(header)) == GOOD
    words[5] = "0000"
    assert checksum(bytes.fromhex("".join(words))) == stored


def test_rfc_1624_section_4_example():
    """RFC 1624 changes a word 0x5555 to 0x3285 in a header whose other words sum to 0xcd7a."""
    assert checksum(bytes.fromhex("cd7a 5555")) == 0xDD2F
    assert checksum(bytes.fromhex("cd7a 3285")) == 0x0000


def test_udp_sum_by_hand_ipv4():
    """10.0.0.1:1 to 10.0.0.2:2 with one byte 0x61: 0a00+0001+0a00+0002+0011+0009
    + 0001+0002+0009+6100 = 7529; its complement is 8ad6."""
    addresses = bytes([10, 0, 0, 1, 10, 0, 0, 2])
    datagram = bytes.fromhex("0001 0002 0009 0000 61")
    assert checksum(pseudo_header(addresses, 9) + datagram) == 0x8AD6


def test_udp_sum_by_hand_ipv6():
    """fd00::1 to fd00::2, the same datagram: fd00+0001+fd00+0002+0009+0011
    + 0001+0002+0009+6100 = 25b29, folded 5b2b; its complement is a4d4."""
    addresses = bytes.fromhex(f"fd00{1:028x}" + f"fd00{2:028x}")
    datagram = bytes.fromhex("0001 0002 0009 0000 61")
    assert checksum(pseudo_header(addresses, 9) + datagram) == 0xA4D4


def test_pseudo_headers_of_the_rfcs_sum_alike():
    """RFC 768 has zero, protocol, length; RFC 8200 length in 32 bits, zeros, next header."""
    four, six = bytes(range(8)), bytes(range(32))
    rfc_768 = four + bytes.fromhex("0011 1234")
    rfc_8200 = six + bytes.fromhex("00001234 00000011")
    assert ones_complement_sum(pseudo_header(four, 0x1234)) == ones_complement_sum(rfc_768)
    assert pseudo_header(six, 0x1234) == rfc_8200


@pytest.mark.parametrize(
    ("data", "total"),
    [(b"", 0), (b"\x12", 0x1200), (b"\xff\xff", 0xFFFF), (b"\xff\xff\x00\x01", 1), (bytes(6), 0)],
)
def test_edges(data, total):
    assert ones_complement_sum(data) == total


@given(st.binary(max_size=300))
def test_definition(data):
    """End-around carry, word by word."""
    total = 0
    for at in range(0, len(data), 2):
        total += int.from_bytes(data[at : at + 2].ljust(2, b"\0"), "big")
        if total > 0xFFFF:
            total = total - 0x10000 + 1
    assert ones_complement_sum(data) == total


def test_no_overflow_in_the_longest_packet():
    assert ones_complement_sum(b"\xff" * 70000) == 0xFFFF
