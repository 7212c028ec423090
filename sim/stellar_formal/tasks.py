"""The runs that a proof is made of: the proof itself, its twins, its covers."""

import re
import threading
from dataclasses import dataclass
from pathlib import Path

from .paths import run_paths
from .proof import Proof, Twin
from .sby import Outcome, run_sby

__all__ = ["Result", "Task", "run", "tasks_of"]

_LOCK = threading.Lock()  # Amaranth is not made for threads


@dataclass(frozen=True)
class Task:
    """One run: of kind ``proof``, ``twin`` or ``cover``."""

    proof: Proof
    kind: str
    twin: Twin | None = None

    @property
    def name(self) -> str:
        """What it is called in reports and folders."""
        return f"twin: {self.twin.name}" if self.twin else self.kind


@dataclass(frozen=True)
class Result:
    """A task, how it ended, how many covers it should have reached, and what is wrong.

    ``fault`` is empty if all is as it must be.
    """

    task: Task
    outcome: Outcome | None
    covers: int = 0
    fault: str = ""


def tasks_of(proof: Proof) -> list[Task]:
    """All that has to run for ``proof``."""
    twins = [Task(proof, "twin", twin) for twin in proof.twins]
    # The search for paths counts what it covers by itself.
    covers = [] if proof.engine == "paths" else [Task(proof, "cover")]
    return [Task(proof, "proof"), *twins, *covers]


def run(task: Task, root: Path, bin: Path) -> Result:
    """Runs ``task`` in a folder of its own below ``root``; never raises on a bad proof."""
    proof = task.proof
    folder = root / proof.name / re.sub(r"\W+", "_", task.name)
    try:
        with _LOCK:
            top = proof.top(task.twin, cover=task.kind == "cover")
            rtlil = top.rtlil()
    except (LookupError, TypeError, ValueError) as error:
        return Result(task, None, fault=f"cannot be built: {error}")
    if proof.engine == "paths":
        covers = len(top.streams) + len(top.paths)
        outcome = run_paths(folder, top, rtlil, timeout=proof.timeout, bin=bin)
    else:
        covers = len(top.covers)
        outcome = run_sby(
            folder,
            rtlil,
            engine=_engine(task),
            depth=proof.depth if task.kind == "proof" else proof.reach,
            timeout=proof.timeout,
            bin=bin,
            waveform=task.kind == "proof" or (task.kind == "twin" and not proof.scene),
        )
    return Result(task, outcome, covers, _fault(task, outcome, covers))


def _engine(task: Task) -> str:
    """Twins and covers are reached in few cycles, or in one run: a bounded one is enough."""
    if task.kind == "cover":
        return "cover"
    if task.kind == "twin":
        wide = task.proof.engine == "induction" and not task.proof.scene
        return "smtbmc" if wide else "bmc"
    return task.proof.engine


def _fault(task: Task, outcome: Outcome, covers: int) -> str:
    """What is wrong with ``outcome``; empty: nothing."""
    if outcome.status in ("ERROR", "TIMEOUT"):
        limit = f" after {task.proof.timeout} s" if outcome.status == "TIMEOUT" else ""
        return f"{outcome.status}{limit}, see {outcome.log}"
    if task.kind == "twin":
        if outcome.status == "FAIL":
            return ""
        return f"the twin does not fail within {task.proof.reach} cycles"
    counts = task.kind == "cover" or task.proof.engine == "paths"
    if counts and outcome.reached != covers:
        return f"only {outcome.reached} of {covers} covers are reached, see {outcome.log}"
    if outcome.status != "PASS":
        trace = f"; waveform: {outcome.trace}" if outcome.trace else ""
        said = outcome.failed or "an assertion is violated"
        if outcome.status != "FAIL":  # what was violated was so in no run from reset
            step = f" ({outcome.failed})" if outcome.failed else ""
            said = f"{outcome.status}, neither proved nor refuted{step}"
        return f"{said}{trace}; log: {outcome.log}"
    return ""
