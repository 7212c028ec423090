"""Classic pcap: a file header, then per packet a record header and the bytes.

Ref: draft-ietf-opsawg-pcap, section 4 (file header) and 5 (packet record).
"""

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from struct import Struct

from .base import MAX_LENGTH, Frame, Source

__all__ = ["MAGICS", "read_pcap", "write_pcap"]

_MICROSECONDS, _NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D
# The file's first bytes: byte order, and how many nanoseconds one count of the time's fraction is.
MAGICS = {
    magic.to_bytes(4, "little" if order == "<" else "big"): (order, scale)
    for magic, scale in ((_MICROSECONDS, 1000), (_NANOSECONDS, 1))
    for order in "<>"
}
_FILE_HEADER = "IHHiIII"  # magic, major, minor, reserved, reserved, snap length, link type
_RECORD_HEADER = "IIII"  # seconds, fraction, captured length, length on the wire
_VERSION = (2, 4)

# The longest Ethernet frame that libpcap, and so tcpdump and Wireshark, read from a file (bytes).
_SNAP_LENGTH = 262_144


def read_pcap(source: Source, magic: bytes) -> Iterator[Frame]:
    """Yield the frames of a classic pcap behind its ``magic``, which is one of ``MAGICS``."""
    order, scale = MAGICS[magic]
    header = magic + source.read(20, "the file header")
    _, major, minor, *_, network = Struct(order + _FILE_HEADER).unpack(header)
    if (major, minor) != _VERSION:
        raise source.error(
            f"has pcap version {major}.{minor}; version 2.4 is needed (editcap -F pcap converts)"
        )
    # Bits 16 and up may carry the length of the FCS: only the lower half is the link type.
    source.check_ethernet(network & 0xFFFF, 20, "the file")
    record = Struct(order + _RECORD_HEADER)
    while True:
        offset = source.offset
        what = f"the record header of frame {source.frames + 1}"
        head = source.read(record.size, what, last=True)
        if not head:
            return
        seconds, fraction, captured, wire = record.unpack(head)
        if captured > MAX_LENGTH:
            raise source.error(
                f"frame {source.frames + 1} has a captured length of {captured} bytes, "
                f"more than {MAX_LENGTH}: the file is damaged here",
                offset,
            )
        data = source.read(captured, f"the {captured} bytes of frame {source.frames + 1}")
        yield source.frame(data, wire, seconds * 1_000_000_000 + fraction * scale)


def write_pcap(path: str | PathLike, frames: Iterable[Frame], *, nanoseconds: bool = True) -> None:
    """Write ``frames`` as a little-endian Ethernet pcap; equal frames give equal bytes.

    A frame's ``number`` is not stored; a time of ``None`` is written as 0. ``nanoseconds=False``
    cuts the times down to whole microseconds, for old readers. A bad frame leaves no file.

    Errors
    ------
    ValueError
        A frame that the format can't hold: more than 262,144 bytes, a time outside 0 … 2³² seconds,
        a wire length outside 0 … 2³² − 1.
    OSError
        The file can't be written.
    """
    magic, scale = (_NANOSECONDS, 1) if nanoseconds else (_MICROSECONDS, 1000)
    parts = [Struct("<" + _FILE_HEADER).pack(magic, *_VERSION, 0, 0, _SNAP_LENGTH, 1)]
    record = Struct("<" + _RECORD_HEADER)
    for frame in frames:
        seconds, fraction = divmod(frame.timestamp_ns or 0, 1_000_000_000)
        _check(frame, len(frame.data), 0, _SNAP_LENGTH, "captured bytes")
        _check(frame, frame.wire_length, 0, 0xFFFF_FFFF, "bytes on the wire")
        _check(frame, seconds, 0, 0xFFFF_FFFF, "seconds as its time")
        parts.append(record.pack(seconds, fraction // scale, len(frame.data), frame.wire_length))
        parts.append(frame.data)
    Path(path).write_bytes(b"".join(parts))


def _check(frame: Frame, value: int, low: int, high: int, what: str) -> None:
    if not low <= value <= high:
        raise ValueError(
            f"frame {frame.number} has {value} {what}; a pcap file holds {low} to {high}"
        )
