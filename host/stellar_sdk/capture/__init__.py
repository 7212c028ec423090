"""Capture files: frames out of pcap and pcapng, frames into pcap.

``read_capture`` reads classic pcap (both byte orders, µs and ns) and pcapng (any mix of sections,
byte orders, interfaces and packet blocks) and gives one `Frame` after the other, so a file of any
size is read in the memory of its largest frame. ``write_pcap`` writes frames as classic pcap, the
same bytes each time.

Why no library does this: docs/decisions/0003-capture-files.md.

Sources: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng, tcpdump.org/linktypes.html.
"""

from collections.abc import Iterator
from os import PathLike, fspath

from .base import CaptureCut, CaptureError, Frame, Source
from .pcap import MAGICS, read_pcap, write_pcap
from .pcapng import SECTION_HEADER, read_pcapng

__all__ = ["CaptureCut", "CaptureError", "Frame", "read_capture", "write_pcap"]

# What people hand to a capture reader by mistake, by the file's first bytes.
_FOREIGN = {
    b"\x1f\x8b": "is compressed by gzip; unpack it first (gunzip)",
    b"\x28\xb5\x2f\xfd": "is compressed by zstd; unpack it first (unzstd)",
    b"\xfd7zX": "is compressed by xz; unpack it first (unxz)",
    b"\x04\x22\x4d\x18": "is compressed by lz4; unpack it first (unlz4)",
    b"PK\x03\x04": "is a zip archive; unpack it first (unzip)",
    b"snoo": "is a snoop capture; convert it first (editcap -F pcap)",
    b"\xa1\xb2\xcd\x34": "is a modified pcap (Kuznetzov); convert it first (editcap -F pcap)",
    b"\x34\xcd\xb2\xa1": "is a modified pcap (Kuznetzov); convert it first (editcap -F pcap)",
}


def read_capture(path: str | PathLike) -> Iterator[Frame]:
    """Yield every frame of the Ethernet capture at ``path``, numbered from 1.

    Nothing is opened before the first frame is asked for. A frame's bytes are those of the file,
    an FCS included where the capture holds one.

    Errors
    ------
    OSError
        The file can't be opened or read.
    CaptureCut
        The file ends inside a packet (or a block, or a header); comes after every whole frame.
    CaptureError
        Not a capture, another link type than Ethernet, or a damaged file (whole frames before the
        damage have been given); says file, byte and value.
    """
    with open(path, "rb") as file:
        source = Source(file, fspath(path))
        magic = source.magic()
        if not magic:
            raise source.error("is empty; a pcap or pcapng file is needed")
        if magic == SECTION_HEADER:
            yield from read_pcapng(source, magic)
        elif magic in MAGICS:
            yield from read_pcap(source, magic)
        else:
            for start, what in _FOREIGN.items():
                if magic.startswith(start):
                    raise source.error(what)
            raise source.error(f"is no pcap or pcapng file: it begins with {magic.hex(' ')}")
