"""Edge cases of steps 9 and 10 of docs/parser.md: lengths, sums, checks, verdicts."""

import pytest

from stellar_model import Settings, parse
from stellar_model.build import ethernet, hop_by_hop, ipv4, ipv6, stellar, udp
from stellar_spec.codes import Flag, Reason, Verdict
from stellar_spec.opcodes import Opcode, StellarFlag
from tests.model.steps import DNS, SEND, flags

TRIM = Settings(trim=1, trim_dscp=10)
NONE = Flag(0)


def reason(parsed):
    return Reason(parsed.trailer["reason"])


@pytest.mark.parametrize("limit", [60, 64, 131071])
def test_oversize(limit):
    for n in (limit - 1, limit, limit + 1):
        parsed = parse(ethernet(bytes(n - 14), type=0x0806), settings=Settings(max_length=limit))
        over = n > limit and limit != 131071  # no length is above the one at which all saturate
        assert flags(parsed) == (Flag.OVERSIZE if over else NONE)
        assert parsed.trailer["length"] == min(n, 131071)


def test_default_limit():
    assert flags(parse(ethernet(bytes(9202), type=0x0806))) == NONE
    assert flags(parse(ethernet(bytes(9203), type=0x0806))) == Flag.OVERSIZE


def test_the_largest_ipv6_packet_is_verified():
    settings = Settings(max_length=131071)
    frame = ethernet(ipv6(udp(bytes(65527))))
    assert flags(parse(frame, settings=settings)) == NONE
    frame = frame[:-1] + b"\1"
    assert flags(parse(frame, settings=settings)) == Flag.UDP_CHECKSUM


def test_padding_is_no_payload():
    """The sum and the check end with the UDP length, whatever the padding."""
    packet = stellar(Opcode.SEND, b"x", udp={"checksum": None})
    parsed = parse(ethernet(ipv4(packet)) + b"\xff" * 7)
    assert (flags(parsed), parsed.trailer["verdict"]) == (Flag.PADDED, Verdict.STELLAR)


def test_bytes_between_udp_and_ip_length():
    """UDP's length is below the IP payload: the rest belongs to no one, and is no padding."""
    ip = ipv4(udp(b"abcd", dport=53, length=12), total_length=34)
    parsed = parse(ethernet(ip) + b"\xff\xff")
    assert flags(parsed) == NONE


@pytest.mark.parametrize("network", [ipv4, ipv6])
def test_udp_checksum(network):
    six = network is ipv6
    absent = parse(ethernet(network(udp(b"x", dport=53, checksum=0))))
    assert flags(absent) == (Flag.UDP_CHECKSUM if six else NONE)
    assert absent.trailer["verdict"] == Verdict.HOST
    towards = parse(ethernet(network(stellar(Opcode.SEND))))
    assert (flags(towards), towards.trailer["verdict"]) == (NONE, Verdict.STELLAR)
    elsewhere = parse(ethernet(network(SEND)), settings=Settings(stellar_port=1))
    assert flags(elsewhere) == (Flag.UDP_CHECKSUM if six else NONE)
    wrong = parse(ethernet(network(stellar(Opcode.SEND, udp={"checksum": 1}))))
    assert (flags(wrong), reason(wrong)) == (Flag.UDP_CHECKSUM, Reason.UDP_CHECKSUM)


def test_sum_of_0_is_sent_as_ffff():
    """The two payload bytes make the sum 0xffff, its complement 0: RFC 768 sends all ones."""
    zero = ethernet(ipv4(udp(bytes(2), sport=1, dport=2)))
    sum_without = int.from_bytes(zero[40:42], "big")
    frame = ethernet(ipv4(udp(sum_without.to_bytes(2, "big"), sport=1, dport=2)))
    assert frame[40:42] == b"\xff\xff"
    assert flags(parse(frame)) == NONE


def test_sum_of_an_odd_length():
    frame = ethernet(ipv4(udp(b"odd", dport=53)))
    assert flags(parse(frame + b"\xff")) == Flag.PADDED  # the byte behind it does not count


def test_udp_length_keeps_the_sum_out():
    parsed = parse(ethernet(ipv4(udp(b"x", dport=53, length=10, checksum=5))))
    assert flags(parsed) == Flag.UDP_LENGTH


def test_cut_capture_is_unverified():
    assert flags(parse(ethernet(ipv4(DNS))[:-1])) == Flag.IP_LENGTH | Flag.UNVERIFIED
    # the IP packet is cut, the datagram inside it is whole
    shorter = ipv4(udp(b"dns?", dport=53), total_length=40)
    assert flags(parse(ethernet(shorter))) == Flag.IP_LENGTH


def test_trim_dscp_leaves_a_candidates_sum_unjudged():
    packet = ipv4(stellar(Opcode.SEND, b"x", udp={"checksum": 5}), dscp=10)
    assert flags(parse(ethernet(packet), settings=TRIM)) == Flag.UNVERIFIED | Flag.TRIMMED
    assert flags(parse(ethernet(packet))) == Flag.UDP_CHECKSUM
    parsed = parse(ethernet(ipv4(udp(b"x", dport=53, checksum=5), dscp=10)), settings=TRIM)
    assert flags(parsed) == Flag.UDP_CHECKSUM


def test_trimmed_frame_that_is_whole():
    packet = ipv4(stellar(Opcode.SEND, b"x", check=b"0000"), dscp=10)
    parsed = parse(ethernet(packet), settings=TRIM)
    assert (flags(parsed), parsed.trailer["verdict"]) == (Flag.TRIMMED, Verdict.STELLAR)


def test_trimmed_with_lengths_past_the_ip_payload():
    packet = ipv4(stellar(Opcode.SEND, udp={"length": 1000}), dscp=10)
    parsed = parse(ethernet(packet), settings=TRIM)
    assert flags(parsed) == Flag.TRIMMED | Flag.UDP_LENGTH
    assert parsed.trailer["verdict"] == Verdict.STELLAR


def test_a_trimmed_packets_opcode_and_extensions_are_not_judged():
    for opcode, announced in ((63, 0), (Opcode.SEND, StellarFlag.ACK)):
        packet = stellar(opcode, b"x", flags=announced)
        parsed = parse(ethernet(ipv4(packet, dscp=10))[:54], settings=TRIM)
        assert (flags(parsed), parsed.trailer["verdict"]) == (
            Flag.TRIMMED | Flag.IP_LENGTH,
            Verdict.STELLAR,
        )


def test_check_flag_turns_the_drop_into_a_flag():
    frame = ethernet(ipv4(stellar(Opcode.SEND, b"x", check=b"0000")))
    dropped, kept = parse(frame), parse(frame, settings=Settings(check_flag=1))
    assert reason(dropped) == Reason.STELLAR_CHECK
    assert (kept.trailer["verdict"], reason(kept)) == (Verdict.STELLAR, Reason.NONE)
    assert flags(dropped) == flags(kept) == Flag.STELLAR_CHECK


@pytest.mark.parametrize("network", [ipv4, lambda p: ipv6(hop_by_hop(p))])
def test_precedence(network):
    """One fault after the other is taken away; the next in the order is the reason."""
    faults = {
        Reason.UDP_CHECKSUM: {"udp": {"checksum": 1}},
        Reason.STELLAR_TRUNCATED: {"check": b"000"},
        Reason.STELLAR_OPCODE: {"opcode": 63},
        Reason.STELLAR_EXTENSION: {"int": {"zero": 1}},
        Reason.STELLAR_CHECK: {"check": b"0000"},
    }
    assert list(faults) == [r for r in Reason if r not in (Reason.NONE, Reason.MAC_ERROR)]
    while faults:
        packet = {"opcode": Opcode.SEND}
        for values in reversed(faults.values()):
            packet |= values
        frame = ethernet(network(stellar(**packet)))
        assert reason(parse(frame)) == next(iter(faults))
        assert reason(parse(frame, error=True)) == Reason.MAC_ERROR
        faults.pop(next(iter(faults)))
    assert parse(ethernet(network(SEND))).trailer["verdict"] == Verdict.STELLAR


def test_check_is_judged_whatever_the_opcode_and_the_extensions():
    for fault in ({"opcode": 63}, {"opcode": Opcode.SEND, "imm": {"data": 1}}):
        good = parse(ethernet(ipv4(stellar(**fault))))
        bad = parse(ethernet(ipv4(stellar(**fault, check=b"0000"))))
        assert (flags(good), flags(bad)) == (NONE, Flag.STELLAR_CHECK)
        assert reason(bad) == reason(good) != Reason.NONE


def test_check_is_not_judged_when_truncated():
    parsed = parse(ethernet(ipv4(stellar(Opcode.PROBE, bytes(7), check=b"0000"))))
    assert (flags(parsed), reason(parsed)) == (NONE, Reason.STELLAR_TRUNCATED)
