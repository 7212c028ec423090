"""Bench around exported Verilog under cocotb: stream ports are driven and checked.

::

    bench = StreamBench(dut, rng=random.Random(seed), formats={"i": fmt, "o": fmt})
    bench.add_source("i", idle=0.3)
    bench.add_sink("o", stall=0.3)
    bench.start()
    await bench.reset()
    bench.sources["i"].send(*packets)
    bench.sinks["o"].expect(*packets)
    await bench.drain()

A stream named ``i`` has the ports ``i__valid``, ``i__ready`` and ``i__payload``, the last being the
whole payload as one vector: so Amaranth exports a stream. One task does all ports at each clock
edge, because waking a task is what a cycle costs most.
"""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, RisingEdge

from .bench_base import BenchBase
from .stream_agents import Monitor, Sink, Source

__all__ = ["StreamBench"]


class StreamBench(BenchBase):
    """Sources, sinks and monitors on the stream ports of ``dut``.

    Parameters
    ----------
    dut
        cocotb's handle of the component, or of a scope within it.
    rng : random.Random
        For all random choices.
    formats : dict, optional
        The :class:`PacketFormat` of each packet stream by name. The payloads of other streams are
        numbers, and opaque.
    clock, reset : str
        Names of the clock, which :meth:`start` drives, and of the synchronous reset, active high.
    """

    PERIOD = 8000
    """Of the clock, in simulator time steps."""

    def __init__(self, dut, *, rng, formats=None, clock="clk", reset="rst"):
        super().__init__()
        self.dut = dut
        self.monitors = {}
        """Monitors of further streams by name, see :meth:`add_monitor`."""
        self._rng = rng
        self._formats = formats or {}
        self._clock = self._handle(clock)
        self._reset = self._handle(reset)
        self._in_reset = False
        self._failure = None
        self._waiting = []

    def add_source(self, name, *, idle=0.0):
        """Drive the stream input ``name``. Returns the :class:`Source`."""
        bits = len(self._handle(f"{name}__payload"))
        fmt = self._formats.get(name)
        self.sources[name] = Source(bits, rng=self._rng, fmt=fmt, idle=idle)
        return self.sources[name]

    def add_sink(self, name, *, stall=0.0):
        """Take from the stream output ``name``. Returns the :class:`Sink`."""
        self.sinks[name] = Sink(name, rng=self._rng, fmt=self._formats.get(name), stall=stall)
        return self.sinks[name]

    def add_monitor(self, name):
        """Check the stream ``name``, which others drive. Returns the :class:`Monitor`."""
        self.monitors[name] = Monitor(name, fmt=self._formats.get(name))
        return self.monitors[name]

    def start(self):
        """Start the clock; sources offer nothing yet, sinks accept nothing yet."""
        self._reset.value = 0
        sources = [self._ports(*item) for item in self.sources.items()]
        sinks = [self._ports(*item) for item in self.sinks.items()]
        monitors = [self._ports(*item) for item in self.monitors.items()]
        for _, _, valid, _, payload in sources:
            valid.value = 0
            payload.value = 0
        for _, _, _, ready, _ in sinks:
            ready.value = 0
        Clock(self._clock, self.PERIOD, unit="step").start(start_high=False)
        cocotb.start_soon(self._run(sources, sinks, monitors))

    async def ticks(self, count=1):
        """Let ``count`` clock edges pass.

        Raises
        ------
        StreamViolation, ScoreboardError
            If a monitor or a sink has failed, or does so meanwhile. Where nobody waits here, the
            test fails at once.
        """
        if self._failure is None:
            event = Event()
            self._waiting.append((self.cycle + count, event))
            await event.wait()
        if self._failure is not None:
            raise self._failure

    async def reset(self, cycles=2):
        """Reset the component; sources, sinks and monitors forget what was under way."""
        self._reset.value = 1
        self._in_reset = True
        await self.ticks(cycles)
        self._reset.value = 0
        self._in_reset = False

    async def drain(self):
        """Wait until all is sent, received and quiet; fail on leftovers, see :class:`BenchBase`."""
        await self.drain_by(self.ticks)

    async def _run(self, sources, sinks, monitors):
        edge = RisingEdge(self._clock)
        readies = [0] * len(sinks)
        try:
            while True:
                await edge
                # The clock has risen, but no register has moved: these are the old cycle's values.
                self.cycle += 1
                if self._in_reset:
                    self._drive_reset(sources, sinks, monitors)
                    readies = [0] * len(sinks)
                else:
                    self._step_sources(sources)
                    self._step_sinks(sinks, readies)
                    self._step_monitors(monitors)
                if self._waiting:
                    self._wake()
        except Exception as failure:
            self._failure = failure
            if not self._waiting:
                raise
            self._wake(all_of_them=True)

    def _step_sources(self, sources):
        for source, monitor, valid, ready, payload in sources:
            # What is on the wires is what was driven, so there is nothing to read but ready.
            offering = source.offering
            accepted = offering and int(ready.value)
            monitor.step(self.cycle, offering, accepted, source.offered)
            drive = self.step_source(source, accepted)
            if drive:
                if drive[0] != offering:
                    valid.value = drive[0]
                payload.value = drive[1]

    def _step_sinks(self, sinks, readies):
        for index, (sink, monitor, valid, ready, payload) in enumerate(sinks):
            was_ready = readies[index]
            offered = int(valid.value)
            value = _read(payload) if offered else 0
            monitor.step(self.cycle, offered, was_ready, value)
            next_ready = self.step_sink(sink, offered, was_ready, value)
            if next_ready != was_ready:
                readies[index] = next_ready
                ready.value = int(next_ready)

    def _step_monitors(self, monitors):
        for _, monitor, valid, ready, payload in monitors:
            offered = int(valid.value)
            value = _read(payload) if offered else 0
            monitor.step(self.cycle, offered, offered and int(ready.value), value)

    def _drive_reset(self, sources, sinks, monitors):
        for source, monitor, valid, _, payload in sources:
            valid.value, payload.value = source.reset()
            monitor.reset()
        for sink, monitor, _, ready, _ in sinks:
            ready.value = sink.reset()
            monitor.reset()
        for _, monitor, *_ in monitors:
            monitor.reset()

    def _wake(self, *, all_of_them=False):
        waiting, self._waiting = self._waiting, []
        for due, event in waiting:
            if all_of_them or self.cycle >= due:
                event.set()
            else:
                self._waiting.append((due, event))

    def _ports(self, name, agent):
        """``agent``, the monitor of its stream, and the stream's handles."""
        if isinstance(agent, Monitor):
            monitor = agent
        else:
            monitor = Monitor(name, fmt=self._formats.get(name))
        ports = (self._handle(f"{name}__{part}") for part in ("valid", "ready", "payload"))
        return (agent, monitor, *ports)

    def _handle(self, name):
        try:
            return getattr(self.dut, name)
        except AttributeError:
            there = ", ".join(sorted(handle._name for handle in self.dut)) or "nothing"
            raise AttributeError(
                f"{self.dut._name} has no signal {name!r}; it has {there}"
            ) from None


def _read(handle):
    # Through text: a LogicArray's own conversion to a number takes half as long again.
    return int(str(handle.value), 2)
