"""What changes the flow table: commands, ageing, learning."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.flow import TIME_BITS, FlowOp, FlowStatus

from .counters import CounterOp
from .entries import FlowEntries
from .handles import FlowNumbers
from .layouts import COUNTERS_LAYOUT
from .placer import FlowPlacer
from .steps import EngineSteps, Job
from .timers import AgeingPace, Interval

__all__ = ["FlowEngine"]


class FlowEngine(EngineSteps, wiring.Component):
    """Carries out one job after the other; the only one that writes keys.

    Parameters
    ----------
    layouts : FlowLayouts
        Of the table.
    lookup : FlowLookup
        Whose memories it writes.
    tables, index_bits, expansions, technology
        As in :class:`FlowSearch`.
    scan_every : int
        Cycles from one slot that is looked at for its age to the next.

    Members
    -------
    command, answer, event, settings, now, present, unlearned
        As in :class:`FlowTable`.
    needed, key_pass, taken, free, found, blind, stash, access, write_entry, read_entries
        To :class:`FlowLookup`.
    count : Out(struct)
        ``wanted``, ``op`` and ``flow``, to :class:`FlowCounters`.
    counted, generation, counters : In
        ``done`` and what was read, from there.

    Reset: the table is emptied first.
    """

    def __init__(
        self, *, layouts, lookup, tables, index_bits, expansions, scan_every, technology="generic"
    ):
        self._layouts, self._tables, self._bits = layouts, tables, index_bits
        self._settle = lookup.latency - lookup.read_stage
        self._scan_every, self._technology = scan_every, technology
        self._placer = FlowPlacer(
            tables=tables, index_bits=index_bits, expansions=expansions, technology=technology
        )
        self._slots = tables << index_bits
        port = lookup.signature.members
        super().__init__(
            {
                "command": In(stream.Signature(layouts.command)),
                "answer": Out(stream.Signature(layouts.answer)),
                "event": Out(stream.Signature(layouts.event)),
                "settings": In(layouts.settings),
                "now": In(TIME_BITS),
                "present": Out(range(self._slots + 1)),
                "unlearned": Out(1),
                **{
                    name: port[name].flip()
                    for name in (
                        *("needed", "key_pass", "taken", "free", "found", "blind"),
                        *("stash", "access", "write_entry", "read_entries"),
                    )
                },
                "count": Out(
                    data.StructLayout(
                        {"wanted": 1, "op": CounterOp, "flow": layouts.handle["flow"].shape}
                    )
                ),
                "counted": In(1),
                "generation": In(layouts.handle["generation"].shape),
                "counters": In(COUNTERS_LAYOUT),
            }
        )

    def elaborate(self, platform):
        m = Module()
        self._parts(m)
        self._registers(m)
        self._wire_access(m)
        with m.If(self.event.ready):
            m.d.sync += self.event.valid.eq(0)
        with m.FSM(init="EMPTY"):
            self._emptying(m)
            self._choosing(m)
            self._finding(m)
            self._inserting(m)
            self._changing(m)
            self._counting(m)
            self._answering(m)
        return m

    def _parts(self, m):
        layouts = self._layouts
        m.submodules.placer = self._placer
        m.submodules.entries = self._entries = entries = FlowEntries(
            layouts=layouts, tables=self._tables, index_bits=self._bits
        )
        m.submodules.numbers = self._numbers = FlowNumbers(
            count=self._slots, technology=self._technology
        )
        m.submodules.pace = self._pace = AgeingPace(places=self._slots + 1, every=self._scan_every)
        m.submodules.learned = self._learned = Interval(bits=24)
        m.d.comb += [
            *(
                entries.read_entries[pair].eq(self.read_entries[pair])
                for pair in range(self._tables // 2)
            ),
            entries.key.eq(self.found.key),
            entries.f.eq(self.found.f),
            entries.g.eq(self.found.g),
            self.stash.eq(entries.stash),
            self.write_entry.eq(entries.written),
            self._placer.f.eq(entries.stash_f),
            self._placer.g.eq(entries.stash_g),
            self._placer.loaded.eq(entries.loaded),
            self._learned.length.eq(self.settings.learn_interval),
            self.key_pass.key.eq(self.command.payload.key),
        ]

    def _registers(self, m):
        self._job = Signal(Job)
        self._slot = Signal(self._placer.access.slot.shape())
        self._where = Signal(self._tables)  # the table in which a key was found
        self._f = Signal(self._bits)
        self._g = Signal(self._bits)
        self._in_stash = Signal()  # the entry in question is the one in the stash
        self._status = Signal(FlowStatus)
        self._again = Signal()  # the stash is to be cleared for a command that waits
        self._retry = Signal()  # a slot has become free since the last try for the stash
        self._clearing = Signal()  # a command empties the table, not a reset
        self._row = Signal(range(self._slots))
        self._age = Signal(TIME_BITS)
        self._curious = Signal()  # a key that misses is to be learned
        self._ages = Signal()
        m.d.comb += self._ages.eq(self.settings.idle_timeout != 0)
        self._erase = Signal()  # to the entries, a cycle later
        self._leave = Signal()  # likewise
        self._replace = Signal()  # the entry in question has the command's action
        # Cycles: without a job, up to when no result is from before; and of waiting for that.
        self._quiet, self._drain = (
            Signal(range(self._settle + 2), name=name) for name in ("quiet", "drain")
        )

    def _wire_access(self, m):
        """The memories, for this engine or for the placer."""
        placer, entries = self._placer, self._entries
        own = self._own = Signal.like(placer.access)
        asked = Signal.like(placer.access)
        granted = self._granted = Signal()
        place = Value.cast(asked.slot)
        chosen = Cat(place[self._bits + 1 :] == pair for pair in range(self._tables // 2))
        action = self.command.payload.action
        m.d.comb += [
            own.slot.eq(self._slot),
            asked.eq(Mux(placer.access.wanted, Value.cast(placer.access), Value.cast(own))),
            granted.eq(self.free & asked.wanted),
            placer.granted.eq(granted),
            entries.replace.eq(self._replace),
            self._leave.eq(granted & placer.access.wanted & placer.from_stash),
            entries.action.eq(Mux(self._job == Job.LEARNING, self.settings.learn_action, action)),
            self.access.address.eq(place),
            self.access.write.eq(Mux(granted & asked.write, chosen, 0)),
            self.needed.eq(asked.wanted | self.key_pass.wanted),
            placer.slot.eq(self._slot),
        ]
        # In the cycle in which the memories are accessed.
        m.d.sync += [
            entries.read.eq(Mux(granted & asked.read, chosen, 0)),
            entries.use_stash.eq(Mux(placer.access.wanted, placer.from_stash, self._in_stash)),
            entries.erase.eq(self._erase),
            entries.leave.eq(self._leave),
        ]

    def _emptying(self, m):
        placer, last = self._placer, self._slots - 1
        with m.State("EMPTY"):
            # A row of all tables, whatever lookups read: they see nothing.
            m.d.comb += [
                self.blind.eq(1),
                self._erase.eq(1),
                self._leave.eq(1),
                self._numbers.given.eq(self._row),
                self._numbers.give.eq(self.counted),
                self.access.write.eq(~0),
                self.access.address.eq(self._row),
                placer.vacated.eq(1),
                Value.cast(placer.slot).eq(self._row),
            ]
            self._count(m, CounterOp.RETIRE, self._row)
            m.d.sync += [self.present.eq(0), self._retry.eq(0)]
            with m.If(self.counted):
                m.d.sync += self._row.eq(self._row + 1)
                with m.If(self._row == last):
                    m.next = "EMPTIED"
        with m.State("EMPTIED"):
            m.d.comb += self.blind.eq(1)
            m.d.sync += self._clearing.eq(0)
            m.next = "IDLE"
            with m.If(self._clearing):
                self._answer(m, FlowStatus.OK)

    def _choosing(self, m):
        """Which job is next."""
        settings, settled = self.settings, self._settle + 1
        learns = Signal()
        room = Signal()
        m.d.comb += [
            learns.eq(self.found.missed & self._curious),
            room.eq(self._numbers.available & ~self.stash.valid),
        ]
        m.d.sync += [
            self.unlearned.eq(0),
            # No key has come or gone since the memories were read for what misses in a cycle.
            self._curious.eq(
                (settings.learn & self._learned.over)
                & ((self._quiet == settled) & ~self.event.valid)
            ),
        ]
        with m.State("IDLE"):
            m.d.sync += self._quiet.eq(0)
            # The stash follows what is looked up while it is empty; it stops at a new key.
            m.d.comb += self._entries.follow.eq(~self.stash.valid)
            with m.If(self._retry & self.stash.valid):
                # In front of the next command, so that no key moves between two that only read.
                m.d.sync += self._job.eq(Job.STASH)
                m.next = "PLACE"
            with m.Elif(self.command.valid):
                m.d.sync += self._job.eq(Job.COMMAND)
                self._decode(m)
            with m.Elif(learns):
                m.d.comb += self._learned.restart.eq(1)
                m.d.sync += self._curious.eq(0)
                with m.If(room):
                    m.d.sync += self._job.eq(Job.LEARNING)
                    self._arrive(m)
                with m.Else():
                    m.d.sync += self.unlearned.eq(1)
            with m.Elif(self._pace.due & self._ages & ~self.event.valid):
                m.d.sync += self._job.eq(Job.AGEING)
                self._look_at(m, self._pace.place)
            with m.Elif(self._quiet == settled):
                m.d.sync += self._quiet.eq(self._quiet)
            with m.Else():
                m.d.sync += self._quiet.eq(self._quiet + 1)

    def _decode(self, m):
        command = self.command.payload
        with m.Switch(command.op):
            with m.Case(FlowOp.INSERT, FlowOp.DELETE, FlowOp.UPDATE, FlowOp.READ):
                m.next = "PASS"
                with m.If(~command.key.kind.any()):
                    self._answer(m, FlowStatus.INVALID)
            with m.Case(FlowOp.READ_SLOT):
                self._look_at(m, command.slot)
                number = self._slots.bit_length() - 1  # its bit of this number is the stash's alone
                with m.If(
                    command.slot[number + 1 :].any()
                    | (command.slot[number] & command.slot[:number].any())
                ):
                    self._answer(m, FlowStatus.INVALID)
            with m.Case(FlowOp.CLEAR):
                m.d.comb += self._numbers.forget.eq(1)
                m.d.sync += [self._row.eq(0), self._clearing.eq(1)]
                m.next = "EMPTY"
            with m.Default():
                self._answer(m, FlowStatus.INVALID)

    def _look_at(self, m, place):
        """Fetches what is in a slot, or in the stash, which is behind the last slot."""
        stash = place[self._slots.bit_length() - 1]
        m.d.sync += [Value.cast(self._slot).eq(place), self._in_stash.eq(stash)]
        m.next = "FETCH"
        with m.If(stash):
            m.next = "FETCHED"
