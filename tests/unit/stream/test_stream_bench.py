"""The bench itself: it fails where it must."""

import random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from stellar_bench.amaranth_streams import StreamBench
from stellar_bench.packets import Packet, PacketFormat
from stellar_bench.stream_agents import (
    ScoreboardError,
    Sink,
    Source,
    StreamViolation,
    Throttle,
)
from stellar_bench.stream_suite import (
    assert_full_throughput,
    assert_no_path,
    assert_survives_reset,
    assert_transports,
    random_packets,
)
from stellar_nic.stream import PacketLayout, PacketSignature, RegisterSlice, StreamRule


class Faulty(wiring.Component):
    """Passes packets on, straight through but for one fault."""

    def __init__(self, fault=None):
        self.fault = fault
        super().__init__({"i": In(PacketSignature(1)), "o": Out(PacketSignature(1))})

    def elaborate(self, platform):
        m = Module()
        wiring.connect(m, wiring.flipped(self.i), wiring.flipped(self.o))
        count = Signal(4)
        in_packet = Signal()
        m.d.sync += count.eq(count + 1)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += in_packet.eq(~self.i.p.last)
        match self.fault:
            case "waits for ready":
                m.d.comb += self.o.valid.eq(self.i.valid & self.o.ready)
            case "withdraws":
                m.d.comb += [
                    self.o.valid.eq(self.i.valid & (count != 3)),
                    self.i.ready.eq(self.o.ready & (count != 3)),
                ]
            case "changes":
                m.d.comb += self.o.p.data.eq(count)
            case "corrupts":
                m.d.comb += self.o.p.data.eq(self.i.p.data ^ (self.i.p.data == 0x55))
            case "loses":  # a packet of one beat
                single = self.i.p.last & ~in_packet
                m.d.comb += [
                    self.o.valid.eq(self.i.valid & ~single),
                    self.i.ready.eq(self.o.ready | single),
                ]
            case "no end":
                m.d.comb += self.o.p.last.eq(0)
            case "stuck":
                m.d.comb += [self.o.valid.eq(0), self.i.ready.eq(0)]
            case "bubbles":
                m.d.comb += [
                    self.o.valid.eq(self.i.valid & ~in_packet | self.i.valid & count[0]),
                    self.i.ready.eq(self.o.ready & (~in_packet | count[0])),
                ]
            case "remembers":  # the first beat after any reset is the one from before it
                old = Signal.like(self.i.p.data, reset_less=True)
                seen = Signal()
                with m.If(self.i.valid & self.i.ready):
                    m.d.sync += [old.eq(self.i.p.data), seen.eq(1)]
                with m.If(~seen):
                    m.d.comb += self.o.p.data.eq(old)
        return m


def send(fault, packets, *, idle=0.0, stall=0.5, rng):
    assert_transports(Faulty(fault), packets, rng=rng, idle=idle, stall=stall)


def test_no_fault(rng):
    send(None, random_packets(rng, 20, max_length=9), rng=rng)


@pytest.mark.parametrize(
    ("fault", "rule"),
    [("withdraws", StreamRule.VALID_WITHDRAWN), ("changes", StreamRule.PAYLOAD_CHANGED)],
)
def test_contract_is_checked(fault, rule, rng):
    bench = StreamBench(Faulty(fault), rng=rng, stall=0.6)
    bench.sources["i"].send(*random_packets(rng, 20, max_length=9))
    with pytest.raises(StreamViolation, match=rf"^o, cycle \d+: {rule.name}") as caught:
        bench.run()
    assert (caught.value.port, caught.value.rule) == ("o", rule)


def test_wrong_item(rng):
    with pytest.raises(ScoreboardError, match=r"^o, cycle \d+: item 1 is .*T.*, expected .*U"):
        send("corrupts", [Packet(b"ok"), Packet(b"U")], rng=rng)


def test_missing_items(rng):
    with pytest.raises(
        ScoreboardError, match=r"^o: 1 expected item\(s\) did not come after 1.*'x'"
    ):
        send("loses", [Packet(b"ok"), Packet(b"x")], rng=rng)


def test_extra_item(rng):
    bench = StreamBench(Faulty(), rng=rng)
    bench.sources["i"].send(Packet(b"one"), Packet(b"two"))
    bench.sinks["o"].expect(Packet(b"one"))
    with pytest.raises(ScoreboardError, match="item 1 too many: .*two"):
        bench.run()


def test_packet_without_end(rng):
    bench = StreamBench(Faulty("no end"), rng=rng)
    bench.sources["i"].send(Packet(b"abc"))
    with pytest.raises(ScoreboardError, match="o: a packet has no end: b'abc'"):
        bench.run()


def test_nothing_hangs(rng):
    bench = StreamBench(Faulty("stuck"), rng=rng)
    bench.sources["i"].send(Packet(b"abc"))
    with pytest.raises(TimeoutError, match=r"no transfer for 2000 cycles .*{'i': 3}"):
        bench.run()


def test_bubbles(rng):
    with pytest.raises(AssertionError, match="o stood still before cycle"):
        assert_full_throughput(Faulty("bubbles"), [Packet(bytes(20))], rng=rng, port="o")


def test_path_from_ready_to_valid(rng):
    packets = random_packets(rng, 20, max_length=9)
    with pytest.raises(AssertionError, match=r"o\.ready reaches o\.valid within a cycle"):
        assert_no_path(Faulty("waits for ready"), packets, rng=rng)


def test_other_paths(rng):
    packets = random_packets(rng, 20, max_length=9)
    assert_no_path(Faulty(), packets, rng=rng)
    with pytest.raises(AssertionError, match=r"o\.ready reaches i\.ready within a cycle"):
        assert_no_path(Faulty(), packets, rng=rng, registered=True)


def test_reset(rng):
    def batch():
        return random_packets(rng, 8, max_length=12)

    assert_survives_reset(Faulty(), batch, rng=rng)
    with pytest.raises(ScoreboardError, match="o, cycle"):
        assert_survives_reset(Faulty("remembers"), batch, rng=rng)


def test_reset_between_packets_is_no_test(rng):
    with pytest.raises(AssertionError, match="no reset fell into a packet"):
        assert_survives_reset(
            RegisterSlice(shape=PacketLayout(8)), lambda: [Packet(b"short")], rng=rng
        )


@pytest.mark.usefixtures("unused")
def test_block_without_streams(rng):
    class Empty(wiring.Component):
        x: In(1)

        def elaborate(self, platform):
            return Module()

    with pytest.raises(TypeError, match="has no stream port"):
        StreamBench(Empty(), rng=rng)


def test_watched_outputs(rng):
    class Last(wiring.Component):
        i: In(stream.Signature(8))
        taken: Out(1)

        def elaborate(self, platform):
            m = Module()
            m.d.comb += self.i.ready.eq(1)
            m.d.sync += self.taken.eq(self.i.valid)
            return m

    bench = StreamBench(Last(), rng=rng, idle=0.5, watch=["taken"])
    bench.sources["i"].send(*range(30))
    bench.run()
    transfers = bench.sources["i"].transfers
    assert len(transfers) == 30
    assert bench.pulses["taken"] == [cycle + 1 for cycle in transfers]


def test_same_seed_same_run():
    def cycles(seed):
        rng = random.Random(seed)
        payloads = [rng.getrandbits(8) for _ in range(60)]
        bench = assert_transports(RegisterSlice(shape=8), payloads, rng=rng, idle=0.4, stall=0.4)
        return payloads, bench.sources["i"].transfers, bench.sinks["o"].transfers

    assert cycles(1) == cycles(1)
    assert cycles(1) != cycles(2)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_throttle_has_its_share_and_bursts(share, rng):
    throttle = Throttle(rng, share)
    pauses = [throttle.paused() for _ in range(20000)]
    assert abs(sum(pauses) / len(pauses) - share) < 0.05
    shown = "".join("x" if paused else "." for paused in pauses)
    assert "x" * 16 in shown and "." * 16 in shown and ".x." in shown and "x.x" in shown


@pytest.mark.parametrize("share", [-0.1, 1, 1.5])
def test_bad_share(share, rng):
    with pytest.raises(ValueError, match=f"must be from 0 to below 1, not {share}"):
        Throttle(rng, share)


def test_sources_put_noise_on_idle_payloads(rng):
    source = Source(64, rng=rng)
    source.send(5)
    assert source.step(1, ready=0) == (1, 5)
    assert source.step(2, ready=0) is None
    valid, payload = source.step(3, ready=1)
    assert valid == 0 and payload != 5
    assert source.transfers == [3] and source.pending == 0


def test_sink_collects_without_expectation(rng):
    sink = Sink("o", rng=rng, fmt=PacketFormat(1))
    for cycle, beat in enumerate(PacketFormat(1).beats(Packet(b"abc"))):
        sink.take(cycle, beat)
    sink.finish()
    assert sink.received == [Packet(b"abc")] and sink.transfers == [0, 1, 2]
