"""What is counted for each flow."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.flow import TIME_BITS

from ..memory import OutputRAM
from .layouts import COUNTERS_LAYOUT

__all__ = ["CounterOp", "FlowCounters"]

WRITTEN = 3
"""Cycles from a memory's address until the new value is written."""


class CounterOp(enum.Enum, shape=2):
    """What the engine does with a flow's counters."""

    READ = 0
    RETIRE = 1
    """Read, then 0, with the next generation."""
    BEGIN = 2
    """Nothing counted, last seen now; returns the generation."""


class FlowCounters(wiring.Component):
    """Counts packets and bytes by handle; the engine reads, retires and begins handles.

    Parameters
    ----------
    layouts : FlowLayouts
        Of the table.
    technology : str
        Passed to the memory.

    Members
    -------
    account : In(stream)
        A packet's handle and length.
    now : In(TIME_BITS)
        The time.
    op : In(CounterOp); wanted : In(1); flow : In
        The engine's wish, constant from ``wanted`` to ``done``.
    done : Out(1)
        High for a cycle; from the next one on ``generation`` and ``counters`` are what the wish
        gave, until the next wish.
    stale : Out(1)
        High for a cycle for each accounting whose generation is over.

    Timing
    ------
    Throughput: an accounting per cycle, for the same flow one every 4 cycles; the engine's wish
    takes 1 to 4 cycles.  ``done`` is high 2 cycles after the engine's wish was carried out.
    Reset: the memory keeps what it holds.
    """

    def __init__(self, *, layouts, technology="generic"):
        self._handle, self._technology = layouts.handle, technology
        self._word = data.StructLayout(
            {"generation": layouts.handle["generation"].shape, "counters": COUNTERS_LAYOUT}
        )
        super().__init__(
            {
                "account": In(stream.Signature(layouts.account)),
                "now": In(TIME_BITS),
                "op": In(CounterOp),
                "wanted": In(1),
                "flow": In(layouts.handle["flow"].shape),
                "done": Out(1),
                "generation": Out(layouts.handle["generation"].shape),
                "counters": Out(COUNTERS_LAYOUT),
                "stale": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        flow_bits = len(self.flow)
        m.submodules.ram = ram = OutputRAM(
            width=self._word.size, depth=1 << flow_bits, technology=self._technology
        )
        stages = self._stages(m)
        m.d.comb += ram.read_address.eq(stages[0]["flow"])
        old, new, write = self._renewed(m, stages[2], ram)
        written = Signal.like(Value.cast(new), reset_less=True)
        writes = Signal()
        m.d.sync += [written.eq(new), writes.eq(write)]
        m.d.comb += [
            ram.write_address.eq(stages[3]["flow"]),
            ram.write_data.eq(written),
            ram.write_enable.eq(writes),
            self.done.eq(stages[2]["engine"]),
        ]
        with m.If(self.done):
            m.d.sync += [self.generation.eq(old.generation), self.counters.eq(old.counters)]
            with m.If(self.op == CounterOp.BEGIN):
                m.d.sync += self.counters.seen.eq(self.now)
        return m

    def _stages(self, m):
        """What goes along with an access, by cycles since the memory's address."""
        shapes = {
            "account": 1,
            "engine": 1,
            "flow": len(self.flow),
            "generation": self._handle["generation"].shape,
            "bytes": len(self.account.payload.bytes),
        }
        stages = [
            {
                name: Signal(shape, name=f"{name}_{stage}", reset_less=stage > 0 and shape != 1)
                for name, shape in shapes.items()
            }
            for stage in range(WRITTEN + 1)
        ]
        for before, now in zip(stages, stages[1:], strict=False):
            m.d.sync += [now[name].eq(before[name]) for name in shapes]
        first, asked = stages[0], self.account.payload
        # An engine's wish that is under way must not be taken for a new one; which flow it is about
        # comes late, so it waits for a cycle.
        under_way = Signal()
        wished = Signal()
        wished_flow = Signal.like(self.flow)
        wish = Signal()
        m.d.sync += [wished.eq(self.wanted & ~self.done), wished_flow.eq(self.flow)]
        # An accounting waits for others of its flow.  The engine waits for all, as none come after
        # its wish: that takes 3 cycles at most, and nothing to compare.
        there = Cat(later["account"] | later["engine"] for later in stages[1:])
        same = Cat(later["flow"] == asked.handle.flow for later in stages[1:])
        busy = Signal()
        occupied = Signal()
        m.d.comb += [
            wish.eq(wished & ~under_way),
            busy.eq((there & same).any()),
            occupied.eq(there.any()),
            self.account.ready.eq(~wish & ~busy),
            first["account"].eq(self.account.valid & self.account.ready),
            first["engine"].eq(wish & ~occupied),
            first["flow"].eq(Mux(wish, wished_flow, asked.handle.flow)),
            first["generation"].eq(asked.handle.generation),
            first["bytes"].eq(asked.bytes),
        ]
        with m.If(self.done):
            m.d.sync += under_way.eq(0)
        with m.Elif(first["engine"]):
            m.d.sync += under_way.eq(1)
        return stages

    def _renewed(self, m, stage, ram):
        """The word as it was, as it is to be, and whether it is to be written."""
        old = Signal(self._word)
        new = Signal(self._word)
        write = Signal()
        current = Signal()
        m.d.comb += [
            Value.cast(old).eq(ram.read_data),
            new.generation.eq(old.generation),
            new.counters.packets.eq(old.counters.packets + 1),
            new.counters.bytes.eq(old.counters.bytes + stage["bytes"]),
            new.counters.seen.eq(self.now),
            current.eq(old.generation == stage["generation"]),
            write.eq(Mux(stage["engine"], self.op != CounterOp.READ, stage["account"] & current)),
        ]
        m.d.sync += self.stale.eq(stage["account"] & ~current)
        with m.If(stage["engine"]):  # what the engine writes has counted nothing
            m.d.comb += [new.counters.packets.eq(0), new.counters.bytes.eq(0)]
        with m.If(stage["engine"] & (self.op == CounterOp.RETIRE)):
            m.d.comb += new.generation.eq(old.generation + 1)
        return old, new, write
