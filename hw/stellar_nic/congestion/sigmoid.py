"""The logistic function in fixed point."""

import math

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.congestion import ARGUMENT, SEGMENTS, SIGMA

from .delay import delayed
from .pieces import StraightPieces

__all__ = ["Sigmoid"]

SIZE_BITS = ARGUMENT.width - 1
REST_BITS = SIZE_BITS - (SEGMENTS - 1).bit_length()
"""Bits of the argument inside a segment."""


def _nodes():
    """Sigma at the ends of all segments."""
    per_one = SEGMENTS * (1 << ARGUMENT.fraction) >> SIZE_BITS
    one = 1 << SIGMA.fraction
    exact = (one / (1 + math.exp(-number / per_one)) for number in range(SEGMENTS + 1))
    return [min(math.floor(value + 0.5), SIGMA.most) for value in exact]


class Sigmoid(wiring.Component):
    """``y`` = 1 / (1 + exp(-``x``)), rounded as in docs/fixed-point.md.

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
        self._pieces = StraightPieces(nodes=_nodes(), rest_bits=REST_BITS, technology=technology)
        super().__init__({"x": In(ARGUMENT.width), "y": Out(SIGMA.width)})

    @property
    def latency(self):
        """Cycles: the argument's size, its curve, the sign."""
        return 1 + self._pieces.latency + 1

    def elaborate(self, platform):
        m = Module()
        m.submodules.pieces = pieces = self._pieces
        negative = self.x[-1]
        low = Signal(SIZE_BITS)  # 0 for the lowest value, whose size has a bit more
        size = Signal(SIZE_BITS, reset_less=True)
        m.d.comb += [low.eq(Mux(negative, -self.x, self.x)), pieces.x.eq(size)]
        below = delayed(m, negative, self.latency - 1, "below")
        m.d.sync += [
            size.eq(Mux(negative & (low == 0), ~0, low)),
            self.y.eq(Mux(below, -pieces.y, pieces.y)),  # modulo 1
        ]
        return m
