"""The flow table's soak: batches of commands through the gateware and the golden model."""

import hashlib
from collections import Counter
from itertools import pairwise
from pathlib import Path

from stellar_spec.flow import EventKind, FlowOp

from .. import coverage
from .batches import Batch, Segment, batch
from .engine import NativeFlowTable, Run
from .faults import FlowError
from .judge import Judge, Verdict

__all__ = ["EXPECTED", "FlowSoak", "missing", "missing_sparse", "run_batch", "table"]

_KEYED = (FlowOp.DELETE, FlowOp.UPDATE, FlowOp.READ)

EXPECTED = {
    "answer": (
        *(f"INSERT_{status}" for status in ("OK", "UPDATED", "FULL", "INVALID")),
        *(f"{op.name}_{status}" for op in _KEYED for status in ("OK", "NOT_FOUND", "INVALID")),
        *(f"READ_SLOT_{status}" for status in ("OK", "NOT_FOUND", "INVALID")),
        *("CLEAR_OK", "other_INVALID"),
    ),
    "event": tuple(kind.name for kind in EventKind),
    "table": ("stash", "moved", "counted", "stale", "unlearned", "request refused"),
}
"""Everything that has to be seen, by kind: ops with their statuses, events, and of the table: the
stash with a key in it, a key in another slot than before, counters that are not 0, accounting that
was stale, a key that was not learned, and a cycle in which no request was taken."""


def missing(counter: Counter) -> list[str]:
    """What was never seen, as ``kind NAME``."""
    return coverage.missing(counter, EXPECTED)


def missing_sparse(counter: Counter) -> list[str]:
    """Likewise, of what a large table shows: it is never full, and no key is there for long."""
    dense = {"answer INSERT_FULL", "event AGED", "table stash", "table moved", "table unlearned"}
    return [item for item in missing(counter) if item not in dense]


def table(counter: Counter) -> str:
    """How often everything was seen, one paragraph for each kind."""
    return coverage.table(counter, EXPECTED)


def run_batch(engine: NativeFlowTable, one: Batch, *, hashed: bool = True) -> tuple[Verdict, str]:
    """Puts a batch through ``engine`` and the model; what was found, and what differs or ''.

    ``hashed=False`` is for a table that has not the contract's hash.
    """
    engine.pool(one.pool)
    formats = {"answer_format": engine.answer_format, "event_format": engine.event_format}
    judge = Judge(slots=engine.slots, pool=one.pool, hashed=hashed, **formats)
    whole = Verdict()
    for number, segment in enumerate(one.segments):
        fault = ""
        options = {"settings": segment.settings, "presets": segment.presets}
        traffic = {"traffic": one.traffic, "seed": one.seed ^ number}
        try:
            run = engine.run(segment.commands, **options, **traffic)
        except FlowError as error:
            run, fault = error.run, str(error)
        verdict = judge.judge(run, segment.commands, **options)
        whole.model += verdict.model
        whole.gateware += verdict.gateware
        whole.seen += verdict.seen
        # What stopped early lacks its end; the fault itself says more.
        problem = verdict.problem if not fault or verdict.problem.startswith("command") else ""
        if not fault and not problem:
            problem = _by_itself(run, segment)
        if fault or problem:
            place = f"segment {number}: "
            return whole, "\n  ".join(place + text for text in (fault, problem) if text)
    return whole, ""


def _by_itself(run: Run, segment: Segment) -> str:
    """What is wrong with what the table did, or did not, by itself."""
    given, events = run.answer_times["given"].tolist(), run.event_times["valid"].tolist()
    if (within := segment.learns_within) is not None:
        moments = [given[0], *(cycle for cycle in events if cycle < given[-1]), given[-1]]
        for begin, end in pairwise(moments):
            if end - begin > within:
                return f"no key was learned in cycles {begin} to {end}; one is due in {within}"
    if (apart := segment.aged_apart) is not None:
        if left := run.counts["present"]:
            return f"{left} keys have not been aged, {len(events)} have"
        # The first and the last one may have waited for a command.
        least = (len(events) - 3) * apart
        if len(events) > 3 and events[-1] - events[0] < least:
            return f"{len(events)} keys aged in {events[-1] - events[0]} cycles, not in {least}"
    return ""


class FlowSoak:
    """The flow table of ``width`` slots in the native engine, beside the model.

    ``engine_port`` gives its engine a port of its own.
    """

    missing = staticmethod(missing)
    table = staticmethod(table)

    def __init__(
        self,
        *,
        width: int,
        seed: int,
        folder: Path,
        verilog: Path | None = None,
        engine_port: bool = False,
    ):
        self._slots, self._seed = width, seed
        self._engine = NativeFlowTable(slots=width, verilog=verilog, engine_port=engine_port)
        self._model, self._gateware = hashlib.blake2b(), hashlib.blake2b()
        self.seen = Counter()

    @property
    def digests(self) -> tuple[str, str]:
        """The digests of all answers and events so far: the model's and the gateware's."""
        return self._model.hexdigest()[:32], self._gateware.hexdigest()[:32]

    def close(self) -> None:
        """Free the simulation."""
        self._engine.close()

    def batch(self, number: int, count: int) -> list[str]:
        """Put batch ``number`` through gateware and model; lines on what differs, if any."""
        one = batch(slots=self._slots, seed=self._seed, number=number, count=count)
        found, problem = run_batch(self._engine, one)
        for digest, records in ((self._model, found.model), (self._gateware, found.gateware)):
            digest.update("\n".join(map(repr, map(tuple, records))).encode())
        self.seen += found.seen
        if not problem:
            return []
        name = f"flow_table_s{self._slots} batch {number} ({one.profile}, {one.traffic})"
        return [f"MISMATCH {name}", f"  {problem}"]
