"""The flow table: wires lookups, engine and counters."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.flow import TIME_BITS

from ..memory import check_technology
from ..params import check_choice, check_flag, check_int, check_power_of_two
from .counters import FlowCounters
from .engine import FlowEngine
from .hash import FlowHash
from .layouts import KEY_LAYOUT, FlowLayouts
from .lookup import FlowLookup, answers

__all__ = ["FlowTable"]


class FlowTable(wiring.Component):
    """Exact match from a flow key to an action and counters, changed while it is looked up.

    docs/flow-table.md is the contract.  Cuckoo hashing with one slot a bucket, in ``tables``
    memories that are read together, and a stash of one key.

    Parameters
    ----------
    slots : int
        Places for keys, the stash on top; a power of two from 64 to 65,536 (for proofs from twice
        ``tables``). Random keys fill about 95 % of them.
    tables : int
        2 or 4 memories.
    expansions : int
        Keys whose other places are looked at for one that is free, a power of two to 65,536.
    scan_every : int
        Cycles from one slot that is looked at for its age to the next, 32 to 2^24: a look takes up
        to 32 beside lookups in every cycle.
    engine_port : bool
        The engine reads and writes the memories through a port of its own, beside lookups in every
        cycle; a lookup still waits a cycle for a command's key that seven others have kept waiting.
        On ECP5 that takes twice the block RAM up to 2,048 slots, above about as much as without.
    key : data.StructLayout
        With a field ``kind`` that is 0 where there is no key.
    hash : wiring.Component or None
        In place of :class:`FlowHash`, with the same members; for proofs.
    counters : wiring.Component or None
        In place of :class:`FlowCounters`, likewise.
    technology : str
        ``generic``, or ``ecp5`` for the vendor's cells.

    Members
    -------
    request, result, account, command, answer, event : streams
        As in docs/flow-table.md.
    settings : In(struct)
        Likewise.
    now : In(TIME_BITS)
        The time.
    present : Out(range(slots + 1)); stashed, stale, unlearned : Out(1)
        Likewise.

    Timing
    ------
    Latency: ``latency`` cycles from a request to its result, constant; 16 with :class:`FlowHash`.
    Throughput: a request per cycle, seven in eight while the engine needs cycles and gets none.
    Back-pressure: ``result`` takes none.
    Reset: the table is emptied, in 4 to 7 cycles for each slot, in which lookups miss.
    """

    def __init__(
        self,
        *,
        slots=2048,
        tables=4,
        expansions=512,
        scan_every=256,
        engine_port=False,
        key=KEY_LAYOUT,
        hash=None,
        counters=None,
        technology="generic",
    ):
        self._slots = check_power_of_two("slots", slots, low=4)
        self._tables = check_choice("tables", tables, (2, 4))
        check_int("slots", slots, low=2 * tables, high=1 << 16)
        self._expansions = check_power_of_two("expansions", expansions, low=2)
        check_int("expansions", expansions, low=2, high=1 << 16)
        self._scan_every = check_int("scan_every", scan_every, low=32, high=1 << 24)
        self._engine_port = check_flag("engine_port", engine_port)
        self._technology = check_technology(technology)
        index_bits = (slots // tables - 1).bit_length()
        if hash is None:
            hash = FlowHash(key_bits=key.size, index_bits=index_bits, technology=technology)
        layouts = FlowLayouts(slots=slots, key=key, seed_bits=len(hash.seed))
        shape = {"tables": tables, "index_bits": index_bits, "technology": technology}
        self._lookup = FlowLookup(layouts=layouts, hash=hash, engine_port=engine_port, **shape)
        self._engine = FlowEngine(
            layouts=layouts,
            lookup=self._lookup,
            expansions=expansions,
            scan_every=scan_every,
            **shape,
        )
        if counters is None:
            counters = FlowCounters(layouts=layouts, technology=technology)
        self._counters = counters
        super().__init__(
            {
                "request": In(stream.Signature(layouts.key)),
                "result": Out(answers(layouts.result)),
                "account": In(stream.Signature(layouts.account)),
                "command": In(stream.Signature(layouts.command)),
                "answer": Out(stream.Signature(layouts.answer)),
                "event": Out(stream.Signature(layouts.event)),
                "settings": In(layouts.settings),
                "now": In(TIME_BITS),
                "present": Out(range(slots + 1)),
                "stashed": Out(1),
                "stale": Out(1),
                "unlearned": Out(1),
            }
        )

    @property
    def slots(self):
        """Keys that it holds."""
        return self._slots

    @property
    def tables(self):
        """Memories that are read together."""
        return self._tables

    @property
    def expansions(self):
        """Keys whose other places are looked at for one that is free."""
        return self._expansions

    @property
    def scan_every(self):
        """Cycles from one slot that is looked at for its age to the next."""
        return self._scan_every

    @property
    def engine_port(self):
        """Whether the engine has a port of its own."""
        return self._engine_port

    @property
    def technology(self):
        """Whose cells it uses."""
        return self._technology

    @property
    def latency(self):
        """Cycles from the transfer of a request to its result."""
        return self._lookup.latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.lookup = lookup = self._lookup
        m.submodules.engine = engine = self._engine
        m.submodules.counters = counters = self._counters
        wiring.connect(m, wiring.flipped(self.request), lookup.request)
        wiring.connect(m, lookup.result, wiring.flipped(self.result))
        wiring.connect(m, wiring.flipped(self.account), counters.account)
        for name in ("command", "answer", "event"):
            own, inner = wiring.flipped(getattr(self, name)), getattr(engine, name)
            wiring.connect(m, own, inner)
        for name in ("needed", "key_pass", "blind", "stash", "access", "write_entry"):
            m.d.comb += getattr(lookup, name).eq(getattr(engine, name))
        for name in ("taken", "free", "found"):
            m.d.comb += getattr(engine, name).eq(getattr(lookup, name))
        for mine, theirs in zip(engine.read_entries, lookup.read_entries, strict=True):
            m.d.comb += mine.eq(theirs)
        m.d.comb += [
            lookup.seed.eq(self.settings.seed),
            engine.settings.eq(self.settings),
            engine.now.eq(self.now),
            counters.now.eq(self.now),
            counters.wanted.eq(engine.count.wanted),
            counters.op.eq(engine.count.op),
            counters.flow.eq(engine.count.flow),
            engine.counted.eq(counters.done),
            engine.generation.eq(counters.generation),
            engine.counters.eq(counters.counters),
            self.present.eq(engine.present),
            self.stashed.eq(engine.stash.valid),
            self.stale.eq(counters.stale),
            self.unlearned.eq(engine.unlearned),
        ]
        return m
