"""Stage 3 of the parser: CRC-32 over beats in which some bytes are taken as zero.

The CRC starts at zero instead of all ones, and the first four bytes that it covers are inverted:
that is the same, and zeros in front of them change nothing.  Bytes behind the end are fed as
zeros too; how many tells which residue a right check leaves.
"""

from functools import reduce
from operator import xor

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["MaskedCrc32", "advance", "residues"]

_POLYNOMIAL = 0xEDB88320  # IEEE 802.3, clause 3.2.9, bit-reversed: first bit in bit 0
_RESIDUE = 0xDEBB20E3  # left by a message and its check, before the final inversion


def advance(state: int, byte: int = 0) -> int:
    """The CRC register behind one more byte."""
    state ^= byte
    for _ in range(8):
        state = state >> 1 ^ (_POLYNOMIAL if state & 1 else 0)
    return state


def residues(width: int) -> list[int]:
    """The register behind a right check and 0, 1, … ``width`` - 1 zero bytes."""
    row = [_RESIDUE]
    while len(row) < width:
        row.append(advance(row[-1]))
    return row


def _matrix(width: int) -> list[int]:
    """For each bit of the next register the bits of register (low) and data (above) it sums."""
    rows = [0] * 32
    for bit in range(32 + 8 * width):
        state = 1 << bit if bit < 32 else 0
        word = 0 if bit < 32 else 1 << (bit - 32)
        for lane in range(width):
            state = advance(state, word >> 8 * lane & 0xFF)
        for row in range(32):
            rows[row] |= (state >> row & 1) << bit
    return rows


class MaskedCrc32(wiring.Component):
    """CRC-32 of the covered bytes of a frame.

    Parameters
    ----------
    width : int
        Bytes a beat.

    Members
    -------
    valid, first, data, mask, invert : In
        A beat: bytes outside ``mask`` are taken as zero; those of ``invert`` that are inside it
        are inverted.
    pad : In(range(width))
        Zero bytes that followed the check's last byte, when ``right`` is looked at.
    right : Out(1)
        The covered bytes ended in their right check, one cycle later.

    Timing: latency 1 cycle, a beat every cycle.
    """

    latency = 1

    def __init__(self, *, width: int):
        self._width = width
        super().__init__(
            {
                "valid": In(1),
                "first": In(1),
                "data": In(8 * width),
                "mask": In(width),
                "invert": In(width),
                "pad": In(range(max(2, width))),
                "right": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        state = Signal(32)
        covered = Cat(
            (self.data.word_select(lane, 8) ^ self.invert[lane].replicate(8))
            & self.mask[lane].replicate(8)
            for lane in range(self._width)
        )
        inputs = Signal(32 + 8 * self._width)
        m.d.comb += inputs.eq(Cat(Mux(self.first, 0, state), covered))
        step = [
            reduce(xor, (inputs[bit] for bit in range(len(inputs)) if row >> bit & 1))
            for row in _matrix(self._width)
        ]
        with m.If(self.valid):
            m.d.sync += state.eq(Cat(*step))
        right = [Const(residue, 32) for residue in residues(self._width)]
        m.d.comb += self.right.eq(state == Array(right)[self.pad])
        return m
