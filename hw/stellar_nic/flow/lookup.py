"""The lookup pipeline of the flow table: hash, memories, comparison, result."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..memory import PairRAM, WideEqual
from .hash import place

__all__ = ["FlowLookup", "answers"]

AFTER_READ = 4
"""Cycles from a memory's address to the result: the memory takes two, comparing one, selecting one.
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

    Parameters
    ----------
    layouts : FlowLayouts
        Of the table.
    hash : wiring.Component
        :class:`FlowHash`, or what has its members.
    tables, index_bits : int
        Tables that are read at once, an even number, and bits of their addresses.
    technology : str
        Passed to the memories.

    Members
    -------
    request, result : streams
        As in :class:`FlowTable`.
    seed : In
        Of the hash.
    needed : In(1)
        The engine has something to do that takes a cycle from the lookups.
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
        No lookup reads in the next cycle.
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

    def __init__(self, *, layouts, hash, tables, index_bits, technology="generic"):
        self._layouts, self._hash = layouts, hash
        self._tables, self._bits, self._technology = tables, index_bits, technology
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
        hold, run = Signal(), Signal(range(7))
        asked = Signal()
        m.d.comb += [
            self.request.ready.eq(~hold),
            asked.eq(self.request.valid & ~hold),
            self.taken.eq(self.key_pass.wanted & ~asked),
        ]
        # The eighth cycle is the engine's where seven in a row have left it none.
        m.d.sync += hold.eq(0)
        with m.If(~asked | ~self.needed):
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
        before = at[self.read_stage - 1]
        m.d.comb += self.free.eq(~before["valid"] & ~before["passed"])
        now, looks = Signal.like(self.access), Signal()
        m.d.sync += [now.eq(self.access), looks.eq(~self.free & ~self.blind)]
        self._looks = looks
        outputs = []
        width = self._layouts.entry.size
        for pair in range(self._tables // 2):
            lower, upper = (self._index[2 * pair + half] for half in range(2))
            ram = PairRAM(width=width, depth=1 << self._bits, technology=self._technology)
            m.submodules[f"ram{pair}"] = ram
            m.d.comb += [
                ram.address.eq(Mux(looks, lower, now.address)),
                ram.upper_address.eq(upper),
                ram.write_data.eq(Value.cast(self.write_entry)),
                ram.write_enable.eq(now.write[pair]),
                self.read_entries[pair].eq(ram.read_data),
            ]
            words = ram.read_data, ram.upper_data
            outputs += [data.View(self._layouts.entry, word) for word in words]
        return outputs

    def _compare(self, m, at, entries):
        """Where the key is, three cycles behind the read: a bit for each table, and the stash."""
        read, key = at[self.read_stage], at[self.read_stage + 2]["key"]
        sought = [Signal(name=f"sought_{stage}") for stage in range(4)]
        m.d.comb += sought[0].eq(self._looks & read["key"].kind.any())
        for before, now in zip(sought, sought[1:], strict=False):
            m.d.sync += now.eq(before)
        hits = Signal(self._tables + 1)
        for table, entry in enumerate(entries):
            m.d.sync += hits[table].eq(self._equal(m, f"table{table}", entry.key, key, sought[2]))
        # The stash is looked at in the cycle of the read, and waits for the tables.
        stash, both, later = self.stash, Signal(), Signal()
        m.d.sync += [
            both.eq(self._equal(m, "stash", stash.entry.key, read["key"], stash.valid)),
            later.eq(both),
            hits[-1].eq(later & sought[2]),
        ]
        return hits, sought[3]

    def _equal(self, m, name, a, b, enable):
        """Whether two keys are equal, and ``enable`` is high."""
        a, b = Value.cast(a), Value.cast(b)
        equal = WideEqual(width=len(a), technology=self._technology)
        m.submodules[f"{name}_equal"] = equal
        m.d.comb += [equal.a.eq(a), equal.b.eq(b), equal.enable.eq(enable)]
        return equal.equal

    def _select(self, m, at, entries, hits, sought, f, g):
        """The result, and what the engine wants to know of it."""
        action = self._layouts.entry["action"]
        kept = data.StructLayout({"action": action.shape, "handle": self._layouts.handle})
        sources = [(Value.cast(entry)[action.offset :], 1) for entry in entries]
        sources.append((Value.cast(self.stash.entry)[action.offset :], 3))
        chosen = 0
        for number, (value, cycles) in enumerate(sources):
            for cycle in range(cycles):
                later = Signal(kept.size, name=f"kept{number}_{cycle}", reset_less=True)
                m.d.sync += later.eq(value)
                value = later
            chosen = chosen | Mux(hits[number], value, 0)
        selected, where = Signal(kept), Signal(self._tables + 1)
        hit, missed = Signal(), Signal()
        valid = at[self.latency - 1]["valid"]
        m.d.sync += [
            Value.cast(selected).eq(chosen),
            where.eq(hits),
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
