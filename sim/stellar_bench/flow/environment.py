"""The flow table in cocotb: commands one by one, lookups beside them, held against the model."""

import hashlib
from collections import deque
from random import Random

import cocotb
from cocotb.triggers import RisingEdge

from stellar_model.flow import Accounting, Command, FlowModel, Mismatch, Record, RecordFormat, Time
from stellar_model.flow.hash import KEY_BITS
from stellar_spec.flow import FlowOp, FlowStatus

from ..results import TestResult
from ..streams import StreamBench
from .ports import ACTION_BITS, KIND_BITS, OP_BITS, SLOT_BITS, STATUS_BITS, TablePorts
from .timeline import Change, Looked, Timeline

__all__ = ["FlowEnvironment"]

ACTION_AT = OP_BITS + SLOT_BITS + KEY_BITS
COUNTED = 8
"""Cycles from an accounting's transfer until it is counted, at most."""


class FlowEnvironment:
    """The device, its streams, and the model beside it.

    Parameters
    ----------
    dut
        cocotb's handle of the exported table.
    slots, latency : int
        What docs/flow-table.md promises of it.
    rng : random.Random
        For all that is random.
    result : TestResult
        Where comparisons are counted: a command and a lookup are a frame each.
    """

    PATIENCE = 60_000
    """Cycles that a command may take: a search of 512 keys beside lookups, generously."""

    def __init__(self, dut, *, slots: int, latency: int, rng: Random, result: TestResult):
        self.dut, self.slots, self.latency, self.rng = dut, slots, latency, rng
        self.result, self.ports = result, TablePorts(slots)
        self.bench = StreamBench(dut, rng=rng)
        for name in ("request", "account", "command"):
            self.bench.add_source(name)
        for name in ("answer", "event"):
            self.bench.add_sink(name)
        self.model = FlowModel(slots=slots)
        self.timeline, self.looks = Timeline(), []
        self.refused = self.stale = self.unlearned = 0
        self.background: list[int] = []
        """Keys of which one is looked up in every cycle; none: nothing is."""
        self._answers, self._events = (
            RecordFormat(slots=slots, code_bits=bits, key_bits=KEY_BITS)
            for bits in (STATUS_BITS, KIND_BITS)
        )
        self._asked: deque[tuple[int, int]] = deque()
        self._now = 0
        self._taken = {"answer": 0, "event": 0}
        self._digest = hashlib.blake2b(digest_size=16)
        self._failure = None

    async def start(self, **settings: int) -> None:
        """Start the clock, reset, and wait until the table has been emptied."""
        self.dut.now.value = self._now
        self.configure(**settings)
        self.bench.start()
        cocotb.start_soon(self._watch())
        await self.reset()

    async def reset(self, cycles: int = 2) -> None:
        """Reset; model, lookups under way and what came are forgotten.  Keeps generations."""
        await self.bench.reset(cycles)
        self._asked.clear()
        self.timeline, settings = Timeline(), self.model.settings
        self.model = FlowModel(slots=self.slots)
        self.model.configure(**settings)
        self._taken = {name: len(self.bench.sinks[name].received) for name in self._taken}

    def configure(self, **settings: int) -> None:
        """Give gateware and model these settings."""
        self.dut.settings.value = self.ports.settings(**settings)
        known = {name: value for name, value in settings.items() if name != "learn_interval"}
        self.model.configure(**known)

    def tick(self, units: int = 1) -> None:
        """Let the time go on."""
        self._now = self._now + units & (1 << 24) - 1
        self.dut.now.value = self._now

    async def ticks(self, count: int) -> None:
        """Let clock edges pass.  Raises what the watch has found."""
        await self.bench.ticks(count)
        if self._failure:
            raise self._failure

    async def command(self, op: int, key: int = 0, action: int = 0, slot: int = 0) -> Record:
        """Carry out a command; its answer, which the model has approved.  Raises ``Mismatch``."""
        payload = op | slot << OP_BITS | key << OP_BITS + SLOT_BITS | action << ACTION_AT
        offered = self.bench.cycle
        self.bench.sources["command"].send(payload)
        given = self._answers.unpack(await self._next("answer"))
        answered = self.bench.sinks["answer"].transfers[-1]
        known = self.model.answer(Command(op, slot, key, action), given, time=self._time())
        self.result.frames += 1
        self._digest.update(repr(known).encode())
        if known.code in (FlowStatus.OK, FlowStatus.UPDATED) and op != FlowOp.READ_SLOT:
            gone = op in (FlowOp.DELETE, FlowOp.CLEAR)
            state = None if gone else (known.action, known.flow, known.generation)
            change = Change(op, offered, answered, state)
            if op == FlowOp.CLEAR:
                self.timeline.add_to_all(change)
            elif op != FlowOp.READ:
                self.timeline.add(key, change)
        return known

    async def event(self) -> Record:
        """The next event, which the model has approved."""
        given = self._events.unpack(await self._next("event"))
        self.result.frames += 1
        return self.model.event(given, time=self._time())

    async def account(self, *packets: tuple[int, int, int]) -> None:
        """Account packets (flow, generation, bytes) back to back; wait until all are counted."""
        bits = (self.slots - 1).bit_length()
        source = self.bench.sources["account"]
        source.send(*(flow | gen << bits | size << bits + 15 for flow, gen, size in packets))
        while source.pending:
            await self.ticks(1)
        await self.ticks(COUNTED)
        for packet in packets:
            self.model.account(Accounting(*packet, self._time()))

    async def look(self, *keys: int) -> list[Looked]:
        """Look up keys back to back; what was found."""
        first = len(self.looks)
        self.bench.sources["request"].send(*keys)
        while len(self.looks) < first + len(keys):
            await self.ticks(1)
        return self.looks[first:]

    def judge(self) -> None:
        """Hold all lookups against what the commands allowed.  Raises ``Mismatch``."""
        for look in self.looks:
            if look.found not in (allowed := self.timeline.allowed(look)):
                self.result.mismatches += 1
                raise Mismatch(
                    f"the lookup of cycle {look.asked} for {look.key:#x} found {look.found} in "
                    f"cycle {look.told}; allowed: {sorted(allowed, key=str)}"
                )
        self.result.frames += len(self.looks)
        self.looks.clear()

    def finish(self) -> None:
        """Judge, and see that nothing is left over."""
        self.judge()
        for name, taken in self._taken.items():
            self.result.leftovers += len(self.bench.sinks[name].received) - taken
        assert not self.result.leftovers, "answers or events that nobody has asked for"
        self.result.digest = self._digest.hexdigest()
        self.result.cycles = self.bench.cycle

    def _time(self) -> Time:
        return Time(self._now - 1 & (1 << 24) - 1, self._now)

    async def _next(self, name: str) -> int:
        sink, at, since = self.bench.sinks[name], self._taken[name], self.bench.cycle
        while len(sink.received) == at:
            await self.ticks(1)
            if self.bench.cycle > since + self.PATIENCE:
                raise TimeoutError(f"no {name} within {self.PATIENCE} cycles")
        self._taken[name] += 1
        return sink.received[at]

    async def _watch(self) -> None:
        """Requests and results at every clock edge; feeds the lookups in the background."""
        dut, edge = self.dut, RisingEdge(self.dut.clk)
        request = self.bench.sources["request"]
        while self._failure is None:
            await edge
            cycle = self.bench.cycle
            if int(dut.rst.value):
                self._asked.clear()
                continue
            try:
                self._look(cycle)
            except AssertionError as failure:
                self._failure = failure
            if self.background and request.pending < 2:
                request.send(self.rng.choice(self.background))

    def _look(self, cycle: int) -> None:
        dut = self.dut
        self.stale += int(dut.stale.value)
        self.unlearned += int(dut.unlearned.value)
        if int(dut.request__valid.value):
            if int(dut.request__ready.value):
                self._asked.append((cycle, int(str(dut.request__payload.value), 2)))
            else:
                self.refused += 1
        if not int(dut.result__valid.value):
            assert not (self._asked and cycle - self._asked[0][0] >= self.latency), (
                f"cycle {cycle}: no result for the request of cycle {self._asked[0][0]}"
            )
            return
        assert self._asked, f"cycle {cycle}: a result without a request"
        asked, key = self._asked.popleft()
        assert cycle - asked == self.latency, f"latency is {cycle - asked} in cycle {cycle}"
        value = int(str(dut.result__payload.value), 2)
        found, rest = None, value >> 1
        if value & 1:
            bits = (self.slots - 1).bit_length()
            flow = rest >> ACTION_BITS & (1 << bits) - 1
            found = (rest & (1 << ACTION_BITS) - 1, flow, rest >> ACTION_BITS + bits)
        else:
            assert value == 0, f"cycle {cycle}: no hit, but the result is {value:#x}"
        self.looks.append(Looked(key, asked, cycle, found))
