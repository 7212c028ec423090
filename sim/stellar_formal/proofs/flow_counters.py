"""The flow table's counters against a naive model of one flow: any one, in any run."""

from amaranth.hdl import Array, Cat, Mux, Signal

from stellar_nic.flow.counters import WRITTEN, CounterOp, FlowCounters
from stellar_nic.flow.layouts import FlowLayouts

from ..opened import words_of
from ..proof import Proof, Twin

__all__ = ["PROOFS"]

FLOWS = 2
"""The one that is followed, and another."""


class _Flow:
    """What a flow's counters are: changed two cycles behind an acceptance, all at once."""

    def __init__(self, top, dut, chosen):
        m = top.m
        asked = dut.account.payload
        self.generation, self.packets, self.bytes, self.seen = (
            Signal.like(signal, name=f"model_{name}", reset_less=True)
            for name, signal in (
                ("generation", dut.generation),
                ("packets", dut.counters.packets),
                ("bytes", dut.counters.bytes),
                ("seen", dut.now),
            )
        )
        self.enters = Signal()
        m.d.comb += self.enters.eq(
            dut.account.valid & dut.account.ready & (asked.handle.flow == chosen)
        )
        entered = Cat(self.enters, asked.handle.generation, asked.bytes)
        self.first, self.second = Signal(len(entered)), Signal(len(entered))
        m.d.sync += [self.first.eq(entered), self.second.eq(self.first)]
        bits = len(asked.handle.generation)
        counts, generation = self.second[0], self.second[1 : 1 + bits]
        self.current = generation == self.generation
        self.stale = counts & ~self.current
        self.retires = Signal()
        m.d.comb += self.retires.eq(dut.done & (dut.flow == chosen) & (dut.op == CounterOp.RETIRE))
        with m.If(~top.rst):
            with m.If(counts & self.current):
                m.d.sync += [
                    self.packets.eq(self.packets + 1),
                    self.bytes.eq(self.bytes + self.second[1 + bits :]),
                    self.seen.eq(dut.now),
                ]
            with m.If(dut.done & (dut.flow == chosen) & (dut.op != CounterOp.READ)):
                m.d.sync += [self.packets.eq(0), self.bytes.eq(0), self.seen.eq(dut.now)]
            with m.If(self.retires):
                m.d.sync += self.generation.eq(self.generation + 1)
        self.word = Cat(self.generation, self.packets, self.bytes, self.seen)


def _assume_engine(top, dut):
    """A wish stays until ``done``; returns whether one is held, and the flow that it names."""
    held, kept = Signal(), Signal(len(dut.flow) + len(dut.op.as_value()), reset_less=True)
    wish = Cat(dut.flow, dut.op)
    top.m.d.sync += [held.eq(dut.wanted & ~dut.done), kept.eq(wish)]
    top.assume(~held | (dut.wanted & (wish == kept)))
    return held, kept[: len(dut.flow)]


def _prove_answers(top, dut, flow, chosen):
    """What the engine gets, in the cycle behind ``done``; ``stale`` likewise."""
    m = top.m
    expected = Signal(len(flow.word), reset_less=True)
    asked, stale, other = Signal(), Signal(), Signal()
    seen = Mux(dut.op == CounterOp.BEGIN, dut.now, flow.seen)
    m.d.sync += [
        asked.eq(dut.done & (dut.flow == chosen)),
        expected.eq(Cat(flow.generation, flow.packets, flow.bytes, seen)),
        stale.eq(flow.stale),
        other.eq(flow.second[0] & flow.current),
    ]
    given = Cat(dut.generation, dut.counters)
    top.prove(~asked | (given == expected), "the engine reads what the naive model has")
    top.prove(~stale | dut.stale, "an accounting whose generation is over is told")
    top.prove(~other | ~dut.stale, "one whose generation is not over is not")
    retired = Signal()
    m.d.sync += retired.eq(retired | flow.retires)
    top.cover(asked & (dut.counters.packets == 2), "two packets are read")
    top.cover(stale & retired, "an accounting comes behind the flow's end")
    top.cover(asked & retired & (dut.counters.packets != 0), "the number's next flow counts")


def _build(top):
    chosen = top.constant(1, "chosen")
    dut = FlowCounters(layouts=FlowLayouts(slots=FLOWS, seed_bits=1))
    inside = top.design(dut, opened=True)
    own, ram, memory = inside(""), inside("ram"), inside("ram.memory")
    held, wanted = _assume_engine(top, dut)
    top.prove(own.wished == held, "a wish is registered")
    top.prove(~held | (own.wished_flow == wanted), "and its flow")
    flow = _Flow(top, dut, chosen)
    _prove_answers(top, dut, flow, chosen)
    busy = [
        (own[f"account_{stage}"] | own[f"engine_{stage}"]) & (own[f"flow_{stage}"] == chosen)
        for stage in range(WRITTEN + 1)
    ]
    mine = (dut.account.payload.handle.flow == chosen) & ~dut.wanted
    waits = busy[1] | busy[2] | busy[3]
    top.prove(~mine | dut.account.ready | waits, "waits only for the engine and its own flow")
    top.cover(mine & dut.account.valid & ~dut.account.ready, "waits for its own flow")
    # What holds between model and registers, so that one step proves all.
    stored = Array(words_of(memory, FLOWS))[chosen]
    writes = own.writes & busy[3]
    top.prove(busy[1] + busy[2] + busy[3] <= 1, "one access of a flow at a time")
    top.prove(Mux(writes, own.written, stored) == flow.word, "the memory has the model's word")
    top.prove(~busy[1] | (memory.read_0 == stored), "the memory has read it")
    top.prove(~busy[2] | (ram.read_data == stored), "it is at the memory's output")
    for stage, kept in ((1, flow.first), (2, flow.second)):
        entered = Cat(1, own[f"generation_{stage}"], own[f"bytes_{stage}"])
        counts = own[f"account_{stage}"] & (own[f"flow_{stage}"] == chosen)
        top.prove(kept[0] == counts, f"an accounting is in stage {stage}")
        top.prove(~counts | (kept == entered), f"it is the one in stage {stage}")
        asks = own[f"engine_{stage}"]
        top.prove(~asks | (own[f"flow_{stage}"] == wanted), f"the wish is that in stage {stage}")
        top.prove(~asks | ~own[f"account_{stage}"], f"one thing is in stage {stage}")
    wishes = own.engine_1 + own.engine_2
    top.prove(wishes == own.under_way, "one wish is under way")
    top.prove(~own.under_way | held, "a wish under way is held")
    top.prove(~own.writes | own.account_3 | own.engine_3, "writes what an access gave")


def _no_hazard(m, s):
    m.d.comb += s.busy.eq(0)


def _hazard_short(m, s):
    with m.If(s.account_3 & ~s.account_2 & ~s.account_1 & ~s.engine_1 & ~s.engine_2):
        m.d.comb += s.busy.eq(0)


def _hasty_engine(m, s):
    m.d.comb += s.occupied.eq(0)


def _any_generation(m, s):
    m.d.comb += s.current.eq(1)


def _wish_twice(m, s):
    m.d.sync += s.under_way.eq(0)


PROOFS = (
    Proof(
        name="flow.counters",
        about="FlowCounters: packets, bytes, time, generation of a flow as a naive model has them; "
        "what is of a generation that is over counts nowhere",
        build=_build,
        engine="induction",
        depth=1,
        reach=14,
        twins=(
            Twin("no access waits for another of its flow", _no_hazard),
            Twin("an access waits a cycle too short", _hazard_short),
            Twin("the engine waits for nothing", _hasty_engine),
            Twin("the generation is not compared", _any_generation),
            Twin("a wish under way is taken for a new one", _wish_twice),
        ),
    ),
)
