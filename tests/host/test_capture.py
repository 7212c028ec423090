"""Good capture files of every variant: what they give, what Scapy says of them, and the corpus."""

import csv
import struct
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.l2 import Ether
from scapy.utils import RawPcapReader, RawPcapWriter, wrpcapng

from stellar_sdk.capture import Frame, read_capture, write_pcap
from tests.host.capture_bytes import (
    MICROSECONDS,
    NANOSECONDS,
    block,
    enhanced,
    file_header,
    interface,
    obsolete,
    option,
    record,
    section,
    simple,
)

A, B = bytes(range(60)), bytes(range(100, 133))  # B's 33 bytes need padding in pcapng
NS_CLOCK = {e: option(9, b"\x09", e) + option(0, b"", e) for e in "<>"}
T = 1_700_000_000

both_orders = pytest.mark.parametrize("e", ["<", ">"])


def frames_of(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    return list(read_capture(path))


@both_orders
@pytest.mark.parametrize("magic, scale", [(MICROSECONDS, 1000), (NANOSECONDS, 1)])
def test_pcap(tmp_path, e, magic, scale):
    content = file_header(e, magic) + record(A, e, time=(T, 123456)) + record(B, e, wire=1500)
    assert frames_of(tmp_path, content) == [
        Frame(1, A, 60, T * 10**9 + 123456 * scale),
        Frame(2, B, 1500, 0),
    ]


@both_orders
@pytest.mark.parametrize("high_bits", [0x2400, 0x0400, 0xFFFF])
def test_pcap_link_type_has_fcs_bits_above(tmp_path, e, high_bits):
    content = file_header(e, network=high_bits << 16 | 1) + record(A, e)
    assert frames_of(tmp_path, content) == [Frame(1, A, 60, 0)]


def test_pcap_corners(tmp_path):
    assert frames_of(tmp_path, file_header()) == []
    long = bytes(3_000_000)  # more than the header's snap length, and than one read
    content = file_header() + record(b"") + record(long) + record(B, wire=0)
    assert frames_of(tmp_path, content) == [
        Frame(1, b"", 0, 0),
        Frame(2, long, 3_000_000, 0),
        Frame(3, B, 0, 0),
    ]


@both_orders
def test_pcapng_enhanced_packets(tmp_path, e):
    note = option(1, b"a comment", e) + option(0, b"", e)
    content = (
        section(e, options=note)
        + block(4, bytes(4), e)  # name resolution
        + interface(e)
        + enhanced(A, e, ticks=T * 10**6 + 5)  # without if_tsresol: microseconds
        + block(0x80000BAD, b"of a vendor", e)
        + enhanced(B, e, wire=1500, options=note)
        + block(5, struct.pack(e + "III", 0, 0, 0), e)  # interface statistics
        + enhanced(b"", e)
    )
    assert frames_of(tmp_path, content) == [
        Frame(1, A, 60, T * 10**9 + 5000),
        Frame(2, B, 1500, 0),
        Frame(3, b"", 0, 0),
    ]


@both_orders
def test_pcapng_simple_packets_are_cut_to_the_first_interface(tmp_path, e):
    content = section(e) + interface(e, snap_length=60) + interface(e, snap_length=10)
    content += simple(A, e) + simple(A, e, wire=1500) + simple(B, e)
    unlimited = section(e) + interface(e) + simple(B, e)
    assert frames_of(tmp_path, content + unlimited) == [
        Frame(1, A, 60, None),
        Frame(2, A, 1500, None),
        Frame(3, B, 33, None),
        Frame(4, B, 33, None),
    ]


@both_orders
def test_pcapng_obsolete_packets(tmp_path, e):
    content = section(e) + interface(e) + interface(e, options=NS_CLOCK[e])
    content += obsolete(B, e, index=1, ticks=T * 10**9 + 7, wire=99) + obsolete(A, e)
    assert frames_of(tmp_path, content) == [
        Frame(1, B, 99, T * 10**9 + 7),
        Frame(2, A, 60, 0),
    ]


@both_orders
@pytest.mark.parametrize(
    "options, ticks, nanoseconds",
    [
        ([(9, b"\x09")], T * 10**9 + 1, T * 10**9 + 1),
        ([(9, b"\x06")], T * 10**6 + 1, T * 10**9 + 1000),
        ([(9, b"\x00")], T, T * 10**9),
        ([(9, b"\x0c")], 1_999, 1),  # picoseconds: cut down
        ([(9, b"\x9e")], (T << 30) + 3, T * 10**9 + 2),  # 2**-30 s
        ([(2, b"eth10"), (9, b"\x09"), (3, b"a port")], 77, 77),
        ([(9, b"\x09"), (0, b""), (9, b"\x06")], 77, 77),  # nothing counts behind the end mark
    ],
)
def test_pcapng_clocks(tmp_path, e, options, ticks, nanoseconds):
    options = b"".join(option(code, value, e) for code, value in options)
    content = section(e) + interface(e, options=options) + enhanced(A, e, ticks=ticks)
    assert frames_of(tmp_path, content) == [Frame(1, A, 60, nanoseconds)]


@both_orders
@pytest.mark.parametrize("seconds", [T, -1])
def test_pcapng_clock_offset(tmp_path, e, seconds):
    shift = option(14, struct.pack(e + "q", seconds), e)
    content = section(e) + interface(e, options=shift) + enhanced(A, e, ticks=3)
    assert frames_of(tmp_path, content) == [Frame(1, A, 60, seconds * 10**9 + 3000)]


def test_pcapng_sections_start_anew(tmp_path):
    # The second section has the other byte order, and its interface 0 another clock.
    content = (
        section("<") + interface("<") + interface("<", link_type=113) + enhanced(A, "<", ticks=1)
    )
    content += section(">", version=(1, 2)) + interface(">", options=NS_CLOCK[">"])
    content += enhanced(B, ">", ticks=1)
    assert frames_of(tmp_path, content) == [Frame(1, A, 60, 1000), Frame(2, B, 33, 1)]


FRAMES = [Frame(1, A, 60, T * 10**9 + 123_456_789), Frame(2, B, 1500, 0), Frame(3, b"", 0, 999)]


def test_write_pcap_bytes(tmp_path):
    write_pcap(tmp_path / "ns", FRAMES)
    assert (tmp_path / "ns").read_bytes() == bytes.fromhex(
        "4d3cb2a1 0200 0400 00000000 00000000 00000400 01000000"
    ) + (
        record(A, time=(T, 123_456_789)) + record(B, wire=1500) + record(b"", time=(0, 999))
    )  # fmt: skip
    write_pcap(tmp_path / "us", FRAMES, nanoseconds=False)
    cut = [Frame(1, A, 60, T * 10**9 + 123_456_000), FRAMES[1], Frame(3, b"", 0, 0)]
    assert list(read_capture(tmp_path / "us")) == cut


times = st.integers(0, 2**32 * 10**9 - 1)
frames = st.builds(Frame, st.just(0), st.binary(max_size=80), st.integers(0, 2**32 - 1), times)


@given(st.lists(frames))
def test_round_trip(tmp_path_factory, some):
    path = tmp_path_factory.getbasetemp() / "round_trip.pcap"
    some = [Frame(i, f.data, f.wire_length, f.timestamp_ns) for i, f in enumerate(some, 1)]
    write_pcap(path, some)
    assert list(read_capture(path)) == some


def test_frames_without_a_time_are_written_at_0(tmp_path):
    write_pcap(tmp_path / "f", [Frame(9, A, 60, None)])
    assert list(read_capture(tmp_path / "f")) == [Frame(1, A, 60, 0)]


def test_scapy_reads_what_we_write(tmp_path):
    path = tmp_path / "f.pcap"
    write_pcap(path, FRAMES[:2])
    with RawPcapReader(str(path)) as reader:
        assert (reader.nano, reader.linktype) == (True, 1)
        seen = [(data, m.wirelen, m.sec * 10**9 + m.usec) for data, m in reader]
    assert seen == [(f.data, f.wire_length, f.timestamp_ns) for f in FRAMES[:2]]


@both_orders
@pytest.mark.parametrize("nano", [False, True])
def test_we_read_what_scapy_writes(tmp_path, e, nano):
    path = tmp_path / "f.pcap"
    with RawPcapWriter(str(path), linktype=1, endianness=e, nano=nano) as writer:
        writer.write_header(None)
        writer.write_packet(A, sec=T, usec=456, wirelen=1500)
    assert list(read_capture(path)) == [Frame(1, A, 1500, T * 10**9 + 456 * (1 if nano else 1000))]


def test_pcapng_that_scapy_writes(tmp_path):
    packets = [Ether(A), Ether(B)]
    for i, packet in enumerate(packets):
        packet.time, packet.sniffed_on, packet.comment = T + i / 4, f"eth{i}", b"odd"
    wrpcapng(str(tmp_path / "f"), packets)
    assert list(read_capture(tmp_path / "f")) == [
        Frame(1, A, 60, T * 10**9),
        Frame(2, B, 33, T * 10**9 + 250_000_000),
    ]


def test_corpus(corpus):
    expected = defaultdict(list)
    with open(corpus / "expected.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            lengths = tuple(int(row[name]) for name in ("pkt", "cap_len", "wire_len"))
            expected[row["file"]].append(lengths)
    files = {path.name for pattern in ("*.pcap", "*.pcapng") for path in corpus.glob(pattern)}
    assert files == set(expected)
    for name, lengths in expected.items():
        seen = [(f.number, len(f.data), f.wire_length) for f in read_capture(corpus / name)]
        assert seen == lengths, name
