"""FlowMatrix for many flows: weights that follow queues, and the meters that they pace."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from stellar_spec.congestion import QUEUE, TIME, WEIGHT

from ..memory import OutputRAM, check_technology
from ..params import check_int, check_power_of_two
from .delay import delayed
from .law import LAW_SETTINGS, WeightLaw
from .meter import FlowMeter
from .rate import RATE_SETTINGS, ByteTime, WeightRate

__all__ = ["LIMITER_SETTINGS", "FlowLimiter"]

LIMITER_SETTINGS = data.StructLayout(
    {"law": LAW_SETTINGS, "rate": RATE_SETTINGS, "burst": TIME.width}
)
"""Of the law, of rates, and the meters' tolerance."""
READ = 2
"""Cycles from a memory's address to its word."""


class FlowLimiter(wiring.Component):
    """Decides whether a packet is within its flow's rate, which follows the flow's queue.

    A round goes over all flows: each weight is renewed from the flow's queue, its rate and the time
    of a byte follow, and the flow's meter is paced with it.

    Parameters
    ----------
    flows : int
        A power of two, from 2 to 65,536.
    update_every : int
        Cycles from the update of one flow to that of the next; a round must take more cycles than
        an update.
    sweep_every, technology
        As of :class:`FlowMeter`.

    Members
    -------
    request, result, now
        As of :class:`FlowMeter`.
    queue : In(struct)
        ``write``: Q of ``flow`` is ``length`` (U12.4) from now on, for updates that begin in a
        later cycle.
    settings : In(:data:`LIMITER_SETTINGS`)
        docs/fixed-point.md has units and ranges.
    restart : In(1)
        For a cycle: in the next whole round all weights become sigma(g), as without queues.

    Timing
    ------
    Latency: of a packet as of :class:`FlowMeter`; a rate counts ``update_latency`` cycles behind
    the update's beginning.
    Throughput: a packet in every cycle, but one in ``sweep_every``.
    Reset: weights become sigma(g), as by ``restart``.

    Raises ``TypeError`` or ``ValueError`` for a parameter that is out of its range.
    """

    def __init__(self, *, flows, update_every=2, sweep_every=1 << 16, technology="generic"):
        self._flows = check_power_of_two("flows", flows, low=2)
        self._technology = check_technology(technology)
        self._meter = FlowMeter(flows=flows, sweep_every=sweep_every, technology=technology)
        self._law = WeightLaw(technology=technology)
        self._rate = WeightRate(technology=technology)
        self._time = ByteTime(technology=technology)
        least = -(-self.update_latency // flows)
        self._update_every = check_int("update_every", update_every, low=least, high=1 << 16)
        meter = self._meter.signature.members
        flow = (flows - 1).bit_length()
        super().__init__(
            {
                "request": meter["request"],
                "result": meter["result"],
                "now": In(TIME.width),
                "queue": In(data.StructLayout({"write": 1, "flow": flow, "length": QUEUE.width})),
                "settings": In(LIMITER_SETTINGS),
                "restart": In(1),
            }
        )

    @property
    def latency(self):
        """Cycles from a request to its result."""
        return self._meter.latency

    @property
    def sampled(self):
        """Cycles from a request to the cycle whose ``now`` counts for it."""
        return self._meter.sampled

    @property
    def update_latency(self):
        """Cycles from an update's beginning to the one from which requests have the new rate."""
        return READ + self._law.latency + self._rate.latency + self._time.latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.meter = meter = self._meter
        wiring.connect(m, wiring.flipped(self.request), meter.request)
        m.d.comb += [
            self.result.valid.eq(meter.result.valid),
            self.result.payload.eq(meter.result.payload),
            meter.now.eq(self.now),
            meter.burst.eq(self.settings.burst),
        ]
        begins, flow, rests = self._round(m)
        self._update(m, begins, flow, rests)
        return m

    def _round(self, m):
        """Whether an update begins, of which flow, and whether its weight is to rest."""
        wait = Signal(range(self._update_every))
        flow = Signal(range(self._flows))
        begins = Signal()
        wanted = Signal()  # a round in which weights rest
        rests = Signal(init=1)
        m.d.comb += begins.eq(wait == self._update_every - 1)
        m.d.sync += wait.eq(Mux(begins, 0, wait + 1))
        with m.If(begins):
            m.d.sync += flow.eq(flow + 1)
            with m.If(flow == self._flows - 1):
                m.d.sync += [rests.eq(wanted), wanted.eq(0)]
        with m.If(self.restart):
            m.d.sync += wanted.eq(1)
        return begins, flow, rests

    def _update(self, m, begins, flow, rests):
        """Weight, rate, time of a byte, one behind the other."""
        m.submodules.law, m.submodules.rate, m.submodules.time = law, rate, time = (
            self._law,
            self._rate,
            self._time,
        )
        weights = self._ram(m, "weights", WEIGHT.width, flow)
        queues = self._ram(m, "queues", QUEUE.width, flow)
        rest = delayed(m, rests, READ, "rest")
        renewed = READ + law.latency
        writes = self._valid(m, begins, renewed)
        written = delayed(m, flow, renewed, "flow")
        m.d.comb += [
            queues.write_enable.eq(self.queue.write),
            queues.write_address.eq(self.queue.flow),
            queues.write_data.eq(self.queue.length),
            law.settings.eq(self.settings.law),
            law.weight.eq(weights.read_data),
            law.queue.eq(Mux(rest, 0, queues.read_data)),
            law.rests.eq(rest),
            weights.write_enable.eq(writes[-1]),
            weights.write_address.eq(written),
            weights.write_data.eq(law.renewed),
            rate.settings.eq(self.settings.rate),
            rate.weight.eq(law.renewed),
            time.rate.eq(rate.rate),
        ]
        further = rate.latency + time.latency
        m.d.comb += [
            self._meter.pace.write.eq(self._valid(m, writes[-1], further, "paces")[-1]),
            self._meter.pace.flow.eq(delayed(m, written, further, "paced")),
            self._meter.pace.time.eq(time.time),
        ]

    def _ram(self, m, name, width, address):
        ram = OutputRAM(width=width, depth=self._flows, technology=self._technology)
        m.submodules[name] = ram
        m.d.comb += ram.read_address.eq(address)
        return ram

    @staticmethod
    def _valid(m, begins, cycles, name="renews"):
        """Whether there is an update under way, by cycles since it began."""
        under_way = Signal(cycles, name=name)
        m.d.sync += under_way.eq(under_way << 1 | begins)
        return under_way
