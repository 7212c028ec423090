"""The steps of the flow table's jobs: how the engine finds, inserts, changes, counts, answers."""

from amaranth.hdl import Mux, Signal
from amaranth.lib import enum

from stellar_spec.flow import EventKind, FlowOp, FlowStatus

from .counters import CounterOp
from .hash import place

__all__ = ["EngineSteps", "Job"]


class Job(enum.Enum, shape=2):
    """For whom the engine works."""

    COMMAND = 0
    AGEING = 1
    LEARNING = 2
    STASH = 3
    """Another try for the key in the stash."""


class EngineSteps:
    """States of :class:`FlowEngine`'s machine, between a job's choice and its end.

    What they read and write are the engine's own registers, parts and ports.
    """

    def _finding(self, m):
        """Where the command's key is, and what is with it."""
        command, found = self.command.payload, self.found
        with m.State("PASS"):
            m.d.comb += self.key_pass.wanted.eq(1)
            with m.If(self.taken):
                m.next = "LOOKED"
        with m.State("LOOKED"):
            m.d.comb += self._entries.follow.eq(~self.stash.valid)
            m.d.sync += [
                self._where.eq(found.tables),
                self._f.eq(found.f),
                self._g.eq(found.g),
                self._in_stash.eq(found.stash),
            ]
            with m.If(found.passed):
                with m.If(found.tables.any()):
                    m.next = "LOCATE"
                with m.Elif(found.stash):
                    m.next = "FETCHED"
                with m.Elif(command.op != FlowOp.INSERT):
                    self._answer(m, FlowStatus.NOT_FOUND)
                with m.Elif(self.stash.valid):
                    m.d.sync += self._again.eq(1)
                    m.next = "PLACE"
                with m.Elif(self._numbers.available):
                    self._arrive(m)
                with m.Else():
                    self._answer(m, FlowStatus.FULL)
        with m.State("LOCATE"):
            table = Signal.like(self._slot.table)
            for number in range(self._tables):
                with m.If(self._where[number]):
                    m.d.comb += table.eq(number)
            m.d.sync += [
                self._slot.table.eq(table),
                self._slot.index.eq(place(self._f, self._g, table, self._bits)),
            ]
            m.next = "FETCH"
        with m.State("FETCH"):
            m.d.comb += [self._own.wanted.eq(1), self._own.read.eq(1)]
            with m.If(self._granted):
                m.next = "FETCHING"
        with m.State("FETCHING"):
            with m.If(self._entries.loaded):
                m.next = "FETCHED"

    def _arrive(self, m):
        """The key of the last result stays in the stash, without its being present yet."""
        m.d.sync += self._in_stash.eq(1)
        m.next = "BEGIN"

    def _inserting(self, m):
        """A key in the stash becomes present, and moves to a slot."""
        entries, placer, numbers = self._entries, self._placer, self._numbers
        with m.State("BEGIN"):
            m.d.comb += entries.change.eq(1)
            self._count(m, CounterOp.BEGIN, numbers.number)
            with m.If(self.counted):
                m.next = "BEGUN"
        with m.State("BEGUN"):
            m.d.comb += [
                entries.begin.eq(1),
                entries.handle.flow.eq(numbers.number),
                entries.handle.generation.eq(self.generation),
                numbers.take.eq(1),
            ]
            m.d.sync += self.present.eq(self.present + 1)
            m.next = "PLACE"
        with m.State("PLACE"):
            m.d.comb += placer.start.eq(1)
            m.d.sync += self._retry.eq(0)
            m.next = "PLACING"
        with m.State("PLACING"):
            with m.If(placer.done):
                m.d.sync += self._again.eq(0)
                with m.If(self._job == Job.LEARNING):
                    m.next = "REPORT"
                with m.Elif(self._job == Job.STASH):
                    m.next = "IDLE"
                with m.Elif(~self._again):
                    self._answer(m, FlowStatus.OK)
                with m.Elif(placer.placed):
                    m.next = "PASS"
                with m.Else():
                    self._answer(m, FlowStatus.FULL)

    def _changing(self, m):
        """An entry that was fetched is read, changed or removed."""
        entries, op = self._entries, self.command.payload.op
        taken = Mux(self._in_stash, self.stash.valid, entries.chosen.key.kind.any())
        with m.State("FETCHED"):
            m.d.sync += self._status.eq(FlowStatus.OK)
            with m.If(~taken):
                self._answer(m, FlowStatus.NOT_FOUND)
                with m.If(self._job == Job.AGEING):
                    m.d.comb += self._pace.passed.eq(1)
                    m.next = "IDLE"
            with m.Elif(self._job == Job.AGEING):
                m.next = "COUNT"
            with m.Else():
                m.next = "COUNT"
                with m.If(op == FlowOp.DELETE):
                    m.next = "ERASE"
                with m.If((op == FlowOp.INSERT) | (op == FlowOp.UPDATE)):
                    m.d.sync += self._replace.eq(1)
                    m.next = "CHANGE"
                with m.If(op == FlowOp.INSERT):
                    m.d.sync += self._status.eq(FlowStatus.UPDATED)
        with m.State("CHANGE"):
            m.d.comb += [
                entries.change.eq(self._in_stash),
                self._own.wanted.eq(~self._in_stash),
                self._own.write.eq(1),
            ]
            with m.If(self._granted | self._in_stash):
                m.next = "COUNT"
        with m.State("ERASE"):
            m.d.comb += [
                self._erase.eq(1),
                self._own.wanted.eq(~self._in_stash),
                self._own.write.eq(1),
            ]
            with m.If(self._granted | self._in_stash):
                m.d.comb += [
                    self._placer.vacated.eq(~self._in_stash),
                    self._leave.eq(self._in_stash),
                ]
                m.d.sync += [self.present.eq(self.present - 1), self._retry.eq(1)]
                m.next = "RETIRE"

    def _count(self, m, op, flow):
        m.d.comb += [self.count.wanted.eq(1), self.count.op.eq(op), self.count.flow.eq(flow)]

    def _counting(self, m):
        """The counters of an entry that was fetched."""
        flow = self._entries.chosen.handle.flow
        with m.State("COUNT"):
            self._count(m, CounterOp.READ, flow)
            with m.If(self.counted):
                m.next = "DRAIN"
                with m.If(self._job == Job.AGEING):
                    m.next = "AGE"
        with m.State("AGE"):
            m.d.sync += self._age.eq(self.now - self.counters.seen)
            m.next = "JUDGE"
        with m.State("JUDGE"):
            m.next = "ERASE"
            # Ageing may have been switched off since the key was looked at.
            with m.If((self._age < self.settings.idle_timeout) | ~self._ages):
                m.d.comb += self._pace.passed.eq(1)
                m.next = "IDLE"
        with m.State("RETIRE"):
            self._count(m, CounterOp.RETIRE, flow)
            m.d.comb += self._numbers.given.eq(flow)
            with m.If(self.counted):
                m.d.comb += self._numbers.give.eq(1)
                m.next = "DRAIN"
                with m.If(self._job == Job.AGEING):
                    m.next = "REPORT"

    def _answer(self, m, status):
        m.d.sync += self._status.eq(status)
        m.next = "DRAIN"

    def _answering(self, m):
        """What was done is said, once no result can contradict it."""
        answer, event = self.answer.payload, self.event.payload
        chosen, counters = self._entries.chosen, self.counters
        m.d.comb += answer.status.eq(self._status)
        for name in ("key", "action", "handle"):
            m.d.comb += answer[name].eq(chosen[name])
        for name in ("packets", "bytes", "seen"):
            m.d.comb += answer[name].eq(counters[name])
        with m.State("DRAIN"):
            m.d.sync += self._drain.eq(self._drain + 1)
            with m.If(self._drain == self._settle + 1):
                m.d.sync += self._drain.eq(0)
                m.next = "ANSWER"
        with m.State("ANSWER"):
            m.d.comb += [self.answer.valid.eq(1), self.command.ready.eq(self.answer.ready)]
            with m.If(self.answer.ready):
                m.d.sync += self._replace.eq(0)
                m.next = "IDLE"
        with m.State("REPORT"):
            ageing = self._job == Job.AGEING
            m.d.comb += self._pace.passed.eq(ageing)
            m.d.sync += [
                self.event.valid.eq(1),
                event.kind.eq(Mux(ageing, EventKind.AGED, EventKind.LEARNED)),
            ]
            for name in ("key", "action", "handle", "packets", "bytes", "seen"):
                m.d.sync += event[name].eq(answer[name])
            m.next = "IDLE"
