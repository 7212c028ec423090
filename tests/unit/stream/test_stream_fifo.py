"""StreamFIFO."""

import pytest

from stellar_bench.amaranth_streams import StreamBench
from stellar_bench.stream_suite import (
    assert_full_throughput,
    assert_no_path,
    assert_survives_reset,
    assert_transports,
    random_packets,
)
from stellar_nic.stream import PacketLayout, StreamFIFO

DEPTHS = (3, 4, 5, 8, 64)


@pytest.mark.parametrize("depth", DEPTHS)
def test_records(depth, rng):
    payloads = [rng.getrandbits(40) for _ in range(200)]
    assert_transports(StreamFIFO(shape=40, depth=depth), payloads, rng=rng, idle=0.4, stall=0.4)


def test_packets(rng):
    packets = random_packets(rng, 30, max_length=30, meta_width=3, errors=0.3)
    dut = StreamFIFO(shape=PacketLayout(4, 3), depth=8)
    assert_transports(dut, packets, rng=rng, idle=0.3, stall=0.3)


@pytest.mark.parametrize("depth", DEPTHS)
def test_latency(depth, rng):
    dut = StreamFIFO(shape=8, depth=depth)
    bench = assert_transports(dut, [0x55], rng=rng)
    assert bench.sinks["o"].transfers[0] - bench.sources["i"].transfers[0] == dut.latency == 2


@pytest.mark.parametrize("port", ["i", "o"])
@pytest.mark.parametrize("depth", DEPTHS)
def test_full_throughput(depth, port, rng):
    dut = StreamFIFO(shape=8, depth=depth)
    assert_full_throughput(dut, range(100), rng=rng, port=port)


@pytest.mark.parametrize("depth", DEPTHS)
def test_holds_exactly_depth(depth, rng):
    bench = StreamBench(StreamFIFO(shape=8, depth=depth), rng=rng)
    source, sink = bench.sources["i"], bench.sinks["o"]
    source.send(*range(depth + 3))
    stalled, sink.next_ready = sink.next_ready, lambda: 0

    async def main(ctx):
        await bench.wait(ctx, depth + 10)
        assert len(source.transfers) == depth
        assert ctx.get(bench.dut.level) == depth
        sink.expect(*range(depth + 3))
        sink.next_ready = stalled
        await bench.drain(ctx)
        assert ctx.get(bench.dut.level) == 0

    bench.run(main)


def test_level_counts_what_is_inside(rng):
    bench = StreamBench(StreamFIFO(shape=8, depth=5), rng=rng, idle=0.4, stall=0.4)
    bench.sources["i"].send(*range(150))
    bench.sinks["o"].expect(*range(150))
    seen = set()

    async def main(ctx):
        for _ in range(300):
            await ctx.tick()
            level = ctx.get(bench.dut.level)
            inside = len(bench.sources["i"].transfers) - len(bench.sinks["o"].transfers)
            assert level == inside
            seen.add(level)
        await bench.drain(ctx)

    bench.run(main)
    assert seen == set(range(6))


def test_reset_in_packet(rng):
    def batch():
        return random_packets(rng, 20, max_length=40)

    assert_survives_reset(StreamFIFO(shape=PacketLayout(2), depth=8), batch, rng=rng)


def test_no_combinational_path(rng):
    payloads = [rng.getrandbits(16) for _ in range(100)]
    assert_no_path(StreamFIFO(shape=16, depth=5), payloads, rng=rng, registered=True)


@pytest.mark.usefixtures("unused")
def test_parameters():
    dut = StreamFIFO(shape=8, depth=16)
    assert (dut.shape, dut.depth) == (8, 16)
    with pytest.raises(ValueError, match="depth must be at least 3, not 2"):
        StreamFIFO(shape=8, depth=2)
    with pytest.raises(TypeError, match="depth must be an integer, not '16'"):
        StreamFIFO(shape=8, depth="16")
    with pytest.raises(TypeError, match="depth must be an integer, not True"):
        StreamFIFO(shape=8, depth=True)
    with pytest.raises(ValueError, match="shape must have at least 1 bit"):
        StreamFIFO(shape=0, depth=16)
