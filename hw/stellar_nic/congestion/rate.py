"""From a weight to a rate, and from a rate to the time of a byte."""

from fractions import Fraction

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.congestion import (
    BYTE_BITS,
    EXPONENT,
    LEAST_EXPONENT,
    MANTISSA,
    RATE,
    SCALE,
    SEGMENTS,
    SHARE,
    TIME_FRACTION,
    WEIGHT,
)

from ..memory import PipelinedMultiplier
from .delay import delayed
from .pieces import StraightPieces

__all__ = ["BYTE_TIME", "RATE_SETTINGS", "ByteTime", "WeightRate"]

RATE_SETTINGS = data.StructLayout({"scale": SCALE.width, "least": RATE.width, "line": RATE.width})
"""``K``, ``R_min`` and ``R_line``."""
BYTE_TIME = data.StructLayout({"mantissa": MANTISSA.width, "exponent": EXPONENT.width})
"""The time of a byte is ``mantissa`` * 2^(19 - ``exponent``) steps of 2^-10 ns."""
PART = 18
REST_BITS = 9
"""Bits of a rate's fraction behind the number of a piece."""


class WeightRate(wiring.Component):
    """R = R_min + (R_line - R_min) * min((1 - W) * K, 1), rounded as in docs/fixed-point.md.

    Parameters
    ----------
    technology : str
        ``generic`` (default) or ``ecp5``; the same in every cycle.

    Members
    -------
    settings : In(:data:`RATE_SETTINGS`)
        ``scale`` (K, U6.12), ``least`` and ``line`` (R_min, R_line, 64 bit/s), the latter not the
        lower one; to change only while nothing is under way.
    weight : In
        W, U0.24.
    rate : Out
        R in 64 bit/s, of the weight ``latency`` cycles ago.

    Timing
    ------
    Latency: ``latency`` cycles.  Throughput: one in every cycle.
    Reset: none.

    Takes three multipliers.  Raises ``ValueError`` for an unknown technology.
    """

    def __init__(self, *, technology="generic"):
        self._scaled = PipelinedMultiplier(technology=technology)
        self._parts = [PipelinedMultiplier(technology=technology) for _ in range(2)]
        super().__init__(
            {"settings": In(RATE_SETTINGS), "weight": In(WEIGHT.width), "rate": Out(RATE.width)}
        )

    @property
    def latency(self):
        """Cycles: 1 - W, times K, its end, times the span, two sums."""
        return 1 + self._scaled.latency + 1 + self._parts[0].latency + 2

    def elaborate(self, platform):
        m = Module()
        settings = self.settings
        share, whole = self._share(m)
        span = Signal(RATE.width, reset_less=True)
        m.d.sync += span.eq(settings.line - settings.least)
        products = []
        for number, part in enumerate((span[:PART], span[PART:])):
            factor = m.submodules[f"part_{number}"] = self._parts[number]
            m.d.comb += [factor.a.eq(part), factor.b.eq(share)]
            products.append(factor.product)
        whole = delayed(m, whole, self._parts[0].latency, "whole")
        above = Signal(RATE.width, reset_less=True)
        sum_of_parts = (products[0] >> SHARE.fraction) + products[1]
        m.d.sync += [
            above.eq(Mux(whole, span, sum_of_parts)),
            self.rate.eq(settings.least + above),
        ]
        return m

    def _share(self, m):
        """(1 - W) * K below 1, and whether it is 1."""
        m.submodules.scaled = scaled = self._scaled
        dropped = WEIGHT.fraction - SHARE.fraction
        left = Signal(PART, reset_less=True)
        exact = Signal(WEIGHT.width + 1)
        m.d.comb += exact.eq((1 << WEIGHT.fraction) - self.weight)
        m.d.sync += left.eq(Mux(exact[-1], ~0, exact >> dropped))
        m.d.comb += [scaled.a.eq(left), scaled.b.eq(self.settings.scale)]
        share = Signal(PART, reset_less=True)
        whole = Signal(reset_less=True)
        product = scaled.product >> SCALE.fraction
        m.d.sync += [share.eq(product), whole.eq((product >> SHARE.fraction) != 0)]
        return share, whole


def _nodes():
    """M where the pieces begin: the time of a byte at rates of 2^n, …, 2^(n + 1)."""
    byte = 8 * 10**9 * Fraction(2) ** (TIME_FRACTION + RATE.fraction + MANTISSA.fraction)
    ends = (byte / 2**BYTE_BITS * SEGMENTS / (SEGMENTS + n) for n in range(SEGMENTS + 1))
    return [int(end + Fraction(1, 2)) for end in ends]


class ByteTime(wiring.Component):
    """The time of a byte at a rate, rounded as in docs/fixed-point.md.

    Parameters
    ----------
    technology : str
        ``generic`` (default) or ``ecp5``; the same in every cycle.

    Members
    -------
    rate : In
        R in 64 bit/s; one below 2^13 counts as that.
    time : Out(:data:`BYTE_TIME`)
        Of the rate ``latency`` cycles ago.

    Timing
    ------
    Latency: ``latency`` cycles.  Throughput: one in every cycle.
    Reset: none.

    Takes one block RAM and one multiplier.  Raises ``ValueError`` for an unknown technology.
    """

    def __init__(self, *, technology="generic"):
        self._pieces = StraightPieces(nodes=_nodes(), rest_bits=REST_BITS, technology=technology)
        super().__init__({"rate": In(RATE.width), "time": Out(BYTE_TIME)})

    @property
    def latency(self):
        """Cycles: the least rate, the highest bit's place, the curve."""
        return 1 + len(self._STEPS) + self._pieces.latency

    _STEPS = (16, 8, 4, 2, 1)
    """Places by which the rate may move in each cycle, until its highest bit is the first."""

    def elaborate(self, platform):
        m = Module()
        m.submodules.pieces = pieces = self._pieces
        value = Signal(RATE.width, reset_less=True)
        least = 1 << LEAST_EXPONENT
        m.d.sync += value.eq(Mux(self.rate[LEAST_EXPONENT:].any(), self.rate, least))
        moved = Const(0, 0)
        for step in self._STEPS:
            kept = Signal(RATE.width, name=f"moved_{step}", reset_less=True)
            by = Signal(len(moved) + 1, name=f"by_{step}", reset_less=True)
            empty = ~value[-step:].any()
            m.d.sync += [kept.eq(Mux(empty, value << step, value)), by.eq(Cat(empty, moved))]
            value, moved = kept, by
        fraction = len(pieces.x)
        m.d.comb += pieces.x.eq(value[-1 - fraction : -1])
        exponent = Signal(EXPONENT.width)
        m.d.comb += exponent.eq(RATE.width - 1 - moved)
        m.d.comb += [
            self.time.mantissa.eq(pieces.y),
            self.time.exponent.eq(delayed(m, exponent, pieces.latency, "exponent")),
        ]
        return m
