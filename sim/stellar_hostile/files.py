"""What is written: the frames as a pcap, and beside it an index of what each frame is."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from struct import Struct

from .frame import Hostile

__all__ = ["LONGEST", "index_lines", "write_index", "write_pcap"]

LONGEST = 262_144
"""Bytes of the longest frame that libpcap reads from a file."""

_FILE = Struct("<IHHiIII")  # magic, major, minor, reserved, reserved, snap length, link type
_RECORD = Struct("<IIII")  # seconds, microseconds, captured length, length on the wire
_MAGIC, _ETHERNET = 0xA1B2C3D4, 1


def write_pcap(path: Path, frames: Iterable[Hostile]) -> int:
    """Write ``frames`` as a little-endian Ethernet pcap; returns how many.

    Frame i (from 0) has the time i µs: equal frames give equal bytes.  Raises ``OSError``.
    Source: draft-ietf-opsawg-pcap, sections 4 and 5.
    """
    parts = [_FILE.pack(_MAGIC, 2, 4, 0, 0, LONGEST, _ETHERNET)]
    for place, frame in enumerate(frames):
        size = len(frame.data)
        if size > LONGEST:
            raise ValueError(f"{frame.name} has {size} bytes; a pcap file holds {LONGEST}")
        parts += _RECORD.pack(*divmod(place, 1_000_000), size, size), frame.data
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(parts))
    return len(parts) // 2


def index_lines(frames: Iterable[Hostile]) -> Iterator[str]:
    """One JSON object for each frame, in their order; ``frame`` counts from 1 as Wireshark does."""
    for place, frame in enumerate(frames, 1):
        row = {
            "frame": place,
            "name": frame.name,
            "family": frame.family,
            "length": len(frame.data),
            "error": frame.error,
            "settings": dict(frame.settings),
            "note": frame.note,
        }
        yield json.dumps(row)


def write_index(path: Path, frames: Iterable[Hostile]) -> None:
    """Write the index as JSON lines.  Raises ``OSError``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in index_lines(frames)), encoding="utf-8")
