"""Where runs of the flow table begin, and one run in which all happens that proofs want to see."""

from amaranth.hdl import Array, Cat, Const, Signal, Value

from stellar_spec.flow import FlowOp

from .flow_parts import BITS, KEY, SLOTS, is_in

__all__ = ["Filling", "Scene"]


class Filling:
    """Behind a reset the table may have any keys at once, so that the bounded runs are short.

    A run that begins with an empty table is among them.  Their handles are any.
    """

    def __init__(self, top, rig):
        self._rig = rig
        self.now = Signal(name="filled")
        self.slots = [top.free(rig.entry, f"fill_{number}") for number in range(SLOTS)]
        self.stash = top.free(rig.entry, "fill_stash")
        self.wanted = top.free(1, "fill")
        emptied = Signal(name="emptied")
        self.emptied = emptied
        top.m.d.comb += self.now.eq(self.wanted & emptied)
        keys = [Value.cast(entry.key) for entry in (*self.slots, self.stash)]
        top.assume(Cat(self._fits(number, key) for number, key in enumerate(keys[:-1])).all())
        for number, key in enumerate(keys):
            top.assume(Cat((key != 0) & (key == other) for other in keys[:number]) == 0)

    def _fits(self, number, key):
        place = self._rig.place(key, number >> BITS)
        return (key == 0) | (place == number & ((1 << BITS) - 1))

    def extensions(self):
        """What makes it so, by submodule."""
        result = {"engine": self._engine, "engine.entries": self._entries}
        result["engine.placer.search.picture.memory"] = self._pictures
        result["lookup.ram0.memory"] = self._table
        return result

    def _engine(self, m, s):
        state = s.fsm_state
        m.d.comb += self.emptied.eq(is_in(state, "EMPTIED") & ~s._clearing)
        count = sum(Value.cast(e.key).any() for e in (*self.slots, self.stash))
        with m.If(self.now):
            m.d.sync += self._rig.engine.present.eq(count)

    def _entries(self, m, s):
        entries, key = self._rig.engine._entries, self.stash.key
        with m.If(self.now):
            m.d.sync += [
                entries.stash.valid.eq(Value.cast(key).any()),
                s.besides(Value.cast(entries.stash), name="stash").eq(self.stash),
                entries.stash_f.eq(self._rig.f(key)),
                entries.stash_g.eq(self._rig.g(key)),
            ]

    def _pictures(self, m, s):
        for number, entry in enumerate(self.slots):
            word = Cat(Value.cast(entry.key).any(), self._rig.g(entry.key))
            with m.If(self.now):
                m.d.sync += s[f"word_{number}"].eq(word)

    def _table(self, m, s):
        for number, entry in enumerate(self.slots):
            with m.If(self.now):
                m.d.sync += s[f"word_{number}"].eq(entry)


class Scene:
    """For runs that are to be found: a hash, keys in the table, commands one after the other.

    Key 1 comes, and finds a slot.  Key 4 comes; its places are taken by keys 1 and 3, so key 2
    moves, then key 1.  Key 1 comes again, and goes.  Key 6 comes, for which no slot can be made
    free, and stays in the stash; so for key 1 there is no room when it comes.  Requests are for
    key 1, in two cycles of four.
    """

    KEY = 1
    F = {2: 1}
    G = {1: 1}
    FILLED = {2: 3, 3: 2}
    COMMANDS = (
        (FlowOp.INSERT, 1),
        (FlowOp.INSERT, 4),
        (FlowOp.INSERT, 1),
        (FlowOp.DELETE, 1),
        (FlowOp.INSERT, 6),
        (FlowOp.INSERT, 1),
    )

    def __init__(self):
        self.all_f, self.all_g = (
            Const(sum(value << key for key, value in bits.items()), BITS << KEY.size)
            for bits in (self.F, self.G)
        )

    def play(self, top, rig):
        """Leaves only this scene of all that may happen."""
        filling, dut, m = rig.filling, rig.dut, top.m
        for slot, entry in enumerate((*filling.slots, filling.stash)):
            key = Const(self.FILLED.get(slot, 0), KEY.size)
            top.tie(entry, Cat(key, Const(slot + 1, rig.entry.size - KEY.size)))
        begun, cycle = Signal(), Signal(2)
        count = Signal(range(len(self.COMMANDS) + 1))
        m.d.sync += [
            begun.eq(begun | filling.now),
            count.eq(count + (dut.answer.valid & dut.answer.ready)),
            cycle.eq(cycle + 1),
        ]
        payload = dut.command.payload
        commands = Array(
            Value.cast(
                payload.shape().const({"op": op, "key": {"kind": key}, "action": {"user": key + 8}})
            )
            for op, key in self.COMMANDS
        )
        for signal, value in (
            (top.rst, 0),
            (filling.wanted, ~begun),
            (dut.answer.ready, 1),
            (dut.event.ready, 1),
            (dut.account.valid, 0),
            (dut.account.payload, 0),
            (dut.now, 0),
            (dut.command.valid, begun & (count != len(self.COMMANDS))),
            (payload, commands[count]),
            (dut.request.valid, cycle[1]),
            (dut.request.payload, self.KEY),
        ):
            top.tie(signal, value)
