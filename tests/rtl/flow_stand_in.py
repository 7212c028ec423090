"""A stand-in for the flow table: its ports, a row of registers in place of hashing, and faults.

``learn_action`` chooses the fault (:class:`Break`), ``learn_interval`` the number of the command or
lookup that it hits or from which on it is there.  So one build shows every fault.  Nothing is
learned, and keys do not move.
"""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from stellar_model.flow.hash import KEY_BITS
from stellar_nic.flow.layouts import FlowLayouts
from stellar_spec.flow import TIME_BITS, EventKind, FlowOp, FlowStatus, seed_bits
from tests.rtl.flow_breaks import LATENCY, Break, pipeline

__all__ = ["SLOTS", "FlowStandIn"]

SLOTS = 8


class FlowStandIn(wiring.Component):
    """Eight registers; ``READ_SLOT`` of 8, the stash, is always empty."""

    def __init__(self):
        layouts = FlowLayouts(slots=SLOTS, seed_bits=seed_bits(KEY_BITS, 1))
        self._layouts = layouts
        super().__init__(
            {
                "request": In(stream.Signature(layouts.key)),
                "result": Out(wiring.Signature({"valid": Out(1), "payload": Out(layouts.result)})),
                "account": In(stream.Signature(layouts.account)),
                "command": In(stream.Signature(layouts.command)),
                "answer": Out(stream.Signature(layouts.answer)),
                "event": Out(stream.Signature(layouts.event)),
                "settings": In(layouts.settings),
                "now": In(TIME_BITS),
                "present": Out(range(SLOTS + 1)),
                "stashed": Out(1),
                "stale": Out(1),
                "unlearned": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        self._valid = Signal(SLOTS)
        members = ("key", "action", "generation", "packets", "bytes", "seen")
        shapes = (KEY_BITS, 22, 15, 48, 48, TIME_BITS)
        self._rows = {
            name: Array(Signal(shape, name=f"{name}_{slot}") for slot in range(SLOTS))
            for name, shape in zip(members, shapes, strict=True)
        }
        self._broken = {kind: Signal(name=f"break_{kind.name}") for kind in Break}
        for kind, signal in self._broken.items():
            m.d.comb += signal.eq(self.settings.learn_action.as_value() == kind)
        self._updating, self._touched, self._fresh = Signal(), Signal(), Signal(range(21))
        with m.If(self._fresh != 0):
            m.d.sync += self._fresh.eq(self._fresh - 1)
        self._lookups(m)
        self._account(m)
        self._engine(m)
        m.d.comb += self.stashed.eq(self._broken[Break.STASHED])
        m.d.comb += self.present.eq(sum(self._valid[slot] for slot in range(SLOTS)))
        return m

    def _find(self, key):
        """One-hot: the row that has ``key``."""
        same = [self._rows["key"][slot] == key.as_value() for slot in range(SLOTS)]
        return Cat(self._valid[slot] & same[slot] for slot in range(SLOTS))

    def _select(self, hot, name):
        width = len(self._rows[name][0])
        found = 0
        for slot in range(SLOTS):
            found = found | Mux(hot[slot], self._rows[name][slot], 0)[:width]
        return found

    def _number(self, hot):
        return Cat(
            Cat(hot[slot] for slot in range(SLOTS) if slot >> bit & 1).any() for bit in range(3)
        )

    def _lookups(self, m):
        number, hot = Signal(24), Signal(SLOTS)
        at = number == self.settings.learn_interval
        transfer, row = Signal(), Signal(3)
        low = Signal()
        broken = self._broken
        after = number >= self.settings.learn_interval
        m.d.sync += row.eq(row + 1)
        m.d.comb += [
            low.eq(
                (broken[Break.READY] & after & ~row.any()) | (broken[Break.SLOW_READY] & ~row.any())
            ),
            self.request.ready.eq(~low),
            transfer.eq(self.request.valid & self.request.ready),
            hot.eq(self._find(self.request.payload)),
        ]
        hidden = (
            (broken[Break.MISSED] & self._updating)
            | (broken[Break.EARLY_INSERT] & (self._fresh != 0))
            | (broken[Break.FLICKER] & after & (number[:4] == 3))
        )
        with m.If(transfer):
            m.d.sync += number.eq(number + 1)
        result = Signal(self._layouts.result)
        hit = hot.any() & ~hidden
        wrong = broken[Break.WRONG_ACTION] & after
        with m.If(hit):
            m.d.comb += [
                result.hit.eq(1),
                result.action.as_value().eq(self._select(hot, "action") ^ wrong),
                result.handle.flow.eq(self._number(hot)),
                result.handle.generation.eq(
                    self._select(hot, "generation") ^ (broken[Break.WRONG_HANDLE] & after)
                ),
            ]
        with m.Elif(broken[Break.GHOST] & after):
            m.d.comb += result.hit.eq(1)
        with m.Elif(broken[Break.UNCLEAN] & after):
            m.d.comb += result.handle.flow.eq(1)
        pipeline(m, self.result, broken, transfer, result, at, after)

    def _account(self, m):
        handle, size = self.account.payload.handle, self.account.payload.bytes
        rows, broken = self._rows, self._broken
        # A packet that comes in the cycle of a removal would be counted in no answer.
        m.d.comb += self.account.ready.eq(~self._touched)
        flow, transfer = handle.flow, self.account.valid & self.account.ready
        fresh = self._valid.bit_select(flow, 1) & (
            (rows["generation"][flow] == handle.generation) | broken[Break.OLD_GENERATION]
        )
        m.d.comb += self.stale.eq(transfer & ~fresh)
        with m.If(transfer & fresh & ~broken[Break.LOST]):
            m.d.sync += [
                rows["packets"][flow].eq(rows["packets"][flow] + 1),
                rows["bytes"][flow].eq(rows["bytes"][flow] + size + broken[Break.COUNT]),
                rows["seen"][flow].eq(self.now),
            ]

    def _engine(self, m):
        command, broken = self.command.payload, self._broken
        self._count, at = Signal(24), Signal()
        m.d.comb += at.eq(self._count >= self.settings.learn_interval)
        hot, free = Signal(SLOTS), Signal(SLOTS)
        m.d.comb += [
            hot.eq(self._find(command.key)),
            free.eq(~self._valid & (self._valid + 1)),  # the lowest that is free
        ]
        wait, status = Signal(range(2 * LATENCY + 2)), Signal(3)
        slot = Signal(SLOTS)
        # The row goes into the answer when all is over, a deleted one as it was.
        deleted = Signal(self._layouts.answer)
        self._answer(m, at)
        with m.If(self.event.valid & self.event.ready):
            m.d.sync += self.event.valid.eq(0)
        with m.FSM():
            with m.State("IDLE"):
                due = self._age(m, at, wait)
                with m.If(due):
                    m.d.comb += self._touched.eq(1)
                    m.next = "REPORT"
                with m.Elif(self.command.valid & ~self.answer.valid & ~(broken[Break.HANG] & at)):
                    m.d.comb += self._touched.eq(1)
                    m.d.sync += wait.eq(LATENCY + 1)
                    self._carry_out(m, command, hot, free, status, slot, deleted, at)
                    m.next = "WAIT"
                    quick = broken[Break.LATE_DELETE] & (command.op == FlowOp.DELETE)
                    with m.If(quick):
                        m.d.sync += wait.eq(0)
            with m.State("REPORT"):
                m.d.sync += wait.eq(wait - 1)
                with m.If(wait == 0):
                    m.d.sync += self.event.valid.eq(~(broken[Break.AGED_SILENTLY] & at))
                    m.next = "IDLE"
            with m.State("WAIT"):
                m.d.sync += wait.eq(wait - 1)
                with m.If(wait == 0):
                    m.d.sync += self.answer.valid.eq(~(broken[Break.SWALLOW] & at))
                    self._fill(m, status, slot, deleted)
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                silent = broken[Break.SWALLOW] & at
                ready = (self.answer.valid & self.answer.ready) | silent
                m.d.comb += self.command.ready.eq(ready | (broken[Break.HASTY] & at))
                with m.If(self.command.ready):
                    m.d.sync += [self._count.eq(self._count + 1), self._updating.eq(0)]
                    m.next = "IDLE"

    def _answer(self, m, at):
        broken = self._broken
        doubled, stalled = Signal(), Signal()
        m.d.sync += stalled.eq(self.answer.valid & ~self.answer.ready)
        with m.If(self.answer.valid & self.answer.ready):
            again = broken[Break.DOUBLE] & at & ~doubled
            m.d.sync += [self.answer.valid.eq(again), doubled.eq(again)]
        with m.If(broken[Break.WITHDRAW] & at & self.answer.valid & ~self.answer.ready):
            m.d.sync += self.answer.valid.eq(0)
        with m.If(broken[Break.CHANGE] & at & self.answer.valid & ~self.answer.ready):
            m.d.sync += self.answer.payload.seen.eq(self.answer.payload.seen + 1)

    def _carry_out(self, m, command, hot, free, status, slot, deleted, at):
        op, found, broken = command.op, hot.any(), self._broken
        no_key = command.key.kind == 0
        room = free.any() & ~(broken[Break.FULL] & at)
        m.d.sync += [status.eq(FlowStatus.OK), slot.eq(hot), deleted.eq(0)]
        with m.If(op == FlowOp.CLEAR):
            with m.If(~broken[Break.CLEAR]):
                m.d.sync += self._valid.eq(0)
            for each in range(SLOTS):
                m.d.sync += self._retire(each)
        with m.Elif(op == FlowOp.READ_SLOT):
            chosen = Signal(SLOTS)
            m.d.comb += chosen.eq((command.slot < SLOTS) << command.slot[:3])
            m.d.sync += slot.eq(chosen & self._valid)
            with m.If(command.slot > SLOTS):
                m.d.sync += status.eq(FlowStatus.INVALID)
            with m.Elif(~(chosen & self._valid).any()):
                m.d.sync += status.eq(FlowStatus.NOT_FOUND)
        with m.Elif((op > FlowOp.CLEAR) | no_key):
            m.d.sync += status.eq(FlowStatus.INVALID)
        with m.Elif((op == FlowOp.INSERT) & ~found):
            with m.If(room):
                self._insert(m, command, free)
                m.d.sync += slot.eq(free)
            with m.Else():
                m.d.sync += status.eq(Mux(broken[Break.NOT_FULL], FlowStatus.OK, FlowStatus.FULL))
        with m.Elif(~found):
            lie = broken[Break.STATUS] & at & (op == FlowOp.UPDATE)
            m.d.sync += status.eq(Mux(lie, FlowStatus.OK, FlowStatus.NOT_FOUND))
        with m.Elif(op == FlowOp.DELETE):
            self._fill(m, FlowStatus.OK, hot, None, deleted)
            self._remove(m, hot)
        with m.Elif(op != FlowOp.READ):
            with m.If(op == FlowOp.INSERT):
                m.d.sync += status.eq(FlowStatus.UPDATED)
            m.d.sync += self._updating.eq(op == FlowOp.UPDATE)
            with m.If(~(broken[Break.OLD_ACTION] & at)):
                for each in range(SLOTS):
                    with m.If(hot[each]):
                        m.d.sync += self._rows["action"][each].eq(command.action.as_value())

    def _insert(self, m, command, free):
        m.d.sync += self._fresh.eq(20)
        for each in range(SLOTS):
            row = {name: column[each] for name, column in self._rows.items()}
            with m.If(free[each]):
                m.d.sync += [
                    self._valid[each].eq(1),
                    row["key"].eq(command.key.as_value()),
                    row["action"].eq(command.action.as_value()),
                    row["packets"].eq(0),
                    row["bytes"].eq(0),
                    row["seen"].eq(self.now),
                ]

    def _retire(self, slot):
        generation = self._rows["generation"][slot]
        return generation.eq(generation + ~self._broken[Break.SAME_GENERATION])

    def _remove(self, m, hot):
        for each in range(SLOTS):
            with m.If(hot[each]):
                m.d.sync += [self._valid[each].eq(0), self._retire(each)]

    def _fill(self, m, status, hot, deleted, target=None):
        """The answer: ``deleted`` if there is one, else the row as it is now."""
        target = self.answer.payload if target is None else target
        if deleted is not None:
            with m.If(deleted.as_value() != 0):
                m.d.sync += target.eq(deleted)
        row = [
            (target.kind if target is self.event.payload else target.status).eq(status),
            target.key.as_value().eq(self._select(hot, "key")),
            target.action.as_value().eq(self._select(hot, "action")),
            target.handle.flow.eq(self._number(hot)),
            target.handle.generation.eq(self._select(hot, "generation")),
            *(target[name].eq(self._select(hot, name)) for name in ("packets", "bytes", "seen")),
        ]
        with m.If(1 if deleted is None else deleted.as_value() == 0):
            m.d.sync += row

    def _age(self, m, at, wait):
        """Looks at one row after the other; high where one is taken out."""
        turn, hot, broken = Signal(3), Signal(SLOTS), self._broken
        timeout, idle, due = self.settings.idle_timeout, Signal(TIME_BITS), Signal()
        old = (idle >= timeout) | (broken[Break.AGED_EARLY] & at & (idle > timeout[1:]))
        m.d.comb += [
            hot.eq(1 << turn),
            idle.eq(self.now - self._rows["seen"][turn]),
            due.eq((timeout != 0) & self._valid.bit_select(turn, 1) & old & ~self.event.valid),
        ]
        m.d.sync += turn.eq(turn + 1)
        with m.If(due):
            self._fill(m, EventKind.AGED, hot, None, self.event.payload)
            self._remove(m, hot)
            m.d.sync += wait.eq(LATENCY + 1)
        return due
