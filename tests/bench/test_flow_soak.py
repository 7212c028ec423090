"""The flow table's soak: what its batches hold, what it finds and how it says so; on a stand-in."""

from collections import Counter
from dataclasses import replace
from functools import partial

import pytest

from stellar_bench.flow import NativeFlowTable
from stellar_bench.flow import soak as flow_soak
from stellar_bench.flow.batches import PROFILES, Segment, batch
from stellar_bench.flow.soak import run_batch
from stellar_bench.soak import SOAKS, run
from stellar_bench.soak.worker import Plan, Report
from stellar_nic.verilog import export
from stellar_spec.codes import KeyKind
from stellar_spec.flow import FlowOp
from tests.rtl.flow_breaks import LATENCY, Break
from tests.rtl.flow_stand_in import SLOTS, FlowStandIn

UNATTAINED = {
    "table request refused",
    "table stash",
    "table moved",
    "table unlearned",
    "event LEARNED",
    "event AGED",
}
"""What the stand-in has not, and the profiles that it is put through do not ask for."""


@pytest.fixture(scope="module")
def verilog(tmp_path_factory):
    path = tmp_path_factory.mktemp("verilog") / "stand_in.v"
    path.write_text(export(FlowStandIn(), "stand_in"))
    return path


@pytest.fixture
def soak(monkeypatch, verilog, tmp_path, seed):
    """Function of a fault: a soak of the stand-in with it."""

    def engine(*, slots, verilog, engine_port):
        return NativeFlowTable(slots=slots, verilog=verilog, latency=LATENCY)

    def make(kind=Break.NONE):
        def broken(**options):
            one = batch(**options)
            change = {"learn_action": int(kind), "learn_interval": 0}
            rows = [Segment(each.commands, each.settings | change) for each in one.segments]
            return replace(one, segments=rows)

        monkeypatch.setattr(flow_soak, "NativeFlowTable", engine)
        monkeypatch.setattr(flow_soak, "batch", broken)
        monkeypatch.setattr(flow_soak, "run_batch", partial(run_batch, hashed=False))
        return flow_soak.FlowSoak(width=SLOTS, seed=seed, folder=tmp_path, verilog=verilog)

    return make


QUIET = [number for number, name in enumerate(PROFILES) if name in ("churn", "reseed", "low")]


def test_a_table_that_agrees(soak):
    one = soak()
    assert [one.batch(number, 1500) for number in QUIET] == [[]] * len(QUIET)
    model, gateware = one.digests
    assert model == gateware
    assert set(one.missing(one.seen)) <= UNATTAINED
    assert sum(n for (kind, _), n in one.seen.items() if kind == "answer") == 1500 * len(QUIET)


def test_a_difference_names_batch_and_command(soak):
    one = soak(Break.OLD_ACTION)
    lines = one.batch(0, 500)
    assert lines[0].startswith(f"MISMATCH flow_table_s{SLOTS} batch 0 (churn, Traffic(")
    assert "command " in lines[1] and "action is 0x" in lines[1]
    model, gateware = one.digests
    assert model == gateware  # all that was compared before is equal; the batch itself failed


def test_a_broken_rule_names_its_cycle(soak):
    lines = soak(Break.WRONG_ACTION).batch(0, 500)
    assert "cycle " in lines[1] and "found" in lines[1] and "expected 0x" in lines[1]


@pytest.mark.parametrize("number", range(len(PROFILES)))
def test_batches_depend_on_seed_number_and_count_alone(seed, number):
    first, second = (batch(slots=64, seed=seed, number=number, count=900) for _ in range(2))
    assert (first.pool, first.traffic, first.seed) == (second.pool, second.traffic, second.seed)
    assert sum(len(segment.commands) for segment in first.segments) == 900
    for one, other in zip(first.segments, second.segments, strict=True):
        assert one.settings == other.settings
        assert (one.commands.keys == other.commands.keys).all()
    assert {key & 7 for key in first.pool} == {int(kind) for kind in KeyKind}
    for before, segment in zip(first.segments, first.segments[1:], strict=False):
        assert before.commands.ops[-1] == segment.commands.ops[0] == FlowOp.CLEAR


def test_summary_of_sizes_that_do_not_share_a_digest(tmp_path):
    plan = Plan("flow_table", 20_000, 1, tmp_path, {})
    seen = Counter({(k, name): 1 for k, names in flow_soak.EXPECTED.items() for name in names})
    rows = [Report(s, 20_000, 1.0, d, d, Counter(seen)) for s, d in ((2048, "d"), (64, "e"))]
    text, good = run.summary(plan, rows)
    assert good, text
    assert text.endswith(
        "passed: flow_table at S = 2048 and S = 64 and the model agree, 0 mismatches"
    )
    assert "flow_table_s64: 20000 commands equal to the model's in 1.0 s" in text
    rows[1].gateware = "f"
    assert "FAILED digests differ" in run.summary(plan, rows)[0]
    rows[1].gateware = "e"
    for row in rows:
        del row.seen["table", "moved"]
    assert "FAILED never seen: table moved" in run.summary(plan, rows)[0]


def test_the_block_is_listed():
    assert [SOAKS["flow_table"].bench(width) for width in SOAKS["flow_table"].widths] == [
        "flow_table_s2048",
        "flow_table_s64",
    ]
