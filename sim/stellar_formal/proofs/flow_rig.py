"""The flow table at its smallest, and what its registers mean as a map."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.asserts import AnySeq
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from stellar_nic.flow.counters import CounterOp
from stellar_nic.flow.hash import place
from stellar_nic.flow.layouts import COUNTERS_LAYOUT, FlowLayouts
from stellar_nic.flow.table import FlowTable
from stellar_spec.flow import TIME_BITS

from ..opened import words_of

__all__ = ["BITS", "KEY", "SLOTS", "TABLES", "AnyCounters", "AnyHash", "Rig"]

SLOTS, TABLES, EXPANSIONS = 4, 2, 4
BITS = (SLOTS // TABLES - 1).bit_length()
KEY = data.StructLayout({"kind": 3})
"""Seven keys, and 0 for none."""


class AnyHash(wiring.Component):
    """In place of :class:`FlowHash`: f and g of each key are any bits, the same at all times."""

    latency = 1

    def __init__(self, *, all_f, all_g):
        self._all_f, self._all_g = all_f, all_g
        super().__init__(
            {"key": In(KEY.size), "seed": In(1), "f": Out(BITS), "g": Out(BITS)}
        )

    def elaborate(self, platform):
        m = Module()
        m.d.sync += [
            self.f.eq(self._all_f.word_select(self.key, BITS)),
            self.g.eq(self._all_g.word_select(self.key, BITS)),
        ]
        return m


class AnyCounters(wiring.Component):
    """In place of :class:`FlowCounters`: any counters, after any time."""

    def __init__(self, *, layouts):
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
        m.d.comb += self.done.eq(self.wanted & AnySeq(1))
        with m.If(self.done):
            m.d.sync += [
                self.generation.eq(AnySeq(len(self.generation))),
                Value.cast(self.counters).eq(AnySeq(COUNTERS_LAYOUT.size)),
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


def _is_in(state, *names):
    """Whether a machine's register ``state`` is in one of the states ``names``."""
    numbers = _numbers(state)
    missing = [name for name in names if name not in numbers]
    if missing:
        raise LookupError(f"no state {missing[0]!r}; there are: {', '.join(numbers)}")
    result = 0
    for name in names:
        result |= state == numbers[name]
    return result


class Rig:
    """The table with free constants for its hash, its parts, and its slots as registers."""

    def __init__(self, top):
        m = top.m
        self.all_f = top.constant(BITS << KEY.size, "all_f")
        self.all_g = top.constant(BITS << KEY.size, "all_g")
        hash = AnyHash(all_f=self.all_f, all_g=self.all_g)
        layouts = FlowLayouts(slots=SLOTS, key=KEY, seed_bits=1)
        self.entry = layouts.entry
        self.dut = dut = FlowTable(
            slots=SLOTS,
            tables=TABLES,
            expansions=EXPANSIONS,
            key=KEY,
            hash=hash,
            counters=AnyCounters(layouts=layouts),
        )
        self.inside = inside = top.design(dut, tied=("settings",), opened=True)
        self.engine, self.lookup = dut._engine, dut._lookup
        self.placer = self.engine._placer
        self.search = self.placer._search
        self.entries = self.engine._entries
        self.rams = [inside(f"lookup.ram{table}.memory") for table in range(TABLES)]
        slots = [word for ram in self.rams for word in words_of(ram, SLOTS // TABLES)]
        self.slots = [data.View(layouts.entry, word) for word in slots]
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

    def legal(self, part):
        """Whether the machine of ``part`` is in any of its states."""
        return self._states[part] < len(_numbers(self._states[part]))

    def at(self, part, *names):
        """Whether the machine of ``part`` is in one of the states ``names``."""
        return _is_in(self._states[part], *names)

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
        return stash.valid & (Value.cast(stash.entry.key) == key) & (key != 0)

    def present(self, key):
        """Whether a lookup that reads now finds ``key``."""
        return self.in_slots(key) | self.in_stash(key)

    def record(self, key):
        """Action and handle of a key that is present."""
        kept = 0
        at = self.entry["action"].offset
        for slot in self.slots:
            same = Value.cast(slot.key) == Value.cast(key)
            kept |= Mux(same, Value.cast(slot)[at:], 0)
        return kept | Mux(self.in_stash(key), Value.cast(self.engine.stash.entry)[at:], 0)
