"""The end-to-end check: the CRC by its definition, and which byte counts."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stellar_model.build import ethernet, hop_by_hop, ipv4, ipv6, stellar
from stellar_model.check import end_to_end_check
from stellar_model.parser import parse
from stellar_spec.codes import Flag
from stellar_spec.opcodes import Opcode, StellarFlag


def crc_32(data):
    """IEEE 802.3 clause 3.2.9 bit by bit: 0x04C11DB7, first bit of a byte is its least."""
    register = 0xFFFFFFFF
    for byte in data:
        for bit in range(8):
            feedback = (register >> 31 & 1) ^ (byte >> bit & 1)
            register = (register << 1 & 0xFFFFFFFF) ^ (0x04C11DB7 if feedback else 0)
    # the complement goes out with the register's top bit first, each byte's least bit first
    bits = f"{register ^ 0xFFFFFFFF:032b}"
    return bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, 32, 8))


def test_crc_32_check_value():
    assert crc_32(b"123456789") == (0xCBF43926).to_bytes(4, "little")
    assert zlib.crc32(b"123456789") == 0xCBF43926


SOURCE, TARGET = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
BASE = "01 c0 000007 000009 04000001"  # WRITE, SOM EOM, flow 7, PSN 9, slot 1 offset 1


def test_plain_packet_by_hand():
    """Addresses, then UDP with its sum as zero, base header, payload."""
    datagram = bytes.fromhex("c001 f57a 001d beef" + BASE + "68656c6c6f" + "deadbeef")
    covered = bytes.fromhex("0a000001 0a000002 c001 f57a 001d 0000" + BASE + "68656c6c6f")
    assert end_to_end_check(SOURCE + TARGET, 0, datagram) == crc_32(covered)


def test_every_extension_and_options_by_hand():
    """Options in front count as zeros, and so do INT's first word and its stack of 2 hops."""
    udp, base = "c001 f57a 0057", "01 0f 000007 000009 04000001"
    addr, imm, ack = "11" * 16, "22" * 4, "33" * 16
    datagram = bytes.fromhex(
        udp + "0000" + base + addr + imm + ack + "12000000" + "44" * 16 + "5566" + "deadbeef"
    )
    covered = bytes.fromhex(
        "0a000001 0a000002" + "00" * 8 + udp + "0000" + base + addr + imm + ack + "00" * 20 + "5566"
    )
    assert end_to_end_check(SOURCE + TARGET, 8, datagram) == crc_32(covered)


@pytest.mark.parametrize("reserved", [8, 9, 15])
def test_stack_of_more_than_8_hops_has_no_bytes(reserved):
    base, first_word = "01 01 000007 000009 04000001", f"0{reserved:x}000000"
    datagram = bytes.fromhex("c001 f57a 0000 0000" + base + first_word + "77" * 120 + "00000000")
    masked = 64 if reserved == 8 else 0
    covered = bytes.fromhex(
        "0a000001 0a000002 c001 f57a 0000 0000" + base + "00000000" + "00" * masked
    ) + bytes.fromhex("77" * (120 - masked))
    assert end_to_end_check(SOURCE + TARGET, 0, datagram) == crc_32(covered)


def test_stack_past_the_end_of_the_datagram_masks_only_what_is_there():
    base = "01 01 000007 000009 04000001"
    datagram = bytes.fromhex("c001 f57a 0000 0000" + base + "08000000" + "77" * 10 + "00000000")
    covered = bytes.fromhex("0a000001 0a000002 c001 f57a 0000 0000" + base + "00" * 14)
    assert end_to_end_check(SOURCE + TARGET, 0, datagram) == crc_32(covered)


def packet(version):
    """A frame with every extension, and the offsets of its IP header and its UDP header."""
    inner = stellar(
        Opcode.REDUCE,
        b"payload!",
        flow=7,
        addr={"rkey": 1, "address": 2, "length": 3},
        imm={"data": 4},
        ack={},
        int={"hops_reserved": 2},
        udp={"sport": 50000},
    )
    if version == 4:
        return ethernet(ipv4(inner, options=bytes([1, 1, 1, 0]))), 38
    return ethernet(ipv6(hop_by_hop(inner))), 62


# ranges of bytes that are covered, counted from the UDP header; the rest is masked or is the check
COVERED = ((0, 6), (8, 20), (20, 56), (76, 84))
ADDRESSES = {4: (26, 34), 6: (22, 54)}


@pytest.mark.parametrize("version", [4, 6])
def test_each_byte_counts_or_does_not(version):
    """Every bit of the packet is flipped; the check must notice exactly the covered bytes'.

    INT's own words and the extension flags also say where INT lies, so they are left out here.
    """
    frame, l4 = packet(version)
    start, stop = ADDRESSES[version]
    covered = set(range(start, stop))
    for first, last in COVERED:
        covered |= set(range(l4 + first, l4 + last))
    length = len(frame) - l4

    def check(data):
        return end_to_end_check(data[start:stop], l4 - stop, data[l4 : l4 + length])

    right = check(frame)
    assert frame[-4:] == right
    flags, int_first_byte = l4 + 9, l4 + 56
    seen = set()
    for at in range(len(frame) - 4):
        for bit in range(8):
            if at == int_first_byte and bit < 4 or at == flags and bit < 4:
                continue  # hops reserved, extension flags
            changed = bytearray(frame)
            changed[at] ^= 1 << bit
            if check(bytes(changed)) != right:
                seen.add(at)
            else:
                assert at not in covered, f"byte {at} bit {bit} is not noticed"
    assert seen == covered


@given(st.integers(0, 0xFFFF), st.integers(0, 0x3F), st.binary(max_size=60))
def test_the_switches_fields_do_not_matter(sport, dscp, payload):
    """A hop may change TTL, DSCP, ECN and INT, with the IP checksum that goes with them."""
    options = dict(int={"hops_reserved": 2}, udp={"sport": sport})
    frame = ethernet(ipv4(stellar(Opcode.SEND, payload, **options)))
    written = stellar(
        Opcode.SEND,
        payload,
        int={"hops_reserved": 2, "hops_used": 2, "exceeded": 1},
        stack=b"\xa5" * 16,
        udp={"sport": sport},
        check=frame[-4:],
    )
    hop = ethernet(ipv4(written, ttl=3, dscp=dscp, ecn=3), dst=0xFFFFFFFFFFFF)
    assert parse(hop).trailer["flags"] == parse(frame).trailer["flags"] == 0


def test_payload_change_is_noticed_by_the_parser():
    frame = bytearray(ethernet(ipv4(stellar(Opcode.SEND, b"hello"))))
    frame[-5] ^= 1
    assert parse(bytes(frame)).trailer["flags"] == Flag.STELLAR_CHECK


def test_flag_values_of_the_hand_typed_frames():
    """The hand-typed flag bytes above mean what they should."""
    assert StellarFlag.SOM | StellarFlag.EOM == 0xC0
    assert StellarFlag.ADDR | StellarFlag.IMM | StellarFlag.ACK | StellarFlag.INT == 0x0F
    assert StellarFlag.INT == 0x01
