"""cocotb tests of the stream bench itself: it passes a good device, and sees every fault.

The device is the one of tests/rtl/test_stream_monitor.py:

- ``i`` to ``o``: a packet FIFO of 16 beats, 2 bytes wide, with 3 bits of ``meta``
- ``record_i`` to ``record_o``: a register slice for records of 70 bits
- ``bad_i`` to ``bad_o``: wires. ``flip`` inverts bits of the payload, ``hide`` masks ``valid``
"""

import os
import random

import cocotb
from cocotb.triggers import Timer

from stellar_spec.streams import StreamRule

from ..packets import Packet, PacketFormat
from ..stream_agents import ScoreboardError, StreamViolation
from ..streams import StreamBench

__all__ = ["FAULTS"]

FORMAT = PacketFormat(2, 3)
FORMATS = {"i": FORMAT, "o": FORMAT, "bad_i": FORMAT, "bad_o": FORMAT}
DEPTH = 16


def bit(field, offset=0):
    """One bit of the payload, as a number."""
    return 1 << FORMAT.shift[field] + offset


# What to do to the second beat of a packet of three, of which the last has one byte. The sink does
# not take it until one cycle later, so the beat is offered twice.
FAULTS = {
    StreamRule.VALID_WITHDRAWN: {"again": {"hide": 1}},
    StreamRule.PAYLOAD_CHANGED: {"again": {"flip": bit("data", 9)}},
    StreamRule.KEEP_EMPTY: {"first": {"flip": bit("keep") | bit("keep", 1)}},
    StreamRule.KEEP_GAP: {"first": {"flip": bit("keep")}},
    StreamRule.KEEP_PARTIAL: {"first": {"flip": bit("keep", 1)}},
    StreamRule.META_CHANGED: {"first": {"flip": bit("meta", 2)}},
    StreamRule.NONE: {},
}


class Script:
    """A throttle that pauses in the cycles that a list says, and never afterwards."""

    def __init__(self, *pauses):
        self._pauses = list(pauses)

    def paused(self):
        """Whether the next cycle is a pause."""
        return self._pauses.pop(0) if self._pauses else False


def random_packets(rng, count):
    """Packets of up to 20 beats, some of them bad."""
    return [
        Packet(rng.randbytes(rng.randint(1, 40)), rng.random() < 0.2, rng.getrandbits(3))
        for _ in range(count)
    ]


def survivors(packets):
    """What a packet FIFO lets through."""
    return [p for p in packets if not p.error and len(p.data) <= DEPTH * FORMAT.width]


async def started(dut, *, idle=0.0, stall=0.0):
    """A bench around the whole device, after reset, and its random numbers."""
    rng = random.Random(int(os.environ["STELLAR_SEED"]))
    bench = StreamBench(dut, rng=rng, formats=FORMATS)
    for name in ("i", "record_i", "bad_i"):
        bench.add_source(name, idle=idle)
    for name in ("o", "record_o", "bad_o"):
        bench.add_sink(name, stall=stall)
    dut.hide.value = 0
    dut.flip.value = 0
    bench.start()
    await bench.reset()
    return bench, rng


@cocotb.test()
@cocotb.parametrize(pauses=[(0.0, 0.0), (0.3, 0.3), (0.1, 0.7)])
async def transports(dut, pauses):
    """Packets and records arrive whole and in order; bad packets leave no trace."""
    bench, rng = await started(dut, idle=pauses[0], stall=pauses[1])
    packets = random_packets(rng, 150)
    records = [rng.getrandbits(70) for _ in range(500)]
    good = survivors(packets)
    assert 0 < len(good) < len(packets)
    bench.sources["i"].send(*packets)
    bench.sinks["o"].expect(*good)
    bench.sources["record_i"].send(*records)
    bench.sinks["record_o"].expect(*records)
    bench.sources["bad_i"].send(*packets)
    bench.sinks["bad_o"].expect(*packets)
    await bench.drain()
    assert bench.sinks["o"].received == good
    assert bench.sinks["record_o"].received == records


@cocotb.test()
async def latency(dut):
    """Cycles are counted as in Amaranth's simulator, where the latencies are measured."""
    bench, _ = await started(dut)
    bench.sources["i"].send(Packet(bytes(20)))
    bench.sources["record_i"].send(1)
    await bench.drain()
    fifo = bench.sinks["o"].transfers[0] - bench.sources["i"].transfers[-1]
    slice_ = bench.sinks["record_o"].transfers[0] - bench.sources["record_i"].transfers[0]
    assert (fifo, slice_) == (2, 1)
    assert len(bench.sinks["o"].transfers) == 10


@cocotb.test()
async def survives_reset(dut):
    """A reset in the middle of packets leaves nothing behind, and is no violation."""
    bench, rng = await started(dut, idle=0.2, stall=0.5)
    cut = 0
    for _ in range(10):
        packets = random_packets(rng, 10)
        bench.sources["i"].send(*packets)
        bench.sinks["o"].expect(*survivors(packets))
        bench.sources["record_i"].send(*range(100))
        bench.sinks["record_o"].expect(*range(100))
        await bench.ticks(rng.randint(2, 60))
        cut += bench.sources["i"].in_packet
        await bench.reset(rng.randint(1, 3))
    packets = random_packets(rng, 20)
    bench.sources["i"].send(*packets)
    bench.sinks["o"].expect(*survivors(packets))
    await bench.drain()
    assert cut


@cocotb.test()
@cocotb.parametrize(rule=list(FAULTS))
async def sees_fault(dut, rule):
    """Each rule, broken once, is reported with its port, cycle and name."""
    bench, _ = await started(dut)
    bench.sinks["bad_o"].throttle = Script(0, 0, 0, 1)
    bench.sources["bad_i"].throttle = Script(0)
    packet = Packet(b"12345", meta=2)
    bench.sinks["bad_o"].expect(packet)
    await bench.ticks(2)
    bench.sources["bad_i"].send(packet)
    # Clock edges from here: the first beat is offered after one, the second after two.
    await bench.ticks(2)
    assert bench.sources["bad_i"].offered == FORMAT.beats(packet)[1]
    offered = bench.cycle + 1  # at this edge it is seen for the first time
    fault = FAULTS[rule]
    for when, edge in (("first", offered), ("again", offered + 1)):
        for name, value in fault.get(when, {}).items():
            getattr(dut, name).value = value
        if when in fault:
            try:
                await bench.drain()
            except StreamViolation as violation:
                assert (violation.port, violation.rule) == ("bad_o", rule)
                assert violation.cycle == edge
                assert str(violation).startswith(f"bad_o, cycle {edge}: {rule.name}: ")
                return
            raise AssertionError(f"{rule.name} was not seen")
        await bench.ticks()
    assert rule is StreamRule.NONE
    await bench.drain()


@cocotb.test(expect_error=StreamViolation)
async def fault_ends_a_test_that_waits_elsewhere(dut):
    """A test that does not wait on the bench must not pass by."""
    bench, _ = await started(dut)
    bench.sources["record_i"].send(1)
    bench.sources["bad_i"].send(Packet(b"12"))
    dut.flip.value = bit("keep")
    await Timer(100 * bench.PERIOD, unit="step")


@cocotb.test()
async def monitors_what_others_drive(dut):
    """A monitor alone sees faults on a stream that the bench neither drives nor takes."""
    bench = StreamBench(dut, rng=random.Random(0), formats=FORMATS)
    monitor = bench.add_monitor("bad_o")
    dut.hide.value = 0
    dut.flip.value = 0
    dut.bad_o__ready.value = 0
    dut.bad_i__valid.value = 1
    dut.bad_i__payload.value = FORMAT.encode(b"12", last=True)
    bench.start()
    assert bench.monitors == {"bad_o": monitor}
    await bench.reset()
    await bench.ticks(3)
    dut.flip.value = bit("error")
    changed = bench.cycle + 1
    try:
        await bench.ticks(3)
    except StreamViolation as violation:
        assert (violation.cycle, violation.rule) == (changed, StreamRule.PAYLOAD_CHANGED)
    else:
        raise AssertionError("not seen")


@cocotb.test()
@cocotb.parametrize(
    case=[
        (b"sent", b"want", "item 0 is Packet(data=b'sent'"),
        (None, b"want", "o: 1 expected item(s) did not come after 0"),
        (b"sent", None, "item 0 too many: Packet(data=b'sent'"),
    ]
)
async def scoreboard_fails(dut, case):
    """Wrong, missing and unexpected packets are failures."""
    sent, expected, message = case
    bench, _ = await started(dut)
    bench.sources["i"].send(*[Packet(sent)] if sent else [])
    bench.sinks["o"].expect(*[Packet(expected)] if expected else [])
    try:
        await bench.drain()
    except ScoreboardError as error:
        assert message in str(error)
    else:
        raise AssertionError("not seen")


@cocotb.test()
async def nothing_hangs(dut):
    """A stream that nobody takes from ends in a message, not in silence."""
    bench, _ = await started(dut)
    bench.sinks["bad_o"].throttle = Script(*[1] * 3000)
    bench.sources["bad_i"].send(Packet(b"1234"))
    try:
        await bench.drain()
    except TimeoutError as error:
        assert "not accepted: {'bad_i': 2}" in str(error)
    else:
        raise AssertionError("not seen")


@cocotb.test()
async def names_what_is_missing(dut):
    """A wrong port name gets a message with the right ones."""
    bench = StreamBench(dut, rng=random.Random(0))
    try:
        bench.add_source("input")
    except AttributeError as error:
        assert "has no signal 'input__payload'; it has " in str(error)
        assert "record_i__payload" in str(error)
    else:
        raise AssertionError("not seen")
