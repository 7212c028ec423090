"""PacketFIFO."""

import pytest

from stellar_bench.amaranth_streams import StreamBench
from stellar_bench.packets import Packet
from stellar_bench.stream_suite import (
    assert_full_throughput,
    assert_no_path,
    assert_survives_reset,
    assert_transports,
    random_packets,
)
from stellar_nic.stream import PacketFIFO
from stellar_spec.streams import PACKET_WIDTHS

PULSES = ("dropped_error", "dropped_overflow")


def run(dut, packets, expected, *, rng, idle=0.0, stall=0.0):
    """Send ``packets``, require exactly ``expected``; the number of pulses of each kind."""
    bench = StreamBench(dut, rng=rng, idle=idle, stall=stall, watch=PULSES)
    bench.sources["i"].send(*packets)
    bench.sinks["o"].expect(*expected)
    bench.run()
    return tuple(len(bench.pulses[name]) for name in PULSES)


def blocked(dut, rng):
    """A bench whose sink accepts nothing until ``next_ready`` is given back to it."""
    bench = StreamBench(dut, rng=rng, watch=PULSES)
    sink = bench.sinks["o"]
    free, sink.next_ready = sink.next_ready, lambda: 0
    return bench, bench.sources["i"], sink, free


@pytest.mark.parametrize("width", PACKET_WIDTHS)
def test_mixed_packets(width, rng):
    depth = 8
    dut = PacketFIFO(width=width, depth=depth, meta=6)
    packets = random_packets(rng, 50, max_length=10 * width, meta_width=6, errors=0.3)
    short = [packet for packet in packets if len(packet.data) <= depth * width]
    good = [packet for packet in short if not packet.error]
    pulses = run(dut, packets, good, rng=rng, idle=0.3, stall=0.3)
    assert pulses == (len(short) - len(good), len(packets) - len(short))
    assert good and min(pulses) > 0


@pytest.mark.parametrize("depth", [2, 4, 16, 64])
def test_depths(depth, rng):
    dut = PacketFIFO(width=1, depth=depth)
    packets = random_packets(rng, 60, max_length=depth + 2, errors=0.2)
    short = [packet for packet in packets if len(packet.data) <= depth]
    good = [packet for packet in short if not packet.error]
    pulses = run(dut, packets, good, rng=rng, idle=0.3, stall=0.4)
    assert pulses == (len(short) - len(good), len(packets) - len(short))


BAD = {
    "error": Packet(bytes(range(20)), error=True),
    "error in one beat": Packet(b"\x01", error=True),
    "error, exactly depth": Packet(bytes(32), error=True),
    "one beat too long": Packet(bytes(33)),
    "much too long": Packet(bytes(300)),
    "too long and error": Packet(bytes(100), error=True),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_bad_packet_leaves_no_trace(bad, rng):
    good = [Packet(bytes(range(length))) for length in (32, 1, 17)]
    dut = PacketFIFO(width=4, depth=8)
    packets = [good[0], bad, good[1], bad, bad, good[2]]
    overflow = len(bad.data) > 32
    expected = (0, 3) if overflow else (3, 0)
    assert run(dut, packets, good, rng=rng) == expected


def test_bad_packets_alone(rng):
    packets = list(BAD.values())
    assert run(PacketFIFO(width=4, depth=8), packets, [], rng=rng, idle=0.2) == (3, 3)


def test_pulse_comes_one_cycle_after_last(rng):
    for bad, name in ((BAD["error"], "dropped_error"), (BAD["much too long"], "dropped_overflow")):
        bench = StreamBench(PacketFIFO(width=4, depth=8), rng=rng, watch=PULSES)
        bench.sources["i"].send(bad)
        bench.run()
        assert bench.pulses[name] == [bench.sources["i"].transfers[-1] + 1]
        assert sum(map(len, bench.pulses.values())) == 1


@pytest.mark.parametrize("beats", range(1, 9))
def test_latency_from_last_beat(beats, rng):
    dut = PacketFIFO(width=2, depth=8)
    bench = assert_transports(dut, [Packet(bytes(2 * beats))], rng=rng)
    assert len(bench.sources["i"].transfers) == beats
    assert bench.sinks["o"].transfers[0] - bench.sources["i"].transfers[-1] == dut.latency == 2


def test_nothing_shows_before_the_last_beat(rng):
    bench = StreamBench(PacketFIFO(width=1, depth=8), rng=rng)
    packet = Packet(b"1234567")
    source = bench.sources["i"]
    source.send(packet)
    source.throttle.paused = lambda: len(source.transfers) >= 6  # all but the last beat

    async def main(ctx):
        for _ in range(40):
            await ctx.tick()
            assert not ctx.get(bench.dut.o.valid)
        assert source.in_packet and source.pending == 1
        bench.sinks["o"].expect(packet)
        source.throttle.paused = lambda: False
        await bench.drain(ctx)

    bench.run(main)


@pytest.mark.parametrize("port", ["i", "o"])
def test_full_throughput(port, rng):
    # Equal lengths: each packet leaves while the next arrives, so the output has no bubble either.
    packets = [Packet(rng.randbytes(12)) for _ in range(30)]
    assert_full_throughput(PacketFIFO(width=4, depth=8), packets, rng=rng, port=port)


def test_swallows_at_full_rate(rng):
    bench = StreamBench(PacketFIFO(width=1, depth=4), rng=rng)
    bench.sources["i"].send(Packet(bytes(50)), Packet(b"good"))
    bench.sinks["o"].expect(Packet(b"good"))
    bench.run()
    transfers = bench.sources["i"].transfers
    assert len(transfers) == transfers[-1] - transfers[0] + 1 == 54


def test_waits_when_merely_full(rng):
    bench, source, sink, free = blocked(PacketFIFO(width=1, depth=8), rng)
    packets = [Packet(b"abcdef"), Packet(b"ghijkl"), Packet(b"m")]
    source.send(*packets)

    async def main(ctx):
        await bench.wait(ctx, 40)
        # One beat waits in the output register, so the memory has room for eight of the others.
        assert len(source.transfers) == 9
        assert not ctx.get(bench.dut.i.ready)
        sink.expect(*packets)
        sink.next_ready = free
        await bench.drain(ctx)

    bench.run(main)
    assert bench.pulses == {"dropped_error": [], "dropped_overflow": []}


def test_too_long_behind_a_waiting_packet(rng):
    bench, source, sink, free = blocked(PacketFIFO(width=1, depth=8), rng)
    good = [Packet(b"abc"), Packet(b"defgh")]
    source.send(good[0], Packet(bytes(30)), good[1])

    async def main(ctx):
        await bench.wait(ctx, 60)
        assert not ctx.get(bench.dut.i.ready)  # can't tell yet: the first packet is in the way
        sink.expect(*good)
        sink.next_ready = free
        await bench.drain(ctx)

    bench.run(main)
    assert [len(cycles) for cycles in bench.pulses.values()] == [0, 1]


def test_drop_when_full_never_waits(rng):
    bench, source, sink, free = blocked(PacketFIFO(width=1, depth=8, drop_when_full=True), rng)
    source.send(
        Packet(b"abcdef"), Packet(b"ghijkl"), Packet(b"mn"), Packet(bytes(20)), Packet(b"o")
    )

    async def main(ctx):
        await bench.wait(ctx, 50)
        assert source.pending == 0
        assert source.transfers[-1] - source.transfers[0] == 34
        # 6 + 2 + 1 beats fit, one of them in the output register.
        sink.expect(Packet(b"abcdef"), Packet(b"mn"), Packet(b"o"))
        sink.next_ready = free
        await bench.drain(ctx)

    bench.run(main)
    assert [len(cycles) for cycles in bench.pulses.values()] == [0, 2]


@pytest.mark.parametrize("width", [1, 8])
def test_drop_when_full_accounts_for_every_packet(width, rng):
    dut = PacketFIFO(width=width, depth=16, meta=16, drop_when_full=True)
    bench = StreamBench(dut, rng=rng, idle=0.2, stall=0.7, watch=PULSES)
    packets = [
        Packet(packet.data, packet.error, meta=number)
        for number, packet in enumerate(random_packets(rng, 120, max_length=18 * width, errors=0.2))
    ]
    bench.sources["i"].send(*packets)
    bench.run()
    received = bench.sinks["o"].received
    good = [packet for packet in packets if not packet.error]
    numbers = [packet.meta for packet in received]
    assert numbers == sorted(set(numbers))
    assert received == [packets[number] for number in numbers]
    errors, overflows = (len(bench.pulses[name]) for name in PULSES)
    assert len(received) + errors + overflows == len(packets)
    assert 0 < len(received) < len(good) and errors and overflows


@pytest.mark.parametrize("drop_when_full", [False, True])
def test_reset_in_packet(drop_when_full, rng):
    def batch():
        return random_packets(rng, 4, max_length=16)

    dut = PacketFIFO(width=2, depth=64, drop_when_full=drop_when_full)
    assert_survives_reset(dut, batch, rng=rng, times=12)


def test_reset_while_swallowing(rng):
    bench = StreamBench(PacketFIFO(width=1, depth=4), rng=rng, watch=PULSES)

    async def main(ctx):
        bench.sources["i"].send(Packet(bytes(100)))
        await bench.wait(ctx, 30)
        assert bench.sources["i"].in_packet
        await bench.reset(ctx)
        bench.sources["i"].send(Packet(b"good"))
        bench.sinks["o"].expect(Packet(b"good"))
        await bench.drain(ctx)

    bench.run(main)
    assert [len(cycles) for cycles in bench.pulses.values()] == [0, 0]


@pytest.mark.parametrize("drop_when_full", [False, True])
def test_no_combinational_path(drop_when_full, rng):
    packets = [Packet(rng.randbytes(rng.randint(1, 8))) for _ in range(8)]
    dut = PacketFIFO(width=2, depth=32, drop_when_full=drop_when_full)
    assert_no_path(dut, packets, rng=rng, registered=True)


@pytest.mark.usefixtures("unused")
def test_parameters():
    dut = PacketFIFO(width=4, depth=8, meta=3, drop_when_full=True)
    assert (dut.width, dut.depth, dut.meta, dut.drop_when_full) == (4, 8, 3, True)
    assert PacketFIFO(width=4, depth=8).drop_when_full is False
    with pytest.raises(ValueError, match=r"width must be one of 1, 2, 4, .*, 64, not 3"):
        PacketFIFO(width=3, depth=8)
    with pytest.raises(ValueError, match="depth must be a power of two, not 12; the next is 16"):
        PacketFIFO(width=4, depth=12)
    with pytest.raises(ValueError, match="depth must be at least 2, not 1"):
        PacketFIFO(width=4, depth=1)
    with pytest.raises(TypeError, match="drop_when_full must be True or False, not 1"):
        PacketFIFO(width=4, depth=8, drop_when_full=1)
    with pytest.raises(TypeError, match="meta must be a shape, .* not 'port'"):
        PacketFIFO(width=4, depth=8, meta="port")
