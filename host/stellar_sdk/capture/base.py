"""What both capture formats share: the frame, the errors, and a reader that knows where it is."""

from dataclasses import dataclass
from typing import BinaryIO

__all__ = ["MAX_LENGTH", "CaptureCut", "CaptureError", "Frame", "Source"]

# No capture has a packet or a block of this size; a longer one is a damaged length field (bytes).
MAX_LENGTH = 256 << 20

# Reads are made in pieces of this size (bytes), so that a damaged length reserves no memory.
_PIECE = 1 << 20

_ETHERNET = 1
_LINK_TYPES = {  # the ones that people do capture; tcpdump.org/linktypes.html has all
    0: "BSD loopback",
    9: "PPP",
    50: "PPP over serial",
    51: "PPPoE",
    101: "raw IP",
    105: "IEEE 802.11",
    108: "OpenBSD loopback",
    113: "Linux cooked capture",
    127: "IEEE 802.11 with radiotap",
    189: "USB on Linux",
    192: "per-packet information",
    195: "IEEE 802.15.4",
    220: "USB on Linux, padded",
    228: "raw IPv4",
    229: "raw IPv6",
    239: "Linux netfilter log",
    247: "InfiniBand",
    276: "Linux cooked capture v2",
}


class CaptureError(Exception):
    """A file that can't be read as an Ethernet capture; the message is complete for a user."""


class CaptureCut(CaptureError):
    """The file ends inside a packet; every whole frame before has been given.

    Members
    -------
    frames : whole frames before the cut.
    offset : bytes in the file, that is where it ends.
    missing : bytes that are missing, at least: a header that was cut may have announced more.
    """

    def __init__(self, message: str, *, frames: int, offset: int, missing: int):
        super().__init__(message)
        self.frames = frames
        self.offset = offset
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Frame:
    """One captured frame.

    Members
    -------
    number : position in the file, from 1.
    data : the captured bytes; fewer than ``wire_length`` when the snap length cut the frame.
    wire_length : the length (bytes) that the file gives for the frame on the wire, unchanged: a
        few writers leave 0 there.
    timestamp_ns : nanoseconds since 1970-01-01 UTC; ``None`` where the file has no time.
    """

    number: int
    data: bytes
    wire_length: int
    timestamp_ns: int | None


class Source:
    """Reads a file front to back and words errors with file, frame and byte.

    Members
    -------
    offset : bytes read so far.
    frames : frames made so far.
    """

    def __init__(self, file: BinaryIO, name: str):
        self._file = file
        self._name = name
        self.offset = 0
        self.frames = 0

    def magic(self) -> bytes:
        """The file's first four bytes, fewer if it has no more."""
        data = self._file.read(4)
        self.offset += len(data)
        return data

    def read(self, size: int, what: str, *, last: bool = False, follows: int = 0) -> bytes:
        """Exactly ``size`` bytes of ``what``, or CaptureCut.

        ``last``: the file may end here, which gives no bytes. ``follows``: bytes that must come
        behind these, counted as missing too.
        """
        data = self._file.read(size) if size <= _PIECE else self._read_long(size)
        self.offset += len(data)
        if len(data) == size or (last and not data):
            return data
        missing = size - len(data) + follows
        raise CaptureCut(
            f"{self._name}: the file is cut: it ends at byte {self.offset} inside {what}, "
            f"at least {missing} bytes are missing (after {self.frames} whole frames)",
            frames=self.frames,
            offset=self.offset,
            missing=missing,
        )

    def _read_long(self, size: int) -> bytes:
        pieces = []
        while size and (piece := self._file.read(min(size, _PIECE))):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def frame(self, data: bytes, wire_length: int, timestamp_ns: int | None) -> Frame:
        """The next frame, numbered."""
        self.frames += 1
        return Frame(self.frames, data, wire_length, timestamp_ns)

    def error(self, text: str, offset: int | None = None) -> CaptureError:
        """An error about the file, or about the part that begins at byte ``offset``."""
        where = "" if offset is None else f"byte {offset} (after {self.frames} whole frames): "
        return CaptureError(f"{self._name}: {where}{text}")

    def check_ethernet(self, link_type: int, offset: int, what: str) -> None:
        """Raise unless ``link_type`` is Ethernet; ``what`` at byte ``offset`` says so."""
        if link_type != _ETHERNET:
            name = _LINK_TYPES.get(link_type, "see tcpdump.org/linktypes.html")
            raise self.error(
                f"{what} has link type {link_type} ({name}); only Ethernet ({_ETHERNET}) is read",
                offset,
            )
