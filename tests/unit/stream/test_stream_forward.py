"""ForwardRegister."""

import pytest
from amaranth.hdl import Shape, signed
from amaranth.lib import data

from stellar_bench.amaranth_streams import StreamBench
from stellar_bench.stream_suite import (
    assert_full_throughput,
    assert_no_path,
    assert_survives_reset,
    assert_transports,
    random_packets,
)
from stellar_nic.stream import ForwardRegister, PacketLayout
from stellar_spec.streams import PACKET_WIDTHS

RECORDS = {
    "bit": 1,
    "signed": signed(7),
    "record": data.StructLayout({"a": 3, "b": signed(20), "c": data.ArrayLayout(8, 16)}),
}


@pytest.mark.parametrize("shape", RECORDS.values(), ids=RECORDS)
def test_records(shape, rng):
    payloads = [rng.getrandbits(Shape.cast(shape).width) for _ in range(150)]
    assert_transports(ForwardRegister(shape=shape), payloads, rng=rng, idle=0.4, stall=0.4)


@pytest.mark.parametrize("width", PACKET_WIDTHS)
def test_packets(width, rng):
    packets = random_packets(rng, 25, max_length=5 * width, meta_width=5, errors=0.3)
    dut = ForwardRegister(shape=PacketLayout(width, 5))
    assert_transports(dut, packets, rng=rng, idle=0.3, stall=0.3)


def test_latency(rng):
    dut = ForwardRegister(shape=8)
    bench = assert_transports(dut, [0x55], rng=rng)
    assert bench.sinks["o"].transfers[0] - bench.sources["i"].transfers[0] == dut.latency == 1


@pytest.mark.parametrize("port", ["i", "o"])
def test_full_throughput(port, rng):
    assert_full_throughput(ForwardRegister(shape=8), range(100), rng=rng, port=port)


def test_takes_one_while_stalled(rng):
    bench = StreamBench(ForwardRegister(shape=8), rng=rng)
    bench.sources["i"].send(*range(10))
    bench.sinks["o"].next_ready = lambda: 0

    async def main(ctx):
        await bench.wait(ctx, 20)

    bench.run(main)
    assert len(bench.sources["i"].transfers) == 1


def test_reset_in_packet(rng):
    def batch():
        return random_packets(rng, 20, max_length=40)

    assert_survives_reset(ForwardRegister(shape=PacketLayout(2)), batch, rng=rng)


def test_no_combinational_path(rng):
    payloads = [rng.getrandbits(16) for _ in range(100)]
    assert_no_path(ForwardRegister(shape=16), payloads, rng=rng)


@pytest.mark.usefixtures("unused")
def test_parameters():
    assert ForwardRegister(shape=8).shape == 8
    with pytest.raises(TypeError, match=r"shape must be a shape, .* not 'eight'"):
        ForwardRegister(shape="eight")
    with pytest.raises(ValueError, match="shape must have at least 1 bit"):
        ForwardRegister(shape=0)
