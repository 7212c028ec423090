"""Stage 3 of the parser: CRC-32 over beats in which the bytes that it does not cover are zero.

Zeros in front of a message change nothing if the register is wound back by as many; so it is held
at the value that is all ones where the message begins.  Bytes behind the end are zeros too; how
many tells which residue a right check leaves.
"""

from functools import cache, reduce
from operator import xor

from amaranth.hdl import Array, Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .sharing import share

__all__ = ["MaskedCrc32", "advance", "residues", "retreat"]

_POLYNOMIAL = 0xEDB88320  # IEEE 802.3, clause 3.2.9, bit-reversed: first bit in bit 0
_ONES = 0xFFFFFFFF
_RESIDUE = 0xDEBB20E3  # left by a message and its check, before the final inversion


def advance(state: int, byte: int = 0) -> int:
    """The CRC register behind one more byte."""
    state ^= byte
    for _ in range(8):
        state = state >> 1 ^ (_POLYNOMIAL if state & 1 else 0)
    return state


def retreat(state: int, count: int = 1) -> int:
    """The CRC register in front of ``count`` zero bytes."""
    for _ in range(8 * count):
        state = (state ^ _POLYNOMIAL) << 1 | 1 if state >> 31 else state << 1
    return state


def residues(width: int) -> list[int]:
    """The register behind a right check and 0, 1, … ``width`` - 1 zero bytes."""
    row = [_RESIDUE]
    while len(row) < width:
        row.append(advance(row[-1]))
    return row


def _behind(state: int, row) -> int:
    """The CRC register behind the bytes ``row``."""
    return reduce(advance, row, state)


@cache
def _network(width: int):
    """The next register as sums modulo 2 of register, data and ``late``: see ``share``."""
    lag, zeros = min(4, width), bytes(width)
    columns = [_behind(1 << bit, zeros) for bit in range(32)]
    for bit in range(8 * width):
        columns.append(retreat(_behind(0, (1 << bit).to_bytes(width, "little")), lag))
    if width > 4:
        early, late = (retreat(_ONES, lane) for lane in (2, 6))
        columns.append(retreat(_behind(early ^ late, zeros), lag))
    return share(columns)


class MaskedCrc32(wiring.Component):
    """CRC-32 of the covered bytes of a frame.

    Parameters
    ----------
    width : int
        Bytes a beat.

    Members
    -------
    valid, data : In
        A beat; bytes that are not covered are zero.
    clear : In(1)
        No byte up to the end of this beat is covered, ``data`` may be anything.
        The first covered byte comes in lane 2 of one of the next beats, in lane 0 if a beat has
        less than four bytes.
    late : In(1), if ``width`` is 8
        The first covered byte comes in lane 6 of this beat, which follows one with ``clear``.
    pad : In(range(width))
        Zero bytes that followed the check's last byte, from a cycle before ``right`` is looked at.
    right : Out(1)
        The covered bytes ended in their right check, one cycle later.

    Timing: latency 1 cycle, a beat every cycle.

    The register lags: the last bytes of a beat, up to four, are in it, but it is advanced over them
    only in the next step.  So they are added to single bits of it, which takes fewer gates.
    """

    latency = 1

    def __init__(self, *, width: int):
        self._width = width
        late = {"late": In(1)} if width > 4 else {}
        super().__init__(
            {
                "valid": In(1),
                "clear": In(1),
                "data": In(8 * width),
                "pad": In(range(max(2, width))),
                "right": Out(1),
            }
            | late
        )

    def elaborate(self, platform):
        m = Module()
        width, lag = self._width, min(4, self._width)
        lane = 2 if width >= 4 else 0
        start = retreat(_ONES, lane + lag)
        state = Signal(32, reset_less=True, init=start)
        parts, columns = _network(width)
        terms = [*state, *self.data, *([self.late] if width > 4 else [])]
        for number, part in enumerate(parts):
            shared = Signal(name=f"part{number}")
            m.d.comb += shared.eq(reduce(xor, (terms[k] for k in part)))
            terms.append(shared)
        rows = [
            reduce(
                xor, (term for term, sums in zip(terms, columns, strict=True) if sums >> row & 1)
            )
            for row in range(32)
        ]
        with m.If(self.valid):
            m.d.sync += state.eq(Cat(*rows))
        with m.If(self.clear):
            m.d.sync += state.eq(start)
        right = [Const(retreat(residue, lag), 32) for residue in residues(width)]
        expected = Signal(32, reset_less=True)
        m.d.sync += expected.eq(Array(right)[self.pad])
        m.d.comb += self.right.eq(state == expected)
        return m
