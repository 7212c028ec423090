"""FlowMatrix' update of a weight."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.congestion import ARGUMENT, BIAS, GAIN, KEEP, KEEP_MOST, QUEUE, SIGMA, WEIGHT

from ..memory import PipelinedMultiplier
from .delay import delayed
from .sigmoid import Sigmoid

__all__ = ["LAW_SETTINGS", "WeightLaw"]

LAW_SETTINGS = data.StructLayout(
    {"keep": KEEP.width, "gain": GAIN.width, "bias": signed(BIAS.width)}
)
"""``a``, ``b`` and ``g`` of the law."""
PART = 18
"""Bits of a multiplier's factor."""


class WeightLaw(wiring.Component):
    """W' = a * W + (1 - a) * sigma(b * Q + g), rounded as in docs/fixed-point.md.

    Parameters
    ----------
    technology : str
        ``generic`` (default) or ``ecp5``; the same in every cycle.

    Members
    -------
    settings : In(:data:`LAW_SETTINGS`)
        ``keep`` (a, U0.16), ``gain`` (b, U4.12), ``bias`` (g, S5.12); to change only while nothing
        is under way.  ``keep`` above 1 - 2^-6 counts as that.
    weight : In
        W, U0.24.
    queue : In
        Q, U12.4.
    rests : In(1)
        a counts as 0 for this update: W' is sigma(b * Q + g).
    renewed : Out
        W', of the weight and queue ``latency`` cycles ago.

    Timing
    ------
    Latency: ``latency`` cycles.  Throughput: one update in every cycle.
    Reset: none.

    Takes one block RAM and four multipliers.  Raises ``ValueError`` for an unknown technology.
    """

    def __init__(self, *, technology="generic"):
        self._gained = PipelinedMultiplier(technology=technology)
        self._sigmoid = Sigmoid(technology=technology)
        self._parts = [PipelinedMultiplier(technology=technology) for _ in range(2)]
        super().__init__(
            {
                "settings": In(LAW_SETTINGS),
                "weight": In(WEIGHT.width),
                "queue": In(QUEUE.width),
                "rests": In(1),
                "renewed": Out(WEIGHT.width),
            }
        )

    @property
    def latency(self):
        """Cycles: b * Q, two for the sum with g, sigma, way and its size, its share, three sums."""
        return self._until_sigma + 2 + self._parts[0].latency + 3

    @property
    def _until_sigma(self):
        return self._gained.latency + 2 + self._sigmoid.latency

    def elaborate(self, platform):
        m = Module()
        weight = delayed(m, self.weight, self._until_sigma, "weight")
        falls, share = self._share(m, self._target(m), weight)
        weight = delayed(m, weight, self.latency - self._until_sigma - 1, "kept")
        m.d.sync += self.renewed.eq(Mux(falls, weight - share, weight + share))
        return m

    def _target(self, m):
        """Sigma of b * Q + g, as a weight."""
        m.submodules.gained, m.submodules.sigmoid = gained, sigmoid = self._gained, self._sigmoid
        m.d.comb += [gained.a.eq(self.queue), gained.b.eq(self.settings.gain)]
        bias = self.settings.bias << ARGUMENT.fraction - BIAS.fraction
        total = Signal(signed(QUEUE.width + GAIN.width + 2), reset_less=True)
        argument = Signal(signed(ARGUMENT.width), reset_less=True)
        # It fits where all bits in front of the argument's highest are its sign.
        beyond = total[ARGUMENT.width - 1 :]
        end = Mux(total < 0, ARGUMENT.least, ARGUMENT.most)
        m.d.sync += [
            total.eq(gained.product + bias),
            argument.eq(Mux(beyond.any() & ~beyond.all(), end, total)),
        ]
        m.d.comb += sigmoid.x.eq(argument)
        return sigmoid.y << WEIGHT.fraction - SIGMA.fraction

    def _share(self, m, target, weight):
        """Whether the weight falls, and by how much: (1 - a) of the way to ``target``."""
        way = Signal(signed(WEIGHT.width + 1), reset_less=True)
        size = Signal(WEIGHT.width, reset_less=True)
        forgets = Signal(KEEP.fraction + 1, reset_less=True)
        one = 1 << KEEP.fraction
        rests = delayed(m, self.rests, self._until_sigma + 1, "rests")
        most = Mux(self.settings.keep > KEEP_MOST, KEEP_MOST, self.settings.keep)
        m.d.sync += [
            way.eq(target - weight),
            size.eq(Mux(way < 0, -way, way)),
            forgets.eq(Mux(rests, one, one - most)),
        ]
        products = []
        for number, (part, factor) in enumerate(
            zip((size[:PART], size[PART:]), self._parts, strict=True)
        ):
            m.submodules[f"part_{number}"] = factor
            m.d.comb += [factor.a.eq(part), factor.b.eq(forgets)]
            products.append(factor.product)
        # To the nearest step, halves away from zero.
        whole, share = (
            Signal(WEIGHT.width + KEEP.fraction + 1, reset_less=True),
            Signal(WEIGHT.width + 1, reset_less=True),
        )
        half = one >> 1
        m.d.sync += [
            whole.eq(products[0] + (products[1] << PART)),
            share.eq((whole + half) >> KEEP.fraction),
        ]
        falls = delayed(m, way < 0, self._parts[0].latency + 3, "falls")
        return falls, share
