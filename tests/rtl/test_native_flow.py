"""The flow table's native harness and judge, on a stand-in, whole and broken."""

import random
import re

import pytest

from stellar_bench.flow import Commands, FlowError, NativeFlowTable, Traffic
from stellar_bench.flow.abi import Kind
from stellar_bench.flow.batches import Batch, Segment, batch, draw_keys
from stellar_bench.flow.soak import run_batch
from stellar_bench.native.memories import memory_path
from stellar_nic.verilog import export
from stellar_spec.flow import FlowOp
from tests.rtl.flow_breaks import LATENCY, Break
from tests.rtl.flow_stand_in import SLOTS, FlowStandIn


@pytest.fixture(scope="module")
def verilog(tmp_path_factory):
    path = tmp_path_factory.mktemp("verilog") / "stand_in.v"
    path.write_text(export(FlowStandIn(), "stand_in"))
    return path


@pytest.fixture(scope="module")
def engine(verilog):
    with NativeFlowTable(slots=SLOTS, verilog=verilog, latency=LATENCY) as engine:
        yield engine


def drawn(seed, count=3000, *, kind=Break.NONE, at=0, ageing=False, **traffic):
    """A batch that goes from empty to full and back, over and over, with one fault."""
    made = batch(slots=SLOTS, seed=seed, number=0, count=count)
    settings = {
        "seed": random.Random(seed).getrandbits(396),
        "learn_action": int(kind),
        "learn_interval": at,
    }
    settings |= {"idle_timeout": 200} if ageing else {}
    segments = [Segment(segment.commands, settings) for segment in made.segments]
    busy = {"idle": 0.1, "gap": 0.1, "stall_answer": 0.3, "account": 0.05, "tick": 3}
    return Batch("drawn", made.pool, segments, Traffic(**busy | traffic), seed)


@pytest.mark.parametrize("ageing", [False, True])
@pytest.mark.parametrize(
    "traffic", [{}, {"idle": 0, "account": 1.0, "gap": 0, "stall_answer": 0}, {"tick": 1, "gap": 1}]
)
def test_a_whole_table(engine, seed, traffic, ageing):
    one = drawn(seed, ageing=ageing, **traffic)
    # Whatever came before, a key is there that can age when lookups end.
    last = Commands.of([(FlowOp.INSERT, 1, 0, 0)])
    one.segments.append(Segment(last, one.segments[-1].settings))
    found, problem = run_batch(engine, one, hashed=False)
    assert problem == ""
    assert found.model == found.gateware
    assert len(found.model) == 3001 + found.seen["event", "AGED"]
    assert (found.seen["event", "AGED"] > 0) == ageing
    assert found.seen["table", "stale"]
    assert ageing or found.seen["answer", "INSERT_FULL"]


HARNESS = {
    Break.LATE_RESULT: (Kind.LATENCY,),
    Break.NO_RESULT: (Kind.LATENCY,),
    Break.EXTRA_RESULT: (Kind.LATENCY,),
    Break.UNCLEAN: (Kind.UNCLEAN,),
    Break.GHOST: (Kind.FOUND, Kind.WRONG),
    Break.READY: (Kind.READY,),
    Break.SLOW_READY: (Kind.READY,),
    Break.WRONG_ACTION: (Kind.WRONG,),
    Break.WRONG_HANDLE: (Kind.WRONG,),
    Break.MISSED: (Kind.MISSED,),
    Break.LATE_DELETE: (Kind.FOUND,),
    Break.EARLY_INSERT: (Kind.MISSED,),
    Break.SWALLOW: (Kind.APART,),
    Break.HASTY: (Kind.APART,),
    Break.DOUBLE: (Kind.EXTRA, Kind.APART),
    Break.CHANGE: (Kind.CHANGED,),
    Break.WITHDRAW: (Kind.WITHDRAWN,),
    Break.HANG: (Kind.HANG,),
    Break.FLICKER: (Kind.MISSED,),
    Break.STASHED: (Kind.STASHED,),
}
"""What the harness says of a fault that needs no model."""


@pytest.mark.parametrize("kind", HARNESS)
def test_the_harness_finds(engine, seed, kind):
    traffic = {Break.SLOW_READY: {"idle": 0}, Break.STASHED: {"gap": 1}}.get(kind, {})
    one = drawn(seed, kind=kind, at=100, **traffic)
    longest = max(one.segments, key=lambda segment: len(segment.commands))
    engine.pool(one.pool)
    with pytest.raises(FlowError) as caught:
        engine.run(
            longest.commands,
            settings=longest.settings,
            traffic=one.traffic,
            seed=seed,
            timeout=500,
        )
    assert caught.value.kind in HARNESS[kind], caught.value


JUDGE = {
    Break.FULL: "FULL with [0-7] keys",
    Break.NOT_FULL: "status is 0, expected 2",
    Break.STATUS: "status is 0, expected 3",
    Break.COUNT: "counters are .* expected",
    Break.LOST: "counters are .* expected|stale was high",
    Break.OLD_GENERATION: "stale was high|counters are",
    Break.SAME_GENERATION: "has generation 0, expected 1",
    Break.OLD_ACTION: "action is .* expected",
    Break.CLEAR: "status is|present is|found",
}
"""What the judge says of faults that only the model can tell."""


@pytest.mark.parametrize("kind", JUDGE)
def test_the_judge_finds(engine, seed, kind):
    _, problem = run_batch(
        engine, drawn(seed, kind=kind, at=100 if kind is Break.FULL else 0), hashed=False
    )
    assert problem
    assert re.search(JUDGE[kind], problem), problem


@pytest.mark.parametrize(
    "kind, said",
    [
        (Break.AGED_SILENTLY, "present was missed|status is|present is|flow \\d was given"),
        (Break.AGED_EARLY, r"AGED after \d+ units of time; idle_timeout is 200"),
        (Break.FLICKER, "is here again with the same handle|present was missed|was missed long"),
    ],
)
def test_ageing(engine, seed, kind, said):
    _, problem = run_batch(engine, drawn(seed, kind=kind, at=100, ageing=True), hashed=False)
    assert re.search(said, problem), problem


def test_the_table_goes_on_from_batch_to_batch(engine, seed):
    rng = random.Random(seed)
    engine.pool(draw_keys(rng, 6))
    options = {"settings": {"seed": 0}, "traffic": Traffic(account=0)}
    insert = Commands.of([(FlowOp.INSERT, key, key, 0) for key in range(1, 6)])
    read = Commands.of([(FlowOp.READ, key, 0, 0) for key in range(1, 6)])
    assert engine.run(insert, **options).counts["present"] == 5
    assert [value & 7 for value in engine.run(read, **options).answers] == [0] * 5
    engine.reset()
    assert [value & 7 for value in engine.run(read, **options).answers] == [3] * 5


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda e: e.pool([1, 1]), "2 keys, 1 of them different"),
        (lambda e: e.pool([1 << 299]), r"keys\[0\] is 1.*it must be 0 to 2\^299 - 1"),
        (lambda e: NativeFlowTable(slots=SLOTS, select=99, latency=3), "select is 99"),
        (lambda e: Traffic(idle=1), "idle is 1; a chance from 0 to 0.999"),
        (lambda e: Traffic(tick=0), "tick is 0"),
        (lambda e: e.ports.settings(seed=1 << 500), r"seed is .*2\^396 - 1"),
    ],
)
def test_bad_input(engine, call, message):
    with pytest.raises(ValueError, match=message):
        call(engine)


def test_presets_without_a_memory(engine):
    """The stand-in keeps its counters in no memory."""
    engine.pool([1])
    rows = Commands.of([(FlowOp.READ, 0, 0, 0)])
    with pytest.raises(ValueError, match="presets were given, and this Verilog has no memory"):
        engine.run(rows, settings={}, traffic=Traffic(), presets=[(0, 0)] * SLOTS)


def test_where_a_memory_is():
    text = """
module \\a.b (clk);
  reg [7:0] mem [3:0];
endmodule
module \\a$1 (clk);
  reg [7:0] other [7:0];
  \\a.b  \\x.y  (
    .clk(clk)
  );
endmodule
module a(clk);
  \\a$1  z (
    .clk(clk)
  );
endmodule
"""
    assert memory_path(text, "a", 8, 4) == r"\z .\x.y .\mem "
    assert memory_path(text, "a", 8, 8) == r"\z .\other "
    assert memory_path(text, "a", 9, 4) is None
    twice = text.replace("other [7:0]", "other [3:0]")
    assert memory_path(twice, "a", 8, 4) is None


def test_verilog_of_something_else(tmp_path, verilog):
    with pytest.raises(ValueError, match=r"stand_in.v is no flow table of 64 slots: module stand"):
        NativeFlowTable(slots=64, verilog=verilog, latency=LATENCY)


def test_verilog_that_is_no_text(tmp_path):
    path = tmp_path / "binary.v"
    path.write_bytes(b"module \x91")
    with pytest.raises(ValueError, match=r"binary\.v is no Verilog: .* byte 7 is not"):
        NativeFlowTable(slots=64, verilog=path, latency=LATENCY)


def test_every_fault_is_looked_for():
    ageing = {Break.AGED_SILENTLY, Break.AGED_EARLY, Break.FLICKER}
    assert {Break.NONE, *HARNESS, *JUDGE, *ageing} == set(Break)
