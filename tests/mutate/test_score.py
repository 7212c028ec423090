"""A whole run on a small block, with the real tools: what is killed, equivalent, and neither."""

import json

import pytest

from stellar_bench.mutate import MutationTarget, cli, yosys
from stellar_bench.mutate.campaign import CampaignError
from stellar_bench.mutate.proof import Proof
from stellar_bench.mutate.score import Outcome, Score, measure
from stellar_bench.mutate.worker import Verdict
from tests.mutate.tiny import POOR, RICH, Device, Steps, contract, source

COUNT = 16


@pytest.fixture(scope="module")
def poor():
    """The score with stimuli that leave ``a[3]`` alone, and what was said."""
    said = []
    return measure(POOR, width=1, count=COUNT, seed=3, jobs=2, say=said.append), said


def numbers(score, state):
    return {outcome.mutant.number for outcome in score.of(state)}


def test_each_mutant_has_a_state(poor):
    score, said = poor
    assert [outcome.mutant.number for outcome in score.outcomes] == list(range(1, COUNT + 1))
    assert all(score.counts[state] for state in ("killed", "equivalent", "survived"))
    assert said[0].startswith(f"mutants 1 to {COUNT}: built in ")
    assert not score.passed
    assert score.permille == 1000 * score.counts["killed"] // (COUNT - score.counts["equivalent"])


def test_only_what_nothing_can_notice_is_equivalent(poor, monkeypatch, capsys):
    # Every value behind every other is all that can happen to this block.
    monkeypatch.setitem(cli.TARGETS, "tiny", RICH)
    arguments = ["--block", "tiny", "--width", "1", "--seed", "3", "--count", str(COUNT)]
    assert cli.main(arguments) == 0
    out = capsys.readouterr().out.splitlines()
    score = poor[0]
    killed, alike = COUNT - score.counts["equivalent"], score.counts["equivalent"]
    assert out[-3:] == [
        f"{COUNT} mutants: {killed} killed, {alike} equivalent (proved), 0 survived",
        f"of all mutants {killed} of {COUNT}, {1000 * killed // COUNT / 10} %, of those not proved"
        f" equivalent {killed} of {killed}, 100.0 %",
        "killed 100.0 %",
    ]
    [details] = [line.removeprefix("details: ") for line in out if line.startswith("details: ")]
    with open(details) as file:
        results = json.load(file)
    states = {row["mutant"]: row["state"] for row in results["mutants"]}
    assert {n for n, state in states.items() if state == "equivalent"} == numbers(
        score, "equivalent"
    )
    assert {n for n, state in states.items() if state == "killed"} >= numbers(score, "survived")
    assert results["killed_percent"] == 100


def wrong(width, seed):
    return [Steps("good", bytes(4)), Steps("unmodelled", bytes([0x80]))]


class Unlike(Device):
    """Its model and the block disagree on the second set."""

    def run(self, stimuli):
        return "not the model's" if stimuli.name == "unmodelled" else super().run(stimuli)


def test_a_block_that_fails_as_it_is_has_no_score():
    target = MutationTarget("unlike", (1,), source, wrong, Unlike, contract)
    with pytest.raises(CampaignError, match="without a mutant fails in unmodelled: not the model"):
        measure(target, width=1, count=COUNT, seed=3, say=lambda text: None)


def test_fewer_mutants_than_asked_for(builds):
    folder = builds / "list"
    folder.mkdir(parents=True)
    yosys.prepare(source(1), folder)
    mutants = yosys.list_mutants(folder, 10_000, 1)
    assert COUNT < len(mutants) < 1000
    assert [mutant.number for mutant in mutants] == list(range(1, len(mutants) + 1))
    assert len({mutant.line for mutant in mutants}) == len(mutants)
    assert all(" at $" in mutant.place for mutant in mutants)


def outcome(number, state):
    mutant = yosys.Mutant(number, "mutate -mode inv -cell c -port Y -portbit 0")
    verdict = Verdict(number, *("set", "wrong") if state == "killed" else (None, None), {})
    proof = None if state == "killed" else Proof(state == "equivalent", "why")
    return Outcome(mutant, verdict, proof)


@pytest.mark.parametrize(
    ("states", "last", "passed"),
    [
        (["killed"] * 9 + ["survived"], "killed 90.0 %", True),
        (["killed"] * 8 + ["survived", "equivalent"], "killed 88.8 %", False),
        (["killed", "equivalent", "equivalent"], "killed 100.0 %", True),
        (["equivalent"] * 2, "killed 0.0 %", False),
    ],
)
def test_per_cent(tmp_path, states, last, passed):
    rows = [outcome(at, state) for at, state in enumerate(states, 1)]
    score = Score("tiny", 1, 1, tmp_path, rows)
    text = cli.report(score).splitlines()
    assert text[-1] == last
    assert score.passed == passed
    shown = [line.split(":")[0] for line in text if line.endswith("(why)")]
    alike = [f"equivalent {n}" for n, state in enumerate(states, 1) if state == "equivalent"]
    alive = [f"survived {n}" for n, state in enumerate(states, 1) if state == "survived"]
    assert shown == alike + alive
