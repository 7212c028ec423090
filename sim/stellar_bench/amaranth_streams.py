"""Bench around one component in Amaranth's simulator: every stream port is driven and checked.

::

    bench = StreamBench(RegisterSlice(shape=8), rng=random.Random(seed), idle=0.3, stall=0.3)
    bench.sources["i"].send(*payloads)
    bench.sinks["o"].expect(*payloads)
    bench.run()
"""

from amaranth.hdl import ClockDomain, Module, Shape, Value
from amaranth.lib import stream, wiring
from amaranth.sim import Simulator

from stellar_nic.stream import PacketLayout, StreamRule, checker_of

from .bench_base import BenchBase
from .packets import PacketFormat
from .stream_agents import Sink, Source, StreamViolation
from .waves import recorded

__all__ = ["StreamBench"]


class StreamBench(BenchBase):
    """A component with a source on each stream input, a sink on each stream output, and the
    contract's checker on both.

    Parameters
    ----------
    dut : wiring.Component
        Its stream ports are found through its signature; its clock domain is ``sync``.
    rng : random.Random
        For all random choices.
    idle, stall : float
        Share of the time in which sources offer nothing and sinks accept nothing.
    watch : iterable of str
        One-bit outputs of ``dut``; ``pulses[name]`` lists the cycles in which they were high.
    """

    def __init__(self, dut, *, rng, idle=0.0, stall=0.0, watch=()):
        super().__init__()
        self.dut = dut
        self.pulses = {name: [] for name in watch}
        self._checkers = {}
        self.module = Module()
        self.module.domains.sync = self.domain = ClockDomain("sync")
        self.module.submodules.dut = dut
        for name, member in dut.signature.members.items():
            if member.is_port or not isinstance(member.signature, stream.Signature):
                continue
            port = getattr(dut, name)
            fmt = _format_of(port)
            self._check(name, port)
            if member.flow == wiring.In:
                bits = len(Value.cast(port.payload))
                self.sources[name] = Source(bits, rng=rng, fmt=fmt, idle=idle)
            else:
                self.sinks[name] = Sink(name, rng=rng, fmt=fmt, stall=stall)
        if not self._checkers:
            raise TypeError(f"{dut!r} has no stream port")

    def run(self, main=None):
        """Simulate ``await main(ctx)``, by default :meth:`drain`, to its end."""
        sim = Simulator(self.module)
        sim.add_clock(8e-9)
        sim.add_process(self._process)
        sim.add_testbench(main or self.drain)
        with recorded(sim):
            sim.run()

    async def drain(self, ctx):
        """Wait until all is sent, received and quiet; fail on leftovers, see :class:`BenchBase`."""
        await self.drain_by(lambda cycles: self.wait(ctx, cycles))

    async def reset(self, ctx, cycles=1):
        """Reset the component; sources, sinks and checkers forget what was under way."""
        ctx.set(self.domain.rst, 1)
        await self.wait(ctx, cycles)
        ctx.set(self.domain.rst, 0)

    async def wait(self, ctx, cycles):
        """Let some cycles pass."""
        # ctx.tick().repeat() does the same, but complains when another failure ends the simulation.
        for _ in range(cycles):
            await ctx.tick()

    def _check(self, name, port):
        checker = checker_of(port)
        self.module.submodules[f"check_{name}"] = checker
        self.module.d.comb += checker.observe(port)
        self._checkers[name] = checker

    async def _process(self, ctx):
        sources = [(source, getattr(self.dut, name)) for name, source in self.sources.items()]
        sinks = [(sink, getattr(self.dut, name)) for name, sink in self.sinks.items()]
        sampled = [
            *(checker.rule for checker in self._checkers.values()),
            *(getattr(self.dut, name) for name in self.pulses),
            *(port.ready for _, port in sources),
            *(value for _, port in sinks for value in (port.valid, _bits(port.payload))),
        ]
        ready = [0] * len(sinks)
        async for _, in_reset, *values in ctx.tick().sample(*sampled):
            self.cycle += 1
            values = iter(values)
            self._step_checkers(values)
            for name in self.pulses:
                if next(values):
                    self.pulses[name].append(self.cycle)
            if in_reset:
                self._drive_reset(ctx, sources, sinks, ready)
                continue
            for source, port in sources:
                drive = self.step_source(source, next(values))
                if drive:
                    ctx.set(port.valid, drive[0])
                    ctx.set(Value.cast(port.payload), drive[1])
            for index, (sink, port) in enumerate(sinks):
                valid, payload = next(values), next(values)
                next_ready = self.step_sink(sink, valid, ready[index], payload)
                if next_ready != ready[index]:
                    ready[index] = next_ready
                    ctx.set(port.ready, next_ready)

    def _step_checkers(self, values):
        for name in self._checkers:
            rule = next(values)
            if rule:
                rule = StreamRule(rule)
                # The checker's output is a register: the fault was in the cycle before.
                raise StreamViolation(name, self.cycle - 1, rule, rule.name)

    def _drive_reset(self, ctx, sources, sinks, ready):
        for source, port in sources:
            valid, payload = source.reset()
            ctx.set(port.valid, valid)
            ctx.set(Value.cast(port.payload), payload)
        for index, (sink, port) in enumerate(sinks):
            ready[index] = sink.reset()
            ctx.set(port.ready, 0)


def _bits(payload):
    return Value.cast(payload).as_unsigned()


def _format_of(port):
    layout = port.payload.shape()
    if not isinstance(layout, PacketLayout):
        return None
    return PacketFormat(layout.width, Shape.cast(layout.meta).width)
