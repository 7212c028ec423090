"""The lookup pipeline of the flow table: hash, memories, comparison, result."""

from itertools import pairwise

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..memory import PairRAM, WideEqual
from .hash import place

__all__ = ["FlowLookup", "answers"]

GROUP = 36
"""Key bits that are compared in the first of the comparison's cycles: two block RAMs' words."""
AFTER_READ = 5
"""Cycles from a memory's address to the result: the memory takes two, comparing two, selecting one.
"""


def answers(shape):
    """A stream that is always taken: ``valid`` and ``payload``, and no ``ready``."""
    return wiring.Signature({"valid": Out(1), "payload": Out(shape)})


class FlowLookup(wiring.Component):
    """Lookups and the table's memories; the engine reads and writes them through it.

    Every stage takes one cycle and nothing ever waits: a request is taken or not at the entrance.
    In a cycle in which the memories are not read for a lookup the engine may read one of them, or
    write.  So a lookup reads all memories, and the stash, as they are at one moment,
    and never what is being written.

    With a port of its own the engine may do so in every cycle.  A lookup that reads the very slot
    takes what is being written from the engine instead.

    Parameters
    ----------
    layouts : FlowLayouts
        Of the table.
    hash : wiring.Component
        :class:`FlowHash`, or what has its members.
    tables, index_bits : int
        Tables that are read at once, an even number, and bits of their addresses.
    engine_port : bool
        The engine has a port of its own.
    technology : str
        Passed to the memories.

    Members
    -------
    request, result : streams
        As in :class:`FlowTable`.
    seed : In
        Of the hash.
    needed : In(1)
        The engine has something to do that takes a cycle from the lookups; with a port of its own
        only ``key_pass`` does.
    key_pass : In(struct)
        ``wanted``: ``key`` is to be looked up for the engine. It is under way in
        the cycle in which ``taken`` (out) is high.
    blind : In(1)
        The table is being emptied: lookups neither read in the next cycle nor find anything.
    stash : In(struct)
        ``valid`` and ``entry``: looked at with the memories.
    access : In(struct)
        In the next cycle ``address`` is read in every pair of tables, and written in the pairs
        whose bit in ``write`` is set; its highest bit tells the table of a pair.  To be used where
        ``free`` is high, or all is ``blind``.
    write_entry : In(entry)
        What is written, in that next cycle.
    read_entries : Out(entry) for each pair of tables
        What was read, three cycles behind ``access``.
    free : Out(1)
        No lookup reads in the next cycle, or the engine's port is its own.
    found : Out(struct)
        With each result: ``passed`` (it is the engine's key), ``missed`` (it is not, and a key was
        not found), ``tables`` and ``stash`` (where it is), ``f``, ``g``, ``key``, ``action``,
        ``handle``.

    Timing
    ------
    Latency: ``latency`` cycles from the transfer of a request to its result.
    Throughput: one request per cycle, but seven in eight while ``needed``.
    Reset: results of what was under way do not come.
    """

    def __init__(
        self, *, layouts, hash, tables, index_bits, engine_port=False, technology="generic"
    ):
        self._layouts, self._hash = layouts, hash
        self._tables, self._bits, self._technology = tables, index_bits, technology
        self._engine_port = engine_port
        entry = layouts.entry
        super().__init__(
            {
                "request": In(stream.Signature(layouts.key)),
                "result": Out(answers(layouts.result)),
                "seed": In(len(hash.seed)),
                "needed": In(1),
                "key_pass": In(data.StructLayout({"wanted": 1, "key": layouts.key})),
                "taken": Out(1),
                "blind": In(1),
                "stash": In(data.StructLayout({"valid": 1, "entry": entry})),
                "access": In(data.StructLayout({"write": tables // 2, "address": index_bits + 1})),
                "write_entry": In(entry),
                "read_entries": Out(entry).array(tables // 2),
                "free": Out(1),
                "found": Out(
                    data.StructLayout(
                        {
                            "passed": 1,
                            "missed": 1,
                            "tables": tables,
                            "stash": 1,
                            "f": index_bits,
                            "g": index_bits,
                            "key": layouts.key,
                            "action": layouts.entry["action"].shape,
                            "handle": layouts.handle,
                        }
                    )
                ),
            }
        )

    @property
    def read_stage(self):
        """Cycles from the transfer of a request to the cycle in which the memories are read."""
        return self._hash.latency + 1

    @property
    def latency(self):
        """Cycles from the transfer of a request to its result."""
        return self.read_stage + AFTER_READ

    def elaborate(self, platform):
        m = Module()
        at = self._pipeline(m)
        f, g = self._hashed(m, at)
        entries = self._memories(m, at)
        hits, sought = self._compare(m, at, entries)
        self._select(m, at, entries, hits, sought, f, g)
        return m

    def _entrance(self, m):
        """What enters the pipeline: a request, the engine's key, or nothing."""
        hold = Signal()
        run = Signal(range(7))
        asked = Signal()
        needed = Signal()
        # A cycle later is soon enough: the engine asks until it is served.
        m.d.sync += needed.eq(self.key_pass.wanted if self._engine_port else self.needed)
        m.d.comb += [
            self.request.ready.eq(~hold),
            asked.eq(self.request.valid & ~hold),
            self.taken.eq(self.key_pass.wanted & ~asked),
        ]
        # The eighth cycle is the engine's where seven in a row have left it none.
        m.d.sync += hold.eq(0)
        with m.If(~asked | ~needed):
            m.d.sync += run.eq(0)
        with m.Elif(run == 6):
            m.d.sync += [run.eq(0), hold.eq(1)]
        with m.Else():
            m.d.sync += run.eq(run + 1)
        key = Signal(self._layouts.key)
        m.d.comb += key.eq(
            Mux(asked, Value.cast(self.request.payload), Value.cast(self.key_pass.key))
        )
        return asked, key

    def _pipeline(self, m):
        """What goes along with a lookup, by cycles since it entered."""
        asked, key = self._entrance(m)
        first = {"valid": asked, "passed": self.taken, "key": key}
        stages = [first]
        for stage in range(1, self.latency + 1):
            before, now = stages[-1], {}
            for name, value in before.items():
                now[name] = Signal.like(value, name=f"{name}_{stage}", reset_less=name == "key")
                m.d.sync += now[name].eq(value)
            stages.append(now)
        return stages

    def _hashed(self, m, at):
        """f and g from the memories' addresses to the result."""
        m.submodules.hash = hash = self._hash
        # The choice between request and engine reaches all of the key: it has a cycle of its own.
        m.d.comb += [hash.key.eq(Value.cast(at[1]["key"])), hash.seed.eq(self.seed)]
        f, g = hash.f, hash.g
        self._index = [place(f, g, table, self._bits) for table in range(self._tables)]
        for stage in range(self.read_stage + 1, self.latency + 1):
            f_next, g_next = (
                Signal(self._bits, name=f"{name}_{stage}", reset_less=True) for name in "fg"
            )
            m.d.sync += [f_next.eq(f), g_next.eq(g)]
            f, g = f_next, g_next
        return f, g

    def _memories(self, m, at):
        """The memories; returns their outputs, which belong to the stage two after the read's."""
        before, busy = at[self.read_stage - 1], Signal()
        self._now = now = Signal.like(self.access, name="access_now")
        self._looks = looks = Signal(name="looks")
        m.d.comb += [
            busy.eq(before["valid"] | before["passed"]),
            self.free.eq(1 if self._engine_port else ~busy),
        ]
        m.d.sync += [now.eq(self.access), looks.eq(busy & ~self.blind)]
        outputs = []
        shape = {"width": self._layouts.entry.size, "depth": 1 << self._bits}
        for pair in range(self._tables // 2):
            lower, upper = (self._index[2 * pair + half] for half in range(2))
            ports = 3 if self._engine_port else 2
            ram = PairRAM(**shape, ports=ports, technology=self._technology)
            m.submodules[f"ram{pair}"] = ram
            if self._engine_port:
                m.d.comb += [ram.address.eq(now.address), ram.lower_address.eq(lower)]
                words = ram.lower_data, ram.upper_data
            else:
                m.d.comb += ram.address.eq(Mux(looks, lower, now.address))
                words = ram.read_data, ram.upper_data
            m.d.comb += [
                ram.upper_address.eq(upper),
                ram.write_data.eq(Value.cast(self.write_entry)),
                ram.write_enable.eq(now.write[pair]),
                self.read_entries[pair].eq(ram.read_data),
            ]
            outputs += [data.View(self._layouts.entry, word) for word in words]
        return outputs

    def _overtaken(self):
        """Tables whose slot is being written while it is read: what comes of it means nothing."""
        now = self._now
        place, half = now.address[:-1], now.address[-1]
        return Cat(
            now.write[table // 2] & (half == table % 2) & (place == index)
            for table, index in enumerate(self._index)
        )

    def _compare(self, m, at, entries):
        """Where the key is, four cycles behind the read: a bit for each table, the stash,
        and for what the engine was writing to the slot if that is by a port of its own."""
        read, key = at[self.read_stage], at[self.read_stage + 2]["key"]
        sought = [Signal(name=f"sought_{stage}") for stage in range(5)]
        m.d.comb += sought[0].eq(self._looks & read["key"].kind.any())
        m.d.sync += [now.eq(before) for before, now in pairwise(sought)]
        valid = Signal(name="stash_valid")
        m.d.sync += valid.eq(self.stash.valid)
        besides = [("stash", self.stash.entry.key, valid)]
        counts = sought[3].replicate(self._tables)
        if self._engine_port:
            overtaken = [Signal(self._tables, name=f"overtaken_{stage}") for stage in range(1, 4)]
            m.d.sync += overtaken[0].eq(self._overtaken())
            m.d.sync += [now.eq(before) for before, now in pairwise(overtaken)]
            besides.append(("written", self.write_entry.key, overtaken[0].any()))
            counts &= ~overtaken[-1]
        hits = Signal(self._tables + len(besides))
        for table, entry in enumerate(entries):
            equal = self._equal(m, f"table{table}", entry.key, key)
            m.d.sync += hits[table].eq(equal.all() & counts[table])
        # The others are looked at in the cycle of the read, and wait for the tables.
        for number, (name, other, there) in enumerate(besides):
            equal = self._equal(m, name, other, read["key"])
            both, later = (Signal(name=f"{name}_{word}") for word in ("both", "later"))
            m.d.sync += [
                both.eq(equal.all() & there),
                later.eq(both),
                hits[self._tables + number].eq(later & sought[3]),
            ]
        return hits, sought[4]

    def _equal(self, m, name, a, b):
        """Bits of one cycle later, all 1 where ``a`` and ``b`` were equal."""
        a, b = Value.cast(a), Value.cast(b)
        groups = range(0, len(a), GROUP)
        equal = Signal(len(groups), name=f"{name}_equal")
        for number, at in enumerate(groups):
            ours, theirs = (word[at : at + GROUP] for word in (a, b))
            part = WideEqual(width=len(ours), technology=self._technology)
            m.submodules[f"{name}_equal_{number}"] = part
            m.d.comb += [part.a.eq(ours), part.b.eq(theirs)]
            m.d.sync += equal[number].eq(part.equal)
        return equal

    def _select(self, m, at, entries, hits, sought, f, g):
        """The result, and what the engine wants to know of it."""
        action = self._layouts.entry["action"]
        kept = data.StructLayout({"action": action.shape, "handle": self._layouts.handle})
        sources = [(Value.cast(entry)[action.offset :], 2) for entry in entries]
        sources.append((Value.cast(self.stash.entry)[action.offset :], 4))
        if self._engine_port:
            sources.append((Value.cast(self.write_entry)[action.offset :], 4))
        chosen = 0
        for number, (value, cycles) in enumerate(sources):
            for cycle in range(cycles):
                later = Signal(kept.size, name=f"kept{number}_{cycle}", reset_less=True)
                m.d.sync += later.eq(value)
                value = later
            chosen = chosen | Mux(hits[number], value, 0)
        selected = Signal(kept)
        where = Signal(self._tables + 1)
        hit = Signal()
        missed = Signal()
        valid = at[self.latency - 1]["valid"]
        m.d.sync += [
            Value.cast(selected).eq(chosen),
            where.eq(hits[: self._tables + 1]),
            hit.eq(hits.any()),
            missed.eq(valid & sought & ~hits.any()),
        ]
        last = at[self.latency]
        m.d.comb += [
            self.result.valid.eq(last["valid"]),
            self.result.payload.hit.eq(hit),
            self.result.payload.action.eq(selected.action),
            self.result.payload.handle.eq(selected.handle),
            self.found.passed.eq(last["passed"]),
            self.found.missed.eq(missed),
            self.found.tables.eq(where[:-1]),
            self.found.stash.eq(where[-1]),
            self.found.f.eq(f),
            self.found.g.eq(g),
            self.found.key.eq(last["key"]),
            self.found.action.eq(selected.action),
            self.found.handle.eq(selected.handle),
        ]
