"""Cut, damaged and foreign files: whole frames, then an error that says what and where."""

import gzip
import itertools
import re
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stellar_sdk.capture import CaptureCut, CaptureError, Frame, read_capture, write_pcap
from tests.host.capture_bytes import (
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

A, B = bytes(range(60)), bytes(range(100, 133))


def read_until_error(path):
    """The frames, and the CaptureError behind them (None: none)."""
    frames = []
    try:
        for frame in read_capture(path):
            frames.append(frame)
    except CaptureError as error:
        return frames, error
    return frames, None


PCAP = [file_header(), record(A), record(B, wire=1500)]
PCAPNG = [section(), interface(), enhanced(A), simple(A), obsolete(B), block(0xBAD, b"unknown")]


@pytest.mark.parametrize(
    "parts, first, count", [(PCAP, 1, 2), (PCAPNG, 2, 3)], ids=["pcap", "pcapng"]
)
def test_cut_at_every_byte(tmp_path, parts, first, count):
    """``count`` frames from part ``first`` on: the whole ones, then a CaptureCut with the place.

    A cut between two parts can't be seen, and is none.
    """
    content, path = b"".join(parts), tmp_path / "f"
    ends = list(itertools.accumulate(map(len, parts)))
    path.write_bytes(content)
    whole = list(read_capture(path))
    assert len(whole) == count
    for end in range(4, len(content)):
        path.write_bytes(content[:end])
        frames, error = read_until_error(path)
        good = sum(e <= end for e in ends[first : first + count])
        assert frames == whole[:good], end
        if end in ends:
            assert error is None, end
            continue
        assert type(error) is CaptureCut, end
        assert (error.frames, error.offset) == (good, end)
        assert 1 <= error.missing <= min(e for e in ends if e > end) - end
        assert str(error).startswith(f"{path}: the file is cut: it ends at byte {end} inside ")
        assert str(error).endswith(f"{error.missing} bytes are missing (after {good} whole frames)")


@pytest.mark.parametrize(
    "content, missing, what",
    [
        (PCAP[0][:11], 13, "the file header"),
        (PCAP[0] + PCAP[1] + PCAP[2][:9], 7, "the record header of frame 2"),
        (PCAP[0] + PCAP[1] + PCAP[2][:-5], 5, "the 33 bytes of frame 2"),
        (
            PCAP[0] + record(A, captured=256 << 20),
            (256 << 20) - 60,
            "the 268435456 bytes of frame 1",
        ),
        (PCAPNG[0][:6], 22, "the first section header"),
        (PCAPNG[0][:10], 18, "a section header"),
        (PCAPNG[0] + PCAPNG[1] + PCAPNG[2][:-4], 4, "the block after frame 0"),
        (b"".join(PCAPNG[:3]) + PCAPNG[3][:5], 7, "the block after frame 1"),
    ],
)
def test_cut_says_where_and_how_much(tmp_path, content, missing, what):
    path = tmp_path / "f"
    path.write_bytes(content)
    with pytest.raises(
        CaptureCut, match=re.escape(f"inside {what}, at least {missing} bytes")
    ) as e:
        list(read_capture(path))
    assert e.value.missing == missing


NG = section() + interface()
BAD = {
    "empty": (b"", 0, "f: is empty; a pcap or pcapng file is needed"),
    "text": (b"hello\n", 0, "f: is no pcap or pcapng file: it begins with 68 65 6c 6c"),
    "three bytes": (PCAP[0][:3], 0, "f: is no pcap or pcapng file: it begins with d4 c3 b2"),
    "gzip": (gzip.compress(PCAP[0]), 0, "f: is compressed by gzip; unpack it first (gunzip)"),
    "snoop": (b"snoop\0\0\0", 0, "f: is a snoop capture; convert it first (editcap -F pcap)"),
    "modified pcap": (file_header(magic=0xA1B2CD34), 0, "f: is a modified pcap (Kuznetzov)"),
    "pcap version": (file_header(version=(2, 3)), 0, "has pcap version 2.3; version 2.4 is needed"),
    "cooked": (
        file_header(network=113) + record(A),
        0,
        "byte 20 (after 0 whole frames): the file has link type 113 (Linux cooked capture); "
        "only Ethernet (1) is read",
    ),
    "rare link type": (file_header(">", network=0x2400_0093), 0, "link type 147 (see tcpdump.org"),
    "captured length": (
        PCAP[0] + PCAP[1] + record(A, captured=0xFFFFFFF0),
        1,
        "byte 100 (after 1 whole frames): frame 2 has a captured length of 4294967280 bytes, "
        "more than 268435456: the file is damaged here",
    ),
    "cooked interface": (
        NG + interface(link_type=113) + enhanced(A) + enhanced(A, index=1),
        1,
        "byte 160 (after 1 whole frames): interface 1 of a packet has link type 113 "
        "(Linux cooked capture); only Ethernet (1) is read",
    ),
    "unknown interface": (
        NG + enhanced(A, index=5),
        0,
        "byte 48 (after 0 whole frames): block of type 0x6: packet of interface 5, "
        "but its section has described 1 interfaces before it",
    ),
    "interface of the section before": (
        NG + enhanced(A) + section() + simple(A),
        1,
        "block of type 0x3: packet of interface 0, but its section has described 0 interfaces",
    ),
    "captured past the block": (
        NG + enhanced(A) + enhanced(A, captured=200),
        1,
        "block of type 0x6: captured length of 200 bytes, but only 60 are left in the block",
    ),
    "simple packet past the block": (
        NG + simple(A, wire=200),
        0,
        "block of type 0x3: captured length of 200 bytes, but only 60 are left in the block",
    ),
    "no room for a packet": (
        NG + block(6, bytes(8)),
        0,
        "block of type 0x6: only 8 bytes of body, too short for it",
    ),
    "ends differ": (
        NG + enhanced(A) + block(0xBAD, bytes(8), again=12),
        1,
        "block that begins with length 20 and ends with length 12: the file is damaged here",
    ),
    "pcapng version": (
        section(version=(9, 1)),
        0,
        "byte 0 (after 0 whole frames): block of type 0xa0d0d0a: pcapng version 9.1; version 1 is",
    ),
    "byte order": (
        section(magic=0x01020304),
        0,
        "section header with byte-order magic 04 03 02 01; 4d 3c 2b 1a or 1a 2b 3c 4d is needed",
    ),
    "clock option": (
        section() + interface(options=option(9, b"\6\0")),
        0,
        "block of type 0x1: option 9 of 2 bytes; 1 needed",
    ),
    "clock offset": (
        section() + interface(options=option(14, bytes(4))),
        0,
        "block of type 0x1: option 14 of 4 bytes; 8 needed",
    ),
    "option past the block": (
        section() + interface(options=b"\2\0\xff\0eth0"),
        0,
        "block of type 0x1: option 2 of 255 bytes does not fit the block",
    ),
}
for length in (0, 8, 11, 13, 0xFFFF_FFFC):
    BAD[f"block length {length}"] = (
        NG + enhanced(A) + block(6, bytes(20), length=length),
        1,
        f"block with a length of {length} bytes; a multiple of 4 from 12 to 268435456 is needed",
    )


@pytest.mark.parametrize("content, good, message", BAD.values(), ids=BAD.keys())
def test_bad_file(tmp_path, content, good, message):
    path = tmp_path / "f"
    path.write_bytes(content)
    frames, error = read_until_error(path)
    assert type(error) is CaptureError
    assert [frame.data for frame in frames] == [A] * good
    assert str(error).startswith(f"{path}: ") and message in str(error)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.pcap"):
        list(read_capture(tmp_path / "nowhere.pcap"))


def test_damaged_length_takes_neither_time_nor_memory(tmp_path):
    path = tmp_path / "f"
    tracemalloc.start()
    begin = time.monotonic()
    for content in (
        PCAP[0] + record(A, captured=256 << 20),
        NG + block(6, bytes(80), length=256 << 20),
        NG + block(0xBAD, bytes(80), length=256 << 20),
    ):
        path.write_bytes(content)
        assert type(read_until_error(path)[1]) is CaptureCut
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("content", [b"".join(PCAP), b"".join(PCAPNG)], ids=["pcap", "pcapng"])
@given(data=st.data())
def test_damage_gives_frames_or_a_capture_error(tmp_path_factory, content, data):
    damaged = bytearray(content)
    places = st.integers(0, len(content) - 1)
    for at, value in data.draw(st.dictionaries(places, st.integers(0, 255), max_size=6)).items():
        damaged[at] = value
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(damaged)
    frames, error = read_until_error(path)
    assert [frame.number for frame in frames] == list(range(1, len(frames) + 1))
    assert sum(len(frame.data) for frame in frames) < len(content)
    if error is not None:
        assert str(error).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "frame, message",
    [
        (
            Frame(3, bytes(262_145), 60, 0),
            "frame 3 has 262145 captured bytes; .* holds 0 to 262144",
        ),
        (Frame(4, A, 2**32, 0), "frame 4 has 4294967296 bytes on the wire; .* 0 to 4294967295"),
        (Frame(5, A, -1, 0), "frame 5 has -1 bytes on the wire"),
        (Frame(6, A, 60, -1), "frame 6 has -1 seconds as its time"),
        (Frame(7, A, 60, 2**32 * 10**9), "frame 7 has 4294967296 seconds as its time"),
    ],
)
def test_write_pcap_refuses(tmp_path, frame, message):
    with pytest.raises(ValueError, match=message):
        write_pcap(tmp_path / "f", [Frame(1, A, 60, 0), frame])
    assert not (tmp_path / "f").exists()
