"""The standard tests of a block with stream ports, in Amaranth's simulator.

Each takes a fresh component and fails with AssertionError. They suit a block with an input ``i``
and an output ``o``; what is sent must come out again.
"""

import itertools

from amaranth.hdl import Value

from .amaranth_streams import StreamBench
from .packets import Packet

__all__ = [
    "assert_full_throughput",
    "assert_no_path",
    "assert_survives_reset",
    "assert_transports",
    "random_packets",
]


def random_packets(rng, count, *, max_length, meta_width=0, errors=0.0):
    """``count`` packets of 1 to ``max_length`` bytes, a share ``errors`` of them with ``error``."""
    return [
        Packet(
            rng.randbytes(rng.randint(1, max_length)),
            rng.random() < errors,
            rng.getrandbits(meta_width) if meta_width else 0,
        )
        for _ in range(count)
    ]


def assert_transports(dut, items, *, rng, idle=0.0, stall=0.0, prepare=None):
    """What goes in comes out, in order, and nothing else does. Returns the bench.

    ``prepare(bench)`` is called before it runs.
    """
    bench = StreamBench(dut, rng=rng, idle=idle, stall=stall)
    if prepare:
        prepare(bench)
    bench.sources["i"].send(*items)
    bench.sinks["o"].expect(*items)
    bench.run()
    assert bench.sinks["o"].received == list(items)
    return bench


def assert_full_throughput(dut, items, *, rng, port):
    """Without pauses, ``port`` (``i`` or ``o``) moves one beat per cycle. Returns the bench."""
    bench = assert_transports(dut, items, rng=rng)
    transfers = (bench.sources if port == "i" else bench.sinks)[port].transfers
    assert len(transfers) > 1
    gaps = [later for before, later in itertools.pairwise(transfers) if later != before + 1]
    assert not gaps, f"{port} stood still before cycle {gaps[0]} ({len(gaps)} bubbles)"
    return bench


def assert_survives_reset(dut, batch, *, rng, times=8):
    """Resets in the middle of packets leave nothing behind. ``batch()`` makes fresh packets."""
    bench = StreamBench(dut, rng=rng, idle=0.2, stall=0.4)
    source, sink = bench.sources["i"], bench.sinks["o"]
    in_packet = 0

    async def main(ctx):
        nonlocal in_packet
        for _ in range(times):
            _send(source, sink, batch())
            await bench.wait(ctx, rng.randint(2, 40))
            in_packet += source.in_packet
            await bench.reset(ctx, rng.randint(1, 3))
        _send(source, sink, batch())
        await bench.drain(ctx)

    bench.run(main)
    assert in_packet, "no reset fell into a packet: send longer ones"


def assert_no_path(dut, items, *, rng, registered=False, cycles=150):
    """No input that changes within a cycle moves an output that must not depend on it.

    The contract forbids a path from ``ready`` to any stream's ``valid`` or payload. With
    ``registered``, no input of a stream may reach any output of a stream.
    """
    bench = StreamBench(dut, rng=rng, idle=0.3, stall=0.5)
    bench.sources["i"].send(*items)
    bench.sinks["o"].expect(*items)
    outputs, inputs = {}, {}
    for name in bench.sinks:
        port = getattr(dut, name)
        outputs |= {f"{name}.valid": port.valid, f"{name}.payload": Value.cast(port.payload)}
        inputs[f"{name}.ready"] = port.ready
    for name in bench.sources if registered else ():
        port = getattr(dut, name)
        outputs[f"{name}.ready"] = port.ready
        inputs |= {f"{name}.valid": port.valid, f"{name}.payload": Value.cast(port.payload)}

    async def main(ctx):
        for _ in range(cycles):
            await ctx.tick()
            before = {name: ctx.get(signal) for name, signal in outputs.items()}
            for name, signal in inputs.items():
                value = ctx.get(signal)
                ctx.set(signal, value ^ ((1 << len(signal)) - 1))
                after = {name: ctx.get(signal) for name, signal in outputs.items()}
                ctx.set(signal, value)
                moved = [output for output in outputs if before[output] != after[output]]
                assert not moved, f"{name} reaches {', '.join(moved)} within a cycle"
        await bench.drain(ctx)

    bench.run(main)


def _send(source, sink, items):
    source.send(*items)
    sink.expect(*items)
