"""The logistic function in fixed point, by pieces of straight lines."""

import math

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from stellar_spec.congestion import ARGUMENT, SEGMENTS, SIGMA

from ..memory import PipelinedMultiplier
from .delay import delayed

__all__ = ["Sigmoid"]

SIZE_BITS = ARGUMENT.width - 1
REST_BITS = SIZE_BITS - (SEGMENTS - 1).bit_length()
"""Bits of the argument inside a segment."""
ONE = 1 << SIGMA.fraction


def _nodes():
    """Sigma at the ends of all segments."""
    per_one = SEGMENTS * (1 << ARGUMENT.fraction) >> SIZE_BITS
    exact = (ONE / (1 + math.exp(-number / per_one)) for number in range(SEGMENTS + 1))
    return [min(math.floor(value + 0.5), ONE - 1) for value in exact]


class Sigmoid(wiring.Component):
    """``y`` = 1 / (1 + exp(-``x``)); what is added to it where is in docs/fixed-point.md.

    Parameters
    ----------
    technology : str
        ``generic`` (default) or ``ecp5``; the same in every cycle.

    Members
    -------
    x : In(signed)
        The argument, S5.16; its lowest value counts as the one above it.
    y : Out
        U0.18, of the argument ``latency`` cycles ago.  It never falls where ``x`` rises, and its
        error is at most 2^-15.

    Timing
    ------
    Latency: ``latency`` cycles.  Throughput: one in every cycle.
    Reset: none.

    Takes one block RAM and one multiplier.  Raises ``ValueError`` for an unknown technology.
    """

    def __init__(self, *, technology="generic"):
        self._multiplier = PipelinedMultiplier(technology=technology)
        super().__init__({"x": In(ARGUMENT.width), "y": Out(SIGMA.width)})

    @property
    def latency(self):
        """Cycles: the argument's size 1, the table 2, the product, two sums."""
        return 3 + self._multiplier.latency + 2

    def elaborate(self, platform):
        m = Module()
        negative, size = self.x[-1], Signal(SIZE_BITS, reset_less=True)
        low = Signal(SIZE_BITS)  # 0 for the lowest value, whose size has a bit more
        m.d.comb += low.eq(Mux(negative, -self.x, self.x))
        m.d.sync += size.eq(Mux(negative & (low == 0), ~0, low))
        base, rise = self._table(m, size[REST_BITS:])
        rest = delayed(m, size[:REST_BITS], 2, "rest")
        m.submodules.multiplier = multiplier = self._multiplier
        m.d.comb += [multiplier.a.eq(rise), multiplier.b.eq(rest)]
        base = delayed(m, base, multiplier.latency, "base")
        upper = Signal(SIGMA.width, reset_less=True)
        m.d.sync += upper.eq(base + (multiplier.product >> REST_BITS))
        below = delayed(m, negative, self.latency - 1, "below")
        m.d.sync += self.y.eq(Mux(below, -upper, upper))  # modulo 1
        return m

    def _table(self, m, segment):
        """Sigma where the segment begins, and how much it rises in it, two cycles later."""
        nodes = _nodes()
        rises = [after - before for before, after in zip(nodes, nodes[1:], strict=False)]
        bits = max(rises).bit_length()
        words = [node | rise << SIGMA.width for node, rise in zip(nodes, rises, strict=False)]
        m.submodules.table = table = Memory(
            shape=unsigned(SIGMA.width + bits), depth=SEGMENTS, init=words
        )
        port = table.read_port()
        word = Signal.like(port.data, name="word", reset_less=True)
        m.d.comb += port.addr.eq(segment)
        m.d.sync += word.eq(port.data)
        return word[: SIGMA.width], word[SIGMA.width :]
