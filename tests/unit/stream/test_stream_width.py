"""WidthConverter."""

import itertools

import pytest

from stellar_bench.packets import Packet
from stellar_bench.stream_suite import (
    assert_full_throughput,
    assert_no_path,
    assert_survives_reset,
    assert_transports,
    random_packets,
)
from stellar_nic.stream import WidthConverter
from stellar_spec.streams import PACKET_WIDTHS

PAIRS = list(itertools.product(PACKET_WIDTHS, repeat=2))
SOME = [(1, 2), (1, 8), (2, 8), (8, 64), (4, 4), (2, 1), (8, 1), (8, 4), (64, 8)]


@pytest.mark.parametrize(("width_in", "width_out"), PAIRS)
def test_every_pair(width_in, width_out, rng):
    """Lengths around the multiples of both widths, with pauses on both sides."""
    wide = max(width_in, width_out)
    lengths = {1, 2, wide - 1, wide, wide + 1, 2 * wide, 2 * wide + 1, rng.randint(1, 3 * wide)}
    packets = [
        Packet(rng.randbytes(length), rng.random() < 0.3, rng.getrandbits(4))
        for length in sorted(lengths - {0})
    ]
    rng.shuffle(packets)
    dut = WidthConverter(width_in=width_in, width_out=width_out, meta=4)
    assert_transports(dut, packets, rng=rng, idle=0.2, stall=0.2)


@pytest.mark.parametrize(("width_in", "width_out"), [(1, 4), (2, 16), (4, 4), (4, 1), (16, 2)])
def test_every_length(width_in, width_out, rng):
    lengths = range(1, 2 * max(width_in, width_out) + 2)
    packets = [Packet(rng.randbytes(length), length % 3 == 0) for length in lengths]
    dut = WidthConverter(width_in=width_in, width_out=width_out)
    assert_transports(dut, packets, rng=rng, idle=0.3, stall=0.4)


@pytest.mark.parametrize(("width_in", "width_out"), SOME)
def test_latency(width_in, width_out, rng):
    wide = max(width_in, width_out)
    dut = WidthConverter(width_in=width_in, width_out=width_out)
    bench = assert_transports(dut, [Packet(bytes(2 * wide))], rng=rng)
    ratio = max(1, width_out // width_in)
    completing = bench.sources["i"].transfers[ratio - 1]
    assert bench.sinks["o"].transfers[0] - completing == dut.latency
    assert dut.latency == (1 if width_out >= width_in else 2)


@pytest.mark.parametrize(("width_in", "width_out"), SOME)
def test_full_throughput(width_in, width_out, rng):
    """The narrow side has no bubble, whatever the lengths."""
    packets = random_packets(rng, 30, max_length=40)
    dut = WidthConverter(width_in=width_in, width_out=width_out)
    port = "i" if width_out >= width_in else "o"
    assert_full_throughput(dut, packets, rng=rng, port=port)


def test_short_packets_do_not_slow_the_input(rng):
    """Packets of one narrow beat need the wide output in every cycle."""
    packets = [Packet(rng.randbytes(1)) for _ in range(50)]
    for port in ("i", "o"):
        dut = WidthConverter(width_in=1, width_out=8)
        assert_full_throughput(dut, packets, rng=rng, port=port)


def test_waiting_output_does_not_stop_the_input_at_once(rng):
    """A sink that takes a wide beat every eighth cycle is enough for a narrow beat per cycle."""
    dut = WidthConverter(width_in=1, width_out=8)
    packets = [Packet(rng.randbytes(64)) for _ in range(4)]

    def slow(bench):
        bench.sinks["o"].next_ready = lambda: bench.cycle % 8 == 5

    bench = assert_transports(dut, packets, rng=rng, prepare=slow)
    transfers = bench.sources["i"].transfers
    assert transfers[-1] - transfers[0] == 255


@pytest.mark.parametrize(("width_in", "width_out"), [(1, 8), (8, 1), (4, 4)])
def test_reset_in_packet(width_in, width_out, rng):
    def batch():
        return random_packets(rng, 20, max_length=40)

    dut = WidthConverter(width_in=width_in, width_out=width_out)
    assert_survives_reset(dut, batch, rng=rng)


@pytest.mark.parametrize(("width_in", "width_out"), [(1, 4), (4, 1), (2, 2)])
def test_no_combinational_path(width_in, width_out, rng):
    packets = random_packets(rng, 20, max_length=12)
    dut = WidthConverter(width_in=width_in, width_out=width_out)
    assert_no_path(dut, packets, rng=rng, registered=True)


@pytest.mark.usefixtures("unused")
def test_parameters():
    dut = WidthConverter(width_in=2, width_out=8, meta=3)
    assert (dut.width_in, dut.width_out, dut.meta) == (2, 8, 3)
    with pytest.raises(ValueError, match=r"width_in must be one of 1, .*, 64, not 3"):
        WidthConverter(width_in=3, width_out=8)
    with pytest.raises(ValueError, match=r"width_out must be one of 1, .*, 64, not 128"):
        WidthConverter(width_in=8, width_out=128)
    with pytest.raises(TypeError, match="width_out must be an integer, not None"):
        WidthConverter(width_in=8, width_out=None)
    with pytest.raises(TypeError, match="meta must be a shape, .* not 'port'"):
        WidthConverter(width_in=8, width_out=8, meta="port")
