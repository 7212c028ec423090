# amaranth: UnusedElaboratable=no
"""The scenarios are judged: each fault of a parser must end the one that looks for it.

One component has all faults, and a switch that chooses; so one simulation serves all.
"""

from enum import IntEnum

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from stellar_bench.parse import scenarios
from stellar_bench.parse.amaranth import AmaranthEnvironment
from stellar_bench.results import TestResult
from stellar_bench.scoreboard import Mismatch
from stellar_nic.parse import Parser
from stellar_nic.stream import RegisterSlice


class Fault(IntEnum):
    """What is wrong."""

    NONE = 0
    LATE_HEADER = 1
    LATE_TRAILER = 2
    BUBBLE = 3
    DEPENDENT_HEADER = 4
    BLOCKING_HEADER = 5
    STALE_TRAILER = 6


class FaultyParser(wiring.Component):
    """A parser with the ``fault`` that a test sets."""

    width, latency = 8, 4

    def __init__(self):
        self.fault = Signal(Fault)
        super().__init__(dict(Parser(width=self.width).signature.members.items()))

    def elaborate(self, platform):
        m = Module()
        m.submodules.parser = parser = Parser(width=self.width)
        connect(m, parser.o, flipped(self.o))
        m.d.comb += [
            parser.settings.eq(self.settings),
            parser.i.payload.eq(self.i.payload),
        ]
        self._delay(m, "header", parser.header, Fault.LATE_HEADER, self._released(m, parser))
        self._delay(m, "trailer", parser.trailer, Fault.LATE_TRAILER, 1)
        self._input(m, parser)
        self._stale(m)
        return m

    def _delay(self, m, name, source, fault, shown):
        """Puts a slice, and thus a cycle, between ``source`` and the output; ``shown`` masks it."""
        late = RegisterSlice(shape=source.payload.shape())
        m.submodules[f"late_{name}"] = late
        target = getattr(self, name)
        m.d.comb += late.i.payload.eq(source.payload)
        with m.If(self.fault == fault):
            m.d.comb += [
                late.i.valid.eq(source.valid),
                source.ready.eq(late.i.ready),
                target.payload.eq(late.o.payload),
                target.valid.eq(late.o.valid),
                late.o.ready.eq(target.ready),
            ]
        with m.Else():
            m.d.comb += [
                target.payload.eq(source.payload),
                target.valid.eq(source.valid & shown),
                source.ready.eq(target.ready & shown),
            ]

    def _released(self, m, parser):
        """Low until a beat is accepted while the header record waits: it depends on a later one."""
        released = Signal()
        with m.If(parser.header.valid & parser.header.ready):
            m.d.sync += released.eq(0)
        with m.Elif(parser.header.valid & parser.i.valid & parser.i.ready):
            m.d.sync += released.eq(1)
        return released | (self.fault != Fault.DEPENDENT_HEADER)

    def _input(self, m, parser):
        count, stop = Signal(6), Signal()
        m.d.sync += count.eq(count + 1)
        with m.Switch(self.fault):
            with m.Case(Fault.BUBBLE):
                m.d.comb += stop.eq(count == 0)
            with m.Case(Fault.BLOCKING_HEADER):
                m.d.comb += stop.eq(parser.header.valid)
        m.d.comb += [
            parser.i.valid.eq(self.i.valid & ~stop),
            self.i.ready.eq(parser.i.ready & ~stop),
        ]

    def _stale(self, m):
        """What was inside a packet at the reset spoils the trailer behind it."""
        accepted = self.i.valid & self.i.ready
        inside, fresh, spoilt = Signal(reset_less=True), Signal(init=1), Signal()
        with m.If(self.trailer.valid & self.trailer.ready):
            m.d.sync += spoilt.eq(0)
        with m.If(accepted):
            m.d.sync += [inside.eq(~self.i.payload.last), fresh.eq(0)]
            with m.If(fresh & inside):
                m.d.sync += spoilt.eq(1)
        with m.If((self.fault == Fault.STALE_TRAILER) & spoilt):
            m.d.comb += self.trailer.payload.verdict.eq(3)


FAULTS = [
    (Fault.LATE_HEADER, scenarios.full_rate, AssertionError, "a header record came 5 cycles"),
    (Fault.LATE_HEADER, scenarios.header_is_independent, AssertionError, "not offered 4 cycles"),
    (Fault.LATE_TRAILER, scenarios.full_rate, AssertionError, "a trailer record came 5 cycles"),
    (Fault.LATE_TRAILER, scenarios.trailer_without_output, AssertionError, "not offered 4 cycles"),
    (Fault.BUBBLE, scenarios.full_rate, AssertionError, "cycles without a beat taken"),
    (Fault.DEPENDENT_HEADER, scenarios.header_is_independent, AssertionError, "header record of"),
    (Fault.DEPENDENT_HEADER, scenarios.header_without_output, AssertionError, "header record of"),
    (Fault.BLOCKING_HEADER, scenarios.header_not_taken, TimeoutError, "whose header is not taken"),
    (Fault.BLOCKING_HEADER, scenarios.no_record_taken, TimeoutError, "header and trailer is not"),
    (Fault.STALE_TRAILER, scenarios.reset_in_packet, Mismatch, "frames differ"),
]


def simulate(seed, tmp_path):
    """What each pair of fault and scenario ends with."""
    dut = FaultyParser()
    env = AmaranthEnvironment(dut, share=0.05)
    env.PATIENCE = 300
    ends = {}

    async def main(ctx):
        env.ctx = ctx
        sound = [(Fault.NONE, scenario) for scenario in {entry[1]: 0 for entry in FAULTS}]
        for fault, scenario in [*sound, *(entry[:2] for entry in FAULTS)]:
            ctx.set(dut.fault, fault)
            try:
                await env.run(
                    scenario,
                    TestResult(scenario.__name__),
                    seed=seed,
                    bench="faulty",
                    folder=tmp_path,
                    repeat="",
                )
                ends[fault, scenario] = None
            except (AssertionError, TimeoutError) as end:
                ends[fault, scenario] = end

    try:
        env.bench.run(main)
    except Mismatch as end:  # too many frames differ: that stops the simulation, so it comes last
        ends[FAULTS[-1][:2]] = end
    return ends


def test_each_fault_is_found_and_a_sound_parser_passes(seed, tmp_path):
    ends = simulate(seed, tmp_path)
    wrong = [
        f"{fault.name}, {scenario.__name__}: {end!r}"
        for (fault, scenario), end in ends.items()
        if fault is Fault.NONE and end is not None
    ]
    for fault, scenario, kind, message in FAULTS:
        end = ends.get((fault, scenario))
        if not isinstance(end, kind) or message not in str(end):
            wrong.append(f"{fault.name}, {scenario.__name__}: {end!r}, not {kind.__name__}")
    assert not wrong, "\n".join(wrong)
    assert len(ends) == len(FAULTS) + len({entry[1] for entry in FAULTS})
