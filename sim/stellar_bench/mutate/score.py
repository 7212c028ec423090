"""The whole course of a mutation run: list, build, run, prove, count."""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from ..verilate import build_root, locked
from . import campaign, yosys
from .proof import Proof, prove
from .target import LEAST, MutationTarget
from .worker import Job, Verdict

__all__ = ["BUILD_SIZE", "Outcome", "Score", "measure"]

BUILD_SIZE = 250
"""Mutants behind one input; more go into further builds, as each makes the others slower."""


@dataclass
class Outcome:
    """One mutant and what became of it: ``verdict.by`` where it was killed, else the proof."""

    mutant: yosys.Mutant
    verdict: Verdict
    proof: Proof | None = None

    @property
    def state(self) -> str:
        """``killed``, ``equivalent`` (proved) or ``survived``."""
        if self.verdict.by is not None:
            return "killed"
        return "equivalent" if self.proof is not None and self.proof.proved else "survived"

    def as_dict(self) -> dict:
        """For the results' file."""
        return {
            "mutant": self.mutant.number,
            "state": self.state,
            "line": self.mutant.line,
            "place": self.mutant.place,
            "by": self.verdict.by,
            "reason": self.verdict.reason,
            "proof": self.proof and self.proof.text,
            "seconds": round(sum(self.verdict.seconds.values()), 3),
        }


@dataclass
class Score:
    """All outcomes of a run, in the mutants' order."""

    block: str
    width: int
    seed: int
    folder: Path
    outcomes: list[Outcome] = field(default_factory=list)
    least: int = LEAST

    def of(self, state: str) -> list[Outcome]:
        """The outcomes of one state."""
        return [outcome for outcome in self.outcomes if outcome.state == state]

    @property
    def counts(self) -> Counter:
        """Mutants by state."""
        return Counter(outcome.state for outcome in self.outcomes)

    @property
    def killers(self) -> Counter:
        """Mutants killed, by the set of stimuli."""
        return Counter(outcome.verdict.by for outcome in self.of("killed"))

    @property
    def judged(self) -> int:
        """Mutants not proved equivalent."""
        return len(self.outcomes) - self.counts["equivalent"]

    @property
    def permille(self) -> int:
        """Killed of those not proved equivalent, in tenths of a per cent, rounded down.

        With none to kill it is 0: nothing was shown.
        """
        return 1000 * self.counts["killed"] // self.judged if self.judged else 0

    @property
    def passed(self) -> bool:
        """Whether at least ``least`` per cent were killed."""
        return self.permille >= 10 * self.least


def measure(
    target: MutationTarget,
    *,
    width: int,
    count: int,
    seed: int,
    jobs: int = 2,
    say: Callable[[str], None] = print,
    build_size: int = BUILD_SIZE,
) -> Score:
    """Runs ``count`` mutants of ``target``; ``say`` is told of each step.

    Raises :class:`yosys.YosysError`, :class:`stellar_bench.verilate.BuildError`, and
    :class:`campaign.CampaignError` where the block fails without a mutant.
    """
    folder = build_root() / "mutate" / f"{target.named(width)}_n{count}_s{seed}"
    score = Score(target.name, width, seed, folder, least=target.least)
    with locked(folder), ThreadPoolExecutor(1) as other:
        folder.mkdir(parents=True, exist_ok=True)
        stimuli = other.submit(_timed, target.stimuli, width, seed)  # while tools build
        yosys.prepare(target.source(width), folder)
        mutants = yosys.list_mutants(folder, count, seed)
        if not mutants:
            raise yosys.YosysError(f"{target.name} has nothing that can be mutated")
        if len(mutants) < count:
            say(f"only {len(mutants)} mutants: {target.name} has no more")
        for at in range(0, len(mutants), build_size):
            group = mutants[at : at + build_size]
            score.outcomes += _group(target, width, group, folder, stimuli, jobs, say)
        score.outcomes.sort(key=lambda outcome: outcome.mutant.number)
        _prove(score, target, folder, jobs, say)
    return score


def _timed(function, *arguments):
    start = time.monotonic()
    return function(*arguments), time.monotonic() - start


def _group(target, width, group, folder, stimuli, jobs, say) -> list[Outcome]:
    verilog, bits = yosys.instrument(folder, group, f"mutants{group[0].number}")
    # Builds it, once for all workers.
    _, building = _timed(target.device, width, verilog, bits)
    sets, making = stimuli.result()
    job = Job(target, width, verilog, bits, sets)
    verdicts, running = _timed(lambda: list(campaign.run(job, range(1, len(group) + 1), jobs=jobs)))
    say(
        f"mutants {group[0].number} to {group[-1].number}: built in {building:.0f} s, stimuli in "
        f"{making:.0f} s, run in {running:.0f} s"
    )
    return [Outcome(group[verdict.mutant - 1], verdict) for verdict in verdicts]


def _prove(score: Score, target: MutationTarget, folder: Path, jobs: int, say) -> None:
    survivors = score.of("survived")
    if not survivors:
        return
    start, contract = time.monotonic(), target.contract(score.width)

    def attempt(outcome):
        outcome.proof = prove(outcome.mutant, folder, contract)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(attempt, survivors))
    say(f"{len(survivors)} not killed: proofs tried in {time.monotonic() - start:.0f} s")
