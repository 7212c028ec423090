"""The checker fires for each rule, only then, and agrees with the benches' own monitor."""

import pytest
from amaranth.hdl import ClockDomain, Module, Value, signed, unsigned
from amaranth.lib import data
from amaranth.sim import Simulator

from stellar_bench.packets import Packet, PacketFormat
from stellar_bench.stream_agents import Monitor, StreamViolation
from stellar_nic.stream import (
    PacketChecker,
    PacketLayout,
    RegisterSlice,
    StreamChecker,
    StreamRule,
    checker_of,
)
from stellar_spec.streams import PACKET_WIDTHS

RESET = "reset"


def check_gateware(checker, sequences):
    """For each sequence of ``(valid, ready, payload)`` or RESET: ``(step, rule)`` or None."""
    found = []

    async def drive(ctx):
        for steps in sequences:
            ctx.set(domain.rst, 1)
            await ctx.tick()
            ctx.set(domain.rst, 0)
            first = None
            for index, step in enumerate(steps):
                ctx.set(domain.rst, step == RESET)
                if step != RESET:
                    ctx.set(checker.valid, step[0])
                    ctx.set(checker.ready, step[1])
                    ctx.set(Value.cast(checker.payload), step[2])
                await ctx.tick()
                rule = StreamRule(ctx.get(checker.rule))
                assert ctx.get(checker.error) == (rule != StreamRule.NONE)
                assert first is None or step == RESET or first[1] == rule, "it must be sticky"
                if rule and first is None:
                    first = (index, rule)
            found.append(first)

    m = Module()
    m.domains.sync = domain = ClockDomain("sync")
    m.submodules.checker = checker
    sim = Simulator(m)
    sim.add_clock(1e-9)
    sim.add_testbench(drive)
    sim.run()
    return found


def check_bench(fmt, sequences):
    """The same, by the benches' monitor."""
    found = []
    for steps in sequences:
        monitor = Monitor("port", fmt=fmt)
        first = None
        for index, step in enumerate(steps):
            if step == RESET:
                monitor.reset()
                continue
            try:
                monitor.step(index, *step)
            except StreamViolation as violation:
                assert violation.cycle == index
                first = (index, violation.rule)
                break
        found.append(first)
    return found


def check(fmt, sequences):
    """By both, which must agree."""
    if fmt is None:
        checker = StreamChecker(shape=8)
    else:
        checker = PacketChecker(layout=PacketLayout(fmt.width, fmt.meta_width))
    found = check_gateware(checker, sequences)
    assert found == check_bench(fmt, sequences)
    return found


OFF = (0, 1, 0)

PLAIN = {
    "withdrawn": ([(1, 0, 7), (0, 0, 7)], (1, StreamRule.VALID_WITHDRAWN)),
    "withdrawn as ready comes": ([(1, 0, 7), (0, 1, 7)], (1, StreamRule.VALID_WITHDRAWN)),
    "withdrawn late": ([(1, 0, 7), (1, 0, 7), (0, 0, 7)], (2, StreamRule.VALID_WITHDRAWN)),
    "changed": ([(1, 0, 7), (1, 0, 6)], (1, StreamRule.PAYLOAD_CHANGED)),
    "changed as ready comes": ([(1, 0, 7), (1, 1, 135)], (1, StreamRule.PAYLOAD_CHANGED)),
    "the first counts": ([(1, 0, 7), (1, 0, 6), (0, 0, 6)], (1, StreamRule.PAYLOAD_CHANGED)),
    "stalled, then taken": ([(1, 0, 7), (1, 0, 7), (1, 1, 7), OFF, (1, 1, 8)], None),
    "a new payload each cycle": ([(1, 1, 1), (1, 1, 2), (1, 1, 3)], None),
    "idle payload may change": ([(0, 0, 1), (0, 1, 2), (0, 0, 3), (1, 1, 4)], None),
    "reset forgets": ([(1, 0, 7), RESET, (0, 0, 0), (1, 0, 9), (1, 1, 9)], None),
    "fires after reset": (
        [(1, 0, 7), RESET, (1, 0, 9), (0, 0, 9)],
        (3, StreamRule.VALID_WITHDRAWN),
    ),
}


@pytest.mark.parametrize(("steps", "expected"), PLAIN.values(), ids=PLAIN)
def test_stream_rules(steps, expected):
    assert check(None, [steps]) == [expected]


WIDE = PacketFormat(4, 3)


def beat(keep, *, last, meta=5, fmt=WIDE):
    """A payload with this ``keep``, which may be wrong."""
    payload = fmt.encode(bytes(fmt.width), last=last, meta=meta)
    return payload & ~(fmt.full_keep << fmt.shift["keep"]) | keep << fmt.shift["keep"]


def taken(payload):
    """It is accepted at once."""
    return (1, 1, payload)


FULL = beat(0b1111, last=False)
END = beat(0b0011, last=True)
PACKETS = {
    "empty": ([taken(beat(0, last=False))], (0, StreamRule.KEEP_EMPTY)),
    "empty at the end": ([taken(FULL), taken(beat(0, last=True))], (1, StreamRule.KEEP_EMPTY)),
    "gap": ([taken(beat(0b1011, last=True))], (0, StreamRule.KEEP_GAP)),
    "not from lane 0": ([taken(beat(0b1110, last=True))], (0, StreamRule.KEEP_GAP)),
    "only the top lane": ([taken(beat(0b1000, last=True))], (0, StreamRule.KEEP_GAP)),
    "gap before the end": ([taken(beat(0b0101, last=False))], (0, StreamRule.KEEP_GAP)),
    "partial": ([taken(FULL), taken(beat(0b0111, last=False))], (1, StreamRule.KEEP_PARTIAL)),
    "partial and stalled": ([(1, 0, beat(0b0001, last=False))], (0, StreamRule.KEEP_PARTIAL)),
    "meta": ([taken(FULL), taken(beat(0b1111, last=False, meta=4))], (1, StreamRule.META_CHANGED)),
    "meta at the end": (
        [taken(FULL), OFF, taken(FULL), taken(beat(1, last=True, meta=1))],
        (3, StreamRule.META_CHANGED),
    ),
    "changed while stalled": ([(1, 0, FULL), taken(END)], (1, StreamRule.PAYLOAD_CHANGED)),
    "meta changed while stalled": (
        [taken(FULL), (1, 0, FULL), taken(beat(0b1111, last=False, meta=4))],
        (2, StreamRule.PAYLOAD_CHANGED),
    ),
    "withdrawn in a packet": ([taken(FULL), (1, 0, END), OFF], (2, StreamRule.VALID_WITHDRAWN)),
    "good": ([taken(FULL), OFF, (1, 0, FULL), taken(FULL), taken(END), taken(END)], None),
    "meta between packets": ([taken(END), taken(beat(1, last=True, meta=0)), taken(END)], None),
    "every good keep": ([taken(beat(k, last=True)) for k in (1, 3, 7, 15)], None),
    "bad keep while idle": ([(0, 1, beat(0b1010, last=False)), taken(END)], None),
    "reset in a packet": ([taken(FULL), RESET, taken(beat(1, last=True, meta=2))], None),
}


@pytest.mark.parametrize(("steps", "expected"), PACKETS.values(), ids=PACKETS)
def test_packet_rules(steps, expected):
    assert check(WIDE, [steps]) == [expected]


@pytest.mark.parametrize("width", PACKET_WIDTHS)
def test_every_keep_of_every_width(width):
    """All values of keep for the narrow widths, single wrong bits for the wide."""
    fmt = PacketFormat(width)
    full = fmt.full_keep
    keeps = range(full + 1) if width <= 8 else (full ^ (1 << bit) for bit in range(width))
    cases = [(keep, last) for keep in keeps for last in (False, True)]
    sequences = [[taken(beat(keep, last=last, meta=0, fmt=fmt))] for keep, last in cases]
    expected = []
    for keep, last in cases:
        if keep == 0:
            rule = StreamRule.KEEP_EMPTY
        elif keep != (1 << keep.bit_length()) - 1:
            rule = StreamRule.KEEP_GAP
        elif not last and keep != full:
            rule = StreamRule.KEEP_PARTIAL
        else:
            rule = None
        expected.append(rule and (0, rule))
    assert check(fmt, sequences) == expected


@pytest.mark.parametrize("fmt", [None, PacketFormat(1), PacketFormat(2, 2)])
def test_checker_and_monitor_agree_on_noise(fmt, rng):
    """Few bits, so that rules are kept by chance often enough for later ones to be broken."""
    bits = fmt.bits if fmt else 8
    mask = (1 << bits) - 1
    if fmt:
        mask &= ~((1 << 8 * fmt.width) - 1)
        mask &= ~(1 << fmt.shift["error"])
    sequences = []
    for _ in range(150):
        steps, payload = [], rng.getrandbits(bits) & mask
        for _ in range(12):
            if rng.random() < 0.4:
                payload = rng.getrandbits(bits) & mask
                if fmt and rng.random() < 0.5:
                    payload |= fmt.full_keep << fmt.shift["keep"]
            steps.append((rng.random() < 0.8, rng.random() < 0.7, payload))
        sequences.append(steps)
    found = check(fmt, sequences)
    rules = {result[1] for result in found if result}
    kept_by_nature = {StreamRule.KEEP_GAP, StreamRule.KEEP_PARTIAL, StreamRule.META_CHANGED}
    if fmt is None:
        assert rules == {StreamRule.VALID_WITHDRAWN, StreamRule.PAYLOAD_CHANGED}
    elif fmt.width == 1:
        assert rules == set(StreamRule) - {StreamRule.NONE} - kept_by_nature
    else:
        assert rules == set(StreamRule) - {StreamRule.NONE}


def test_random_packets_are_good(rng):
    """Whatever a source makes of packets keeps the rules, at every width."""
    for width in PACKET_WIDTHS:
        fmt = PacketFormat(width, 4)
        beats = []
        for _ in range(20):
            length = rng.randint(1, 4 * width)
            beats += fmt.beats(Packet(rng.randbytes(length), False, rng.getrandbits(4)))
        assert check(fmt, [[taken(payload) for payload in beats]]) == [None]


def test_signed_payload():
    layout = data.StructLayout({"a": signed(4)})
    for shape in (signed(4), layout):
        steps = [(1, 0, 0b1000), (1, 0, 0b1000), (1, 1, 0b1000), (1, 0, 0b0111), (1, 0, 0b1111)]
        found = check_gateware(StreamChecker(shape=shape), [steps])
        assert found == [(4, StreamRule.PAYLOAD_CHANGED)]


@pytest.mark.usefixtures("unused")
def test_checker_of():
    packet = checker_of(RegisterSlice(shape=PacketLayout(4, 3)).o)
    assert isinstance(packet, PacketChecker) and packet.layout == PacketLayout(4, 3)
    plain = checker_of(RegisterSlice(shape=9).i)
    assert type(plain) is StreamChecker and plain.shape == unsigned(9)


@pytest.mark.usefixtures("unused")
def test_parameters():
    with pytest.raises(TypeError, match="layout must be a PacketLayout, not 8"):
        PacketChecker(layout=8)
    with pytest.raises(TypeError, match="shape must be a shape, .* not None"):
        StreamChecker(shape=None)
