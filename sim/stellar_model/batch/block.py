"""Frames laid one behind the other, and reads of many places in them at once."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from stellar_spec.fields import Header

__all__ = ["Block"]

_TAIL = bytes(8)  # a read of the widest word at the last byte stays inside
_BYTE = 8  # bits
_UNTYPED = 64  # bits from which on a value needs an unsigned type


class Block:
    """The bytes of some frames, each from an even place on, so that 16-bit sums need no shifts.

    Places are indices into ``bytes``; frame ``i`` has ``lengths[i]`` bytes from ``starts[i]`` on.
    ``data``, of an even number of bytes, has at least 8 behind the last frame.  What is written to
    ``data`` later does not reach the sums: make another block.
    """

    def __init__(self, data: bytes | bytearray, starts: np.ndarray, lengths: np.ndarray):
        self.starts, self.lengths = starts, lengths
        self.bytes = np.frombuffer(data, np.uint8)
        self._words = {
            size: np.ndarray(len(data) - size + 1, f">u{size}", data, strides=(1,))
            for size in (1, 2, 4, 8)
        }
        halves = np.frombuffer(data, ">u2")
        self._sums = np.zeros(len(halves) + 1, np.int64)
        np.cumsum(halves, dtype=np.int64, out=self._sums[1:])

    @classmethod
    def of(cls, frames: Sequence[bytes]) -> "Block":
        """A block of ``frames``."""
        lengths = np.fromiter(map(len, frames), np.int64, len(frames))
        room = lengths + (lengths & 1)
        even = [frame if len(frame) % 2 == 0 else frame + b"\0" for frame in frames]
        return cls(b"".join([*even, _TAIL]), np.cumsum(room) - room, lengths)

    def read(self, header: Header, name: str, places: np.ndarray) -> np.ndarray:
        """The field ``name`` of at most 64 bits, in headers that begin at ``places``.

        ``int64``; ``uint64`` for a field of 64 bits.
        """
        return self._bits(places, *_where(header, name))

    def halves(self, header: Header, name: str, places: np.ndarray) -> np.ndarray:
        """A field of 128 bits as two columns of ``uint64``, the high half first."""
        bit, width = _where(header, name)
        halves = (self._bits(places, at, width // 2) for at in (bit, bit + width // 2))
        return np.stack(list(halves), axis=1)

    def byte(self, places: np.ndarray) -> np.ndarray:
        """The bytes at ``places``, as ``int64``."""
        return self.bytes[places].astype(np.int64)

    def _bits(self, places: np.ndarray, bit: int, width: int) -> np.ndarray:
        at, lead = divmod(bit, _BYTE)
        size = next(size for size in (1, 2, 4, 8) if _BYTE * size >= lead + width)
        words = self._words[size][places + at]
        if width == _UNTYPED:
            return words.astype(np.uint64)
        behind, mask = _BYTE * size - lead - width, (1 << width) - 1
        if size == 8:
            words = words.astype(np.uint64)
            return (words >> behind & mask).view(np.int64)
        words = words.astype(np.int64)
        return words >> behind & mask if behind or lead else words

    def sums(self, first: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Sums of the 16-bit words from ``first`` (even) to in front of ``end``, not folded.

        An odd last byte gets a zero behind it.
        """
        sums = self._sums[end >> 1] - self._sums[first >> 1]
        return sums + np.where(end & 1, self.byte(np.maximum(end - 1, 0)) << _BYTE, 0)

    def contains(self, first: np.ndarray, end: np.ndarray, values: Sequence[int]) -> np.ndarray:
        """Whether any byte from ``first`` to in front of ``end`` is one of ``values``."""
        found = np.zeros(len(first), bool)
        places, owners = ranges(first, end)
        found[owners[np.isin(self.bytes[places], values)]] = True
        return found

    def masked(self, parts: Sequence[tuple[np.ndarray, np.ndarray]]) -> memoryview:
        """A copy of all bytes with zeros in each range from ``first`` to in front of ``end``."""
        copy = self.bytes.copy()
        for first, end in parts:
            copy[ranges(first, end)[0]] = 0
        return memoryview(copy)


def ranges(first: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All places of the ranges one after the other, and for each the number of its range."""
    sizes = np.maximum(end - first, 0)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    before = np.cumsum(sizes) - sizes
    return np.arange(len(owners)) + (first - before)[owners], owners


@cache
def _where(header: Header, name: str) -> tuple[int, int]:
    return header.offset(name), header[name].width
