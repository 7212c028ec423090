"""The flow table at its smallest, and what its registers mean as a map."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from stellar_nic.flow.counters import CounterOp
from stellar_nic.flow.hash import place
from stellar_nic.flow.layouts import COUNTERS_LAYOUT, FlowLayouts
from stellar_nic.flow.table import FlowTable
from stellar_spec.flow import TIME_BITS, FlowOp

from ..opened import words_of

__all__ = ["BITS", "KEY", "SLOTS", "TABLES", "AnyCounters", "AnyHash", "Rig", "is_in"]

SLOTS, TABLES, EXPANSIONS = 4, 2, 4
BITS = (SLOTS // TABLES - 1).bit_length()
KEY = data.StructLayout({"kind": 3})
"""Seven keys, and 0 for none."""


class AnyHash(wiring.Component):
    """In place of :class:`FlowHash`: f and g of each key are any bits, the same at all times."""

    latency = 1

    def __init__(self, *, all_f, all_g):
        self._all_f, self._all_g = all_f, all_g
        super().__init__({"key": In(KEY.size), "seed": In(1), "f": Out(BITS), "g": Out(BITS)})

    def elaborate(self, platform):
        m = Module()
        m.d.sync += [
            self.f.eq(self._all_f.word_select(self.key, BITS)),
            self.g.eq(self._all_g.word_select(self.key, BITS)),
        ]
        return m


class AnyCounters(wiring.Component):
    """In place of :class:`FlowCounters`: any counters, after any time."""

    def __init__(self, *, layouts, guided=False):
        self._guided = guided
        generation = layouts.handle["generation"].shape
        super().__init__(
            {
                "account": In(stream.Signature(layouts.account)),
                "now": In(TIME_BITS),
                "op": In(CounterOp),
                "wanted": In(1),
                "flow": In(layouts.handle["flow"].shape),
                "done": Out(1),
                "generation": Out(generation),
                "counters": Out(COUNTERS_LAYOUT),
                "stale": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.done.eq(self.wanted & (1 if self._guided else AnySeq(1)))
        with m.If(self.done):
            m.d.sync += [
                self.generation.eq(0 if self._guided else AnySeq(len(self.generation))),
                Value.cast(self.counters).eq(0 if self._guided else AnySeq(COUNTERS_LAYOUT.size)),
            ]
        return m


def _numbers(state):
    """States of a machine whose register is ``state``, with their numbers."""
    numbers = {}
    for number in range(1 << len(state)):
        try:
            numbers[state.decoder(number).partition("/")[0]] = number
        except KeyError:  # a number without a state
            break
    return numbers


def is_in(state, *names):
    """Whether a machine's register ``state`` is in one of the states ``names``."""
    numbers = _numbers(state)
    missing = [name for name in names if name not in numbers]
    if missing:
        raise LookupError(f"no state {missing[0]!r}; there are: {', '.join(numbers)}")
    result = 0
    for name in names:
        result |= state == numbers[name]
    return result


class _Filling:
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


class Rig:
    """The table with free constants for its hash, its parts, and its slots as registers."""

    def __init__(self, top):
        m = top.m
        scene = Scene() if top.guided else None
        self.key = Const(scene.KEY, KEY.size) if scene else top.constant(KEY.size, "chosen_key")
        top.assume(self.key != 0)
        self.all_f = scene.all_f if scene else top.constant(BITS << KEY.size, "all_f")
        self.all_g = scene.all_g if scene else top.constant(BITS << KEY.size, "all_g")
        hash = AnyHash(all_f=self.all_f, all_g=self.all_g)
        layouts = FlowLayouts(slots=SLOTS, key=KEY, seed_bits=1)
        self.entry = layouts.entry
        self.dut = dut = FlowTable(
            slots=SLOTS,
            tables=TABLES,
            expansions=EXPANSIONS,
            key=KEY,
            hash=hash,
            counters=AnyCounters(layouts=layouts, guided=top.guided),
        )
        self.engine, self.lookup = dut._engine, dut._lookup
        self.filling = _Filling(top, self)
        self.inside = inside = top.design(
            dut, tied=("settings",), opened=True, extended=self.filling.extensions()
        )
        self.placer = self.engine._placer
        self.search = self.placer._search
        self.entries = self.engine._entries
        self.access = data.View(self.lookup.access.shape(), inside("lookup").access_now)
        self.slots = [data.View(layouts.entry, self._behind(n)) for n in range(SLOTS)]
        # Likewise the stash: it is left in the cycle in which its key is written to a slot.
        self.stash_valid = self.engine.stash.valid & ~self.entries.leave
        self.pictures = words_of(inside("engine.placer.search.picture.memory"), SLOTS)
        self.queue = words_of(inside("engine.placer.search.queue.memory"), EXPANSIONS)
        self._states = {
            part: inside(path).fsm_state
            for part, path in (
                ("engine", "engine"),
                ("placer", "engine.placer"),
                ("search", "engine.placer.search"),
            )
        }
        # A command that waits stays; the one that waits is in these registers too.
        command = dut.command
        self.held = Signal()
        self.cmd = Signal(command.payload.shape(), reset_less=True, name="held_command")
        m.d.sync += [
            self.held.eq(command.valid & ~command.ready),
            self.cmd.eq(command.payload),
        ]
        same = Value.cast(command.payload) == Value.cast(self.cmd)
        top.assume(~self.held | (command.valid & same))
        if scene:
            scene.play(top, self)

    def _behind(self, number):
        """The word in a slot, or what is being written there: what the engine reckons with."""
        word = self.inside("lookup.ram0.memory")[f"word_{number}"]
        writes = self.access.write[0] & (self.access.address == number)
        return Mux(writes, Value.cast(self.entries.written), word)

    def chosen(self):
        """The entry in question: the engine chooses it a cycle after it knows where it is."""
        hand = Value.cast(self.inside("engine.entries").hand_0)
        word = Mux(self.engine._in_stash, Value.cast(self.engine.stash.entry), hand)
        at, bits = self.entry["action"].offset, self.entry["action"].width
        action = Mux(self.engine._replace, Value.cast(self.cmd.action), word[at : at + bits])
        return data.View(self.entry, Cat(word[:at], action, word[at + bits :]))

    def legal(self, part):
        """Whether the machine of ``part`` is in any of its states."""
        return self._states[part] < len(_numbers(self._states[part]))

    def at(self, part, *names):
        """Whether the machine of ``part`` is in one of the states ``names``."""
        return is_in(self._states[part], *names)

    def f(self, key):
        """f of ``key``."""
        return self.all_f.word_select(Value.cast(key), BITS)

    def g(self, key):
        """g of ``key``."""
        return self.all_g.word_select(Value.cast(key), BITS)

    def place(self, key, table):
        """Where ``key`` is in ``table``."""
        return place(self.f(key), self.g(key), table, BITS)

    def slot(self, slot):
        """The entry in a slot whose number is a signal."""
        return data.View(self.entry, Array(Value.cast(s) for s in self.slots)[Value.cast(slot)])

    def local(self, key, table):
        """The entry in ``table`` where ``key`` would be."""
        words = [Value.cast(s) for s in self.slots[table << BITS : (table + 1) << BITS]]
        return data.View(self.entry, Array(words)[self.place(key, table)])

    def in_slots(self, key):
        """Whether a slot has ``key``."""
        key = Value.cast(key)
        return Cat(Value.cast(slot.key) == key for slot in self.slots).any() & (key != 0)

    def in_stash(self, key):
        """Whether ``key`` is present in the stash."""
        stash, key = self.engine.stash, Value.cast(key)
        return self.stash_valid & (Value.cast(stash.entry.key) == key) & (key != 0)

    def present(self, key):
        """Whether ``key`` is present."""
        return self.in_slots(key) | self.in_stash(key)

    def record(self, key):
        """Action and handle of a key that is present."""
        kept = 0
        at = self.entry["action"].offset
        for slot in self.slots:
            same = Value.cast(slot.key) == Value.cast(key)
            kept |= Mux(same, Value.cast(slot)[at:], 0)
        return kept | Mux(self.in_stash(key), Value.cast(self.engine.stash.entry)[at:], 0)
