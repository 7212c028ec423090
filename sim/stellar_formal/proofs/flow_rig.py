"""The flow table at its smallest, and what its registers mean as a map."""

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from stellar_nic.flow.hash import place
from stellar_nic.flow.layouts import FlowLayouts
from stellar_nic.flow.table import FlowTable

from ..opened import words_of
from .flow_parts import (
    BITS,
    EXPANSIONS,
    KEY,
    SLOTS,
    TABLES,
    AnyCounters,
    AnyHash,
    is_in,
    state_numbers,
)
from .flow_scene import Filling, Scene

__all__ = ["Rig"]


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
        self.filling = Filling(top, self)
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
        self.paint = data.View(self.search.picture.shape(), inside("engine.placer.search").paint)
        painted = words_of(inside("engine.placer.search.picture.memory"), SLOTS)
        self.pictures = [self._painted(n, word) for n, word in enumerate(painted)]
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

    def _painted(self, number, word):
        """A slot in the search's picture; what is known of it is painted a cycle later."""
        paint, here = self.paint, Value.cast(self.paint.slot) == number
        return Mux(paint.write & here, Cat(paint.taken, paint.g), word)

    def chosen(self):
        """The entry in question: the engine chooses it a cycle after it knows where it is."""
        hand = Value.cast(self.inside("engine.entries").hand_0)
        word = Mux(self.engine._in_stash, Value.cast(self.engine.stash.entry), hand)
        at, bits = self.entry["action"].offset, self.entry["action"].width
        action = Mux(self.engine._replace, Value.cast(self.cmd.action), word[at : at + bits])
        return data.View(self.entry, Cat(word[:at], action, word[at + bits :]))

    def legal(self, part):
        """Whether the machine of ``part`` is in any of its states."""
        return self._states[part] < len(state_numbers(self._states[part]))

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
