# Ref: ITU-T I.371, the generic cell rate algorithm as virtual scheduling
"""Whether a packet is within its flow's rate, one in every cycle."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.congestion import (
    BYTE_BITS,
    EXPONENT,
    LEAST_EXPONENT,
    MANTISSA,
    RATE,
    TIME,
    WIRE_BYTES,
)

from ..memory import OutputRAM, PipelinedMultiplier, check_technology
from ..params import check_int, check_power_of_two
from .delay import delayed
from .rate import BYTE_TIME
from .schedule import DECISION, VirtualSchedule

__all__ = ["DECISION", "FlowMeter"]

PACE, PRODUCT, MOVED = 2, 3, 3
MEET = PACE + PRODUCT + MOVED
"""Cycles from the request to that in which its time is there: M and n, the product, its place."""
HIGHEST = RATE.width - 1
"""The highest exponent of a byte's time."""
POINT = HIGHEST + MANTISSA.fraction - BYTE_BITS
"""Bits behind the point of a packet's time that has this exponent."""


class FlowMeter(wiring.Component):
    """Virtual scheduling: each flow has a time at which its packets so far would have been sent.

    A packet conforms if that time is at most ``burst`` ahead; then it moves on by the packet's own
    time, from now if it is over.  docs/fixed-point.md has the contract.

    Parameters
    ----------
    flows : int
        A power of two, from 2 to 65,536.
    sweep_every : int
        Cycles from one flow to the next that is looked at for a time that is over.
    technology : str
        ``generic`` (default) or ``ecp5``; the same in every cycle.

    Members
    -------
    request : In(stream)
        ``flow`` and ``size``, the packet's bytes on the wire.
    result : Out(valid, payload :data:`DECISION`)
        Its decision, ``latency`` cycles behind the request's transfer; there is no back-pressure.
    pace : In(struct)
        ``write``: a byte of ``flow`` takes ``time`` (:data:`BYTE_TIME`), for packets that are
        requested from this cycle on.
    now, burst : In(TIME.width)
        The time, and the tolerance; ``burst`` may change at any time.

    Timing
    ------
    Latency: ``latency`` cycles.  A packet is judged by ``now`` of ``sampled`` cycles behind its
    request's transfer.
    Throughput: one request in every cycle, of any flows, but one in ``sweep_every``.
    Reset: nothing is under way; flows keep their times.

    Raises ``TypeError`` or ``ValueError`` for a parameter that is out of its range.
    """

    def __init__(self, *, flows, sweep_every=1 << 16, technology="generic"):
        self._flows = check_power_of_two("flows", flows, low=2)
        check_int("flows", flows, low=2, high=1 << 16)
        self._sweep_every = check_int("sweep_every", sweep_every, low=2, high=1 << 24)
        self._technology = check_technology(technology)
        self._schedule = VirtualSchedule(flows=flows, technology=technology, meet=MEET)
        flow = (flows - 1).bit_length()
        request = data.StructLayout({"flow": flow, "size": WIRE_BYTES})
        pace = data.StructLayout({"write": 1, "flow": flow, "time": BYTE_TIME})
        super().__init__(
            {
                "request": In(stream.Signature(request)),
                "result": Out(wiring.Signature({"valid": Out(1), "payload": Out(DECISION)})),
                "pace": In(pace),
                "now": In(TIME.width),
                "burst": In(TIME.width),
            }
        )

    @property
    def latency(self):
        """Cycles from a request to its result."""
        return self._schedule.latency

    @property
    def sampled(self):
        """Cycles from a request to the cycle whose ``now`` counts for it."""
        return MEET - 1

    def elaborate(self, platform):
        m = Module()
        at = self._pipeline(m)
        time = self._packet_time(m, at)
        told, decision = self._schedule.add(m, at, time, self.now, self.burst)
        m.d.comb += [self.result.valid.eq(told), self.result.payload.eq(decision)]
        return m

    def _pipeline(self, m):
        """What goes along: a packet, or a flow to be swept, by cycles since it entered."""
        wait = Signal(range(self._sweep_every))
        swept = Signal(len(self.request.payload.flow))
        sweeps = Signal()
        m.d.comb += self.request.ready.eq(~sweeps)
        m.d.sync += [wait.eq(wait + 1), sweeps.eq(0)]
        with m.If(wait == self._sweep_every - 1):
            m.d.sync += [wait.eq(0), sweeps.eq(1), swept.eq(swept + 1)]
        packet = self.request.valid & ~sweeps
        flow = Mux(sweeps, swept, self.request.payload.flow)
        stages = [{"packet": packet, "sweep": sweeps, "flow": flow}]
        for stage in range(1, self._schedule.stages):
            before, now = stages[-1], {}
            for name, value in before.items():
                bits = name == "flow"
                now[name] = Signal(
                    len(flow) if bits else 1, name=f"{name}_{stage}", reset_less=bits
                )
                m.d.sync += now[name].eq(value)
            stages.append(now)
        return stages

    def _packet_time(self, m, at):
        """How long the packet takes at its flow's rate, in the cycle before it is decided."""
        m.submodules.paces = paces = OutputRAM(
            width=BYTE_TIME.size, depth=self._flows, technology=self._technology
        )
        m.submodules.product = product = PipelinedMultiplier(technology=self._technology)
        # What the memory gives of the flow that is written to in this cycle is not specified.
        meets = self.pace.write & (self.pace.flow == at[0]["flow"])
        meets = delayed(m, meets, PACE, "meets")
        newest = delayed(m, self.pace.time.as_value(), PACE, "newest")
        pace = data.View(BYTE_TIME, Mux(meets, newest, paces.read_data))
        m.d.comb += [
            paces.write_enable.eq(self.pace.write),
            paces.write_address.eq(self.pace.flow),
            paces.write_data.eq(self.pace.time.as_value()),
            paces.read_address.eq(at[0]["flow"]),
            product.a.eq(delayed(m, self.request.payload.size, PACE, "size")),
            product.b.eq(pace.mantissa),
        ]
        exponent = delayed(m, pace.exponent, PRODUCT, "exponent")
        # Moved to the left of where the highest exponent has it, by eights first.
        coarse = Signal(len(product.product) + HIGHEST - LEAST_EXPONENT, reset_less=True)
        fine = Signal(TIME.width, reset_less=True)
        left = Signal(EXPONENT.width)
        m.d.comb += left.eq(HIGHEST - exponent)
        rest = Signal(3, reset_less=True)
        shifted = Signal(len(coarse) + 7, reset_less=True)
        rounded = Signal(len(shifted) + 1)
        m.d.sync += [
            coarse.eq(product.product << Cat(Const(0, 3), left[3:])),
            rest.eq(left[:3]),
        ]
        m.d.sync += shifted.eq(coarse << rest)
        m.d.comb += rounded.eq(shifted + (1 << POINT - 1))
        m.d.sync += fine.eq(rounded >> POINT)
        return fine
