"""Holds what came out of a batch against the golden model.

Answers and events are taken in the order in which they were first offered.  Some things the outside
can't know to the cycle: whether a packet was counted that was handed over while a command was under
way, and when a key was taken out that an event reports a little later.  There the model says what
is possible, and what the table said must be one of it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from stellar_model.flow import Command, FlowModel, Mismatch, Record, Time
from stellar_model.flow.entry import TIME_MASK
from stellar_model.flow.records import KIND_BITS, MEANT
from stellar_spec.flow import EventKind, FlowOp, FlowStatus

from .engine import Commands, Run
from .library import REPORT_WITHIN
from .packets import Packets

__all__ = ["Judge", "Verdict"]

LEARN_SLACK = 8
"""Cycles from the moment in which a key is learned to that whose ``now`` is kept, at most, more at
one time than at another: packets that are accounted come first. Without any it is always the same.
"""
LEARN_WITHIN = 1 << 17
"""Cycles of an insertion, at most, beside lookups that leave one cycle in eight: a learned key may
be found, and packets counted for it, so long before its event."""
OPS = {int(op): op.name for op in FlowOp}
STATUSES = {int(status): status.name for status in FlowStatus}
KIND_MASK = (1 << KIND_BITS) - 1


@dataclass
class Verdict:
    """``problem`` says what differs first, or is empty; the records are the model's and the
    table's, with zeros where nothing is meant; ``seen`` counts what came up."""

    problem: str = ""
    model: list[Record] = field(default_factory=list)
    gateware: list[Record] = field(default_factory=list)
    seen: Counter = field(default_factory=Counter)


class Judge:
    """Judges the batches of a table since its reset, one behind the other.

    ``answer_format`` and ``event_format`` unpack its records; ``pool`` are the packed keys;
    ``hashed`` as for the model.
    """

    def __init__(self, *, slots, pool, answer_format, event_format, hashed=True):
        self._slots, self._pool = slots, pool
        self._answer_format, self._event_format = answer_format, event_format
        self.model = FlowModel(slots=slots, hashed=hashed)
        self._where: dict[tuple[int, int], int] = {}  # handle → slot in which it was read
        self._listing: set[int] | None = None
        self._listed = 0

    def judge(
        self,
        run: Run,
        commands: Commands,
        settings: dict[str, int],
        presets: Sequence[tuple[int, int]] | None = None,
    ) -> Verdict:
        """Compare a batch; the model goes on from the last one."""
        self.model.configure(**settings)
        if presets is not None:
            self.model.preset(presets)
        self.model.stale = 0
        return _Batch(self, run, commands, settings).verdict()

    # What a row of READ_SLOT over all slots must show.

    def listed(self, command: Command, given: Record, quiet: bool) -> None:
        """Notes a command and its answer; raises ``Mismatch`` for a listing that is not whole."""
        if command.op != FlowOp.READ_SLOT or not quiet:
            self._listing = None
            return
        if command.slot == 0:
            self._listing, self._listed = set(), 0
        if self._listing is None or command.slot != self._listed:
            self._listing = None
            return
        self._listed += 1
        if given.code == FlowStatus.OK:
            if given.key in self._listing:
                raise Mismatch(f"a listing shows the key {given.key:#x} twice")
            self._listing.add(given.key)
        if command.slot == self._slots:
            if lost := self.model.entries.keys() - self._listing:
                raise Mismatch(f"a listing lacks {len(lost)} keys, for example {min(lost):#x}")
            self._listing = None

    def moved(self, slot: int, given: Record) -> bool:
        """Whether a flow was read in another slot before."""
        before = self._where.get((given.flow, given.generation), slot)
        self._where[given.flow, given.generation] = slot
        return before != slot


class _Batch:
    def __init__(self, judge: Judge, run: Run, commands: Commands, settings):
        self._judge, self._model, self._run = judge, judge.model, run
        self._settings = settings
        self._lively = bool(settings.get("idle_timeout") or settings.get("learn"))
        self._lag = REPORT_WITHIN if settings.get("idle_timeout") else 0
        self._start, self._tick = run.traffic.start, run.traffic.tick
        self._packets = Packets(run, self._model, self._time)
        columns = (commands.ops, commands.slots, commands.keys, commands.actions)
        self._commands = list(zip(*(column.tolist() for column in columns), strict=True))
        self._answers = [judge._answer_format.unpack(value) for value in run.answers]
        self._events = [judge._event_format.unpack(value) for value in run.events]
        self._event_valid = run.event_times["valid"].tolist()
        self._next_event = 0
        self._uncertain = 0  # packets that may be stale or not
        self.result = Verdict()

    def _time(self, low: int, high: int) -> Time:
        start, tick = self._start, self._tick
        return Time(start + low // tick & TIME_MASK, start + high // tick & TIME_MASK)

    def verdict(self) -> Verdict:
        times = self._run.answer_times
        offered, valid = times["offered"].tolist(), times["valid"].tolist()
        number = None
        try:
            for number, given in enumerate(self._answers):
                while self._event_before(valid[number]):
                    self._event()
                self._answer(number, given, offered[number], valid[number])
            number = None
            while self._next_event < len(self._events):
                self._event()
            self._close()
        except Mismatch as error:
            place = "" if number is None else f"command {number} ({self._shown(number)}): "
            self.result.problem = f"{place}{error}"
        return self.result

    def _shown(self, number):
        op, slot, key, action = self._commands[number]
        name = OPS.get(op, f"op {op}")
        return f"{name}, key {key}" + (f", slot {slot}" if op == FlowOp.READ_SLOT else "")

    def _event_before(self, valid):
        return self._next_event < len(self._events) and (
            self._event_valid[self._next_event] <= valid
        )

    def _note(self, ours: Record, theirs: Record) -> None:
        self.result.model.append(ours)
        self.result.gateware.append(theirs)

    def _answer(self, number, given, offered, valid):
        op, slot, place, action = self._commands[number]
        command = Command(op, slot, self._judge._pool[place], action)
        meant = given.code in MEANT and op != FlowOp.CLEAR
        if self._lively:
            self._catch_up(command, given, valid)
        self._packets.until(offered if op == FlowOp.CLEAR else offered - self._lag)
        packets, sure = (), 0
        if meant:
            handle = given.flow, given.generation
            packets, sure = self._packets.waiting(*handle, offered, valid)
        elif op == FlowOp.CLEAR:
            self._uncertain += self._packets.of_present(valid)
        time = self._time(offered, valid)
        ours = self._model.answer(command, given, time=time, packets=packets, sure=sure)
        self._note(ours, given if meant else Record(given.code))
        self._count(command, given)

    def _catch_up(self, command, given, valid):
        """An event that comes a little later than the answer which shows it already, first."""
        op, _, key, _ = command
        key = given.key if op == FlowOp.READ_SLOT else key
        if op == FlowOp.CLEAR or given.code == FlowStatus.INVALID or not key & KIND_MASK:
            return
        if op == FlowOp.READ_SLOT and given.code != FlowStatus.OK:
            return
        there = given.code == (FlowStatus.UPDATED if op == FlowOp.INSERT else FlowStatus.OK)
        at = self._next_event
        if there == (key in self._model.entries) or at == len(self._events):
            return
        if self._events[at].key == key and self._event_valid[at] <= valid + REPORT_WITHIN:
            self._event()

    def _event(self):
        at = self._next_event
        self._next_event += 1
        given, valid = self._events[at], self._event_valid[at]
        handle, learned = (given.flow, given.generation), given.code == EventKind.LEARNED
        begin = max(0, valid - (LEARN_WITHIN if learned else REPORT_WITHIN))
        early = self._packets.early(*handle) if learned else []
        packets, sure = self._packets.waiting(*handle, begin, valid)
        time = self._time(begin, valid)
        packets = [*early, *packets]
        try:
            ours = self._model.event(given, time=time, packets=packets, sure=sure)
        except Mismatch as error:
            raise Mismatch(f"event {at}, offered in cycle {valid}: {error}") from None
        for packet in early:
            self._model.account(packet)
        self._note(ours, given)
        self.result.seen["event", EventKind(given.code).name] += 1

    def _count(self, command, given):
        op, slot = command.op, command.slot
        seen = self.result.seen
        status = STATUSES.get(given.code, "unknown")
        seen["answer", f"{OPS.get(op, 'other')}_{status}"] += 1
        self._judge.listed(command, given, not self._lively)
        if given.code in MEANT and op != FlowOp.CLEAR and given.packets:
            seen["table", "counted"] += 1
        if op == FlowOp.READ_SLOT and given.code == FlowStatus.OK:
            seen["table", "stash"] += slot == self._judge._slots
            seen["table", "moved"] += self._judge.moved(slot, given)

    def _close(self):
        """What must agree at the end of a batch."""
        self._packets.until(1 << 64)
        counts, model, seen = self._run.counts, self._model, self.result.seen
        if len(self._answers) != len(self._commands):
            raise Mismatch(f"{len(self._answers)} answers to {len(self._commands)} commands")
        # One may be gone and not reported yet.
        least = model.present - bool(self._settings.get("idle_timeout"))
        if not least <= counts["present"] <= model.present:
            raise Mismatch(f"present is {counts['present']}, expected {model.present}")
        if not model.stale - self._uncertain <= counts["stale"] <= model.stale:
            raise Mismatch(
                f"stale was high {counts['stale']} times, expected "
                f"{model.stale - self._uncertain} to {model.stale}"
            )
        if counts["unlearned"] and not self._settings.get("learn"):
            raise Mismatch("unlearned was high, and nothing is to be learned")
        self._check_interval()
        seen["table", "stale"] += counts["stale"]
        seen["table", "unlearned"] += counts["unlearned"]
        seen["table", "request refused"] += counts["refused"]

    def _check_interval(self):
        """From one learned key to the next, by when they were first seen, and were reported."""
        learned = [
            (valid, event.seen)
            for valid, event in zip(self._event_valid, self._events, strict=True)
            if event.code == EventKind.LEARNED
        ]
        least = self._settings.get("learn_interval", 0)
        slack = LEARN_SLACK if len(self._run.accounted) else 0
        for (valid, seen), (next_valid, next_seen) in pairwise(learned):
            most = self._tick * ((next_seen - seen & TIME_MASK) + 1) + slack
            if most < least and next_valid - valid < least + LEARN_WITHIN:
                raise Mismatch(
                    f"keys were learned within {most} cycles, reported in cycles {valid} and "
                    f"{next_valid}; learn_interval is {least}"
                )
