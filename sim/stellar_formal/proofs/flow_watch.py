"""What is seen of the flow table from its ports: the map, requests under way, what they saw."""

from amaranth.hdl import Cat, Mux, Signal, Value
from amaranth.lib import data

from stellar_spec.flow import FlowOp, FlowStatus

from .flow_invariants import given
from .flow_parts import KEY, TABLES

__all__ = ["Map", "Requests", "Snapshots", "either"]


def _raw(view):
    return Value.cast(view)


class Map:
    """What the chosen key's part of the map is, seen from the ports."""

    def __init__(self, top, rig):
        m, dut = top.m, rig.dut
        self.key = rig.key
        self.has = Signal(name="map_has")
        self.action = Signal(len(_raw(dut.result.payload.action)), name="map_action")
        self.handle = Signal(len(_raw(dut.result.payload.handle)), name="map_handle")
        command, answer = dut.command, dut.answer.payload
        op = command.payload.op
        mine = command.valid & (_raw(command.payload.key) == self.key)
        self.clears = command.valid & (op == FlowOp.CLEAR)
        self.inserts = mine & (op == FlowOp.INSERT)
        self.deletes = mine & (op == FlowOp.DELETE) | self.clears
        self.rewrites = self.inserts | mine & (op == FlowOp.UPDATE)
        self.mine = mine & (op <= FlowOp.READ)
        good = (answer.status == FlowStatus.OK) | (answer.status == FlowStatus.UPDATED)
        self.answered = dut.answer.valid & dut.answer.ready
        with m.If(self.answered & good):
            with m.If(self.deletes):
                m.d.sync += self.has.eq(0)
            with m.If(self.rewrites):
                m.d.sync += self.action.eq(command.payload.action)
            with m.If(self.inserts):
                m.d.sync += self.has.eq(1)
                with m.If(~self.has):
                    m.d.sync += self.handle.eq(answer.handle)
        filling, offset = rig.filling, rig.entry["action"].offset
        with m.If(filling.now):
            for entry in (*filling.slots, filling.stash):
                with m.If(_raw(entry.key) == self.key):
                    m.d.sync += self.has.eq(1)
                    m.d.sync += Cat(self.action, self.handle).eq(_raw(entry)[offset:])
        self.record = Cat(self.action, self.handle)

    def prove_answers(self, top, rig):
        """The answers are those of a map."""
        dut, answer = rig.dut, rig.dut.answer.payload
        told = dut.answer.valid & self.mine
        op, status = dut.command.payload.op, answer.status
        new = Mux(self.has, status == FlowStatus.UPDATED, either(status, "OK", "FULL"))
        given(top, dut.answer.valid, dut.command.valid, "answers a command")
        given(top, told & self.inserts, new, "INSERT: UPDATED if the key is there, else OK or FULL")
        known = status == Mux(self.has, FlowStatus.OK, FlowStatus.NOT_FOUND)
        given(top, told & (op != FlowOp.INSERT), known, "OK if the key is there, else NOT_FOUND")
        shown = (_raw(answer.key) == self.key) & (_raw(answer.handle) == self.handle)
        action = Mux(self.rewrites, _raw(dut.command.payload.action), self.action)
        shown &= _raw(answer.action) == action
        given(top, told & self.has, shown, "the answer has the key's action and handle")
        given(top, dut.answer.valid & self.clears, status == FlowStatus.OK, "CLEAR: OK")


def either(value, *names):
    result = 0
    for name in names:
        result |= value == FlowStatus[name]
    return result


class Requests:
    """The keys that were asked for, and whether the chosen one was surely there all the time."""

    def __init__(self, top, rig, map):
        m, dut = top.m, rig.dut
        sure = map.has & ~map.deletes
        self.stages = []
        entry = Cat(dut.request.valid & dut.request.ready, sure, _raw(dut.request.payload))
        for stage in range(1, dut.latency + 1):
            asked = Signal(name=f"asked_{stage}")
            certain = Signal(name=f"certain_{stage}")
            key = Signal(KEY.size, name=f"asked_key_{stage}")
            m.d.sync += Cat(asked, certain, key).eq(entry)
            self.stages.append((asked, certain, key))
            entry = Cat(asked, certain & ~map.deletes, key)

    def prove_results(self, top, rig, map):
        """A result is what the map says, or, while a command changes it, what it will say."""
        dut, result = rig.dut, rig.dut.result
        asked, certain, key = self.stages[-1]
        mine = asked & (key == map.key)
        top.prove(result.valid == asked, "a result for each request, at its time")
        hit = result.payload.hit
        known = mine & certain & ~map.deletes
        given(top, known, hit, "a present key is never missed")
        given(top, known, _raw(result.payload.handle) == map.handle, "it has its handle")
        action = _raw(result.payload.action)
        new = map.rewrites & (action == _raw(dut.command.payload.action))
        given(top, known, (action == map.action) | new, "it has its action")
        absent = mine & ~map.has & ~map.inserts
        given(top, absent, ~hit, "an absent key is never found")
        given(top, asked & (key == 0), ~hit, "no key is never found")
        payload = _raw(result.payload)
        given(top, asked & ~hit, payload == 0, "a miss is all zero")
        return mine, hit


class Snapshots:
    """What a lookup saw in the cycle in which it read; it is in stages 3 to 7 of the pipeline."""

    def __init__(self, top, rig):
        m = top.m
        look, self.read = rig.inside("lookup"), rig.lookup.read_stage
        key = _raw(look[f"key_{self.read}"])
        entry = rig.entry
        self.layout = data.StructLayout(
            {**{f"table{n}": entry for n in range(TABLES)}, "stash": entry, "valid": 1, "looks": 1}
        )
        tables = [_raw(rig.local(key, n)) for n in range(TABLES)]
        stash = rig.engine.stash
        now = Cat(*tables, _raw(stash.entry), stash.valid, rig.lookup._looks)
        self.stages = {}
        for stage in range(self.read + 1, rig.dut.latency + 1):
            kept = Signal(self.layout, name=f"snapshot_{stage}")
            m.d.sync += _raw(kept).eq(now)
            self.stages[stage] = kept
            now = _raw(kept)

    def hits(self, snapshot, key):
        """Where ``key`` is in a snapshot: the tables, then the stash."""
        key = _raw(key)
        sees = key.any() & snapshot.looks
        tables = [_raw(snapshot[f"table{n}"].key) == key for n in range(TABLES)]
        stash = snapshot.valid & (_raw(snapshot.stash.key) == key)
        return Cat(hit & sees for hit in (*tables, stash))

    @staticmethod
    def entries(snapshot):
        """The entries in it."""
        return [*(snapshot[f"table{n}"] for n in range(TABLES)), snapshot.stash]
