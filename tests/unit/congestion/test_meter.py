"""The meter in gateware against one whose time never wraps."""

import numpy as np
import pytest

from stellar_model.congestion import byte_time
from stellar_model.congestion.meter import Meter
from stellar_nic.congestion import FlowMeter
from stellar_spec.congestion import EXPONENT, MANTISSA, RATE, TIME, WIRE_BYTES

from .columns import ColumnBench

FLOWS, FLOW_BITS, SWEEP_EVERY = 16, 4, 61
WIDTHS = {
    "valid": 1,
    "flow": FLOW_BITS,
    "size": WIRE_BYTES,
    "write": 1,
    "paced": FLOW_BITS,
    "mantissa": MANTISSA.width,
    "exponent": EXPONENT.width,
    "now": TIME.width,
    "burst": TIME.width,
}
OUT = {"ready": 1, "decided": 1, "conforms": 1, "departure": TIME.width}
CYCLE = 8 << 10


@pytest.fixture(scope="module")
def gateware():
    latencies = ()

    def build(m, fields, technology):
        nonlocal latencies
        meter = FlowMeter(flows=FLOWS, sweep_every=SWEEP_EVERY, technology=technology)
        m.submodules += meter
        m.d.comb += [
            meter.request.valid.eq(fields["valid"]),
            meter.request.payload.flow.eq(fields["flow"]),
            meter.request.payload.size.eq(fields["size"]),
            meter.pace.write.eq(fields["write"]),
            meter.pace.flow.eq(fields["paced"]),
            meter.pace.time.mantissa.eq(fields["mantissa"]),
            meter.pace.time.exponent.eq(fields["exponent"]),
            meter.now.eq(fields["now"]),
            meter.burst.eq(fields["burst"]),
        ]
        result = meter.result
        latencies = meter.latency, meter.sampled
        return [
            meter.request.ready,
            result.valid,
            result.payload.conforms,
            result.payload.departure,
        ]

    bench = ColumnBench(WIDTHS, OUT, build)
    return bench, latencies


def expected(columns, ready, latency, sampled):
    """The cycles of all decisions, and what they are."""
    meter, cycles, decisions = Meter(FLOWS), [], []
    rows = {name: columns[name].tolist() for name in columns}
    for cycle in range(len(ready) - latency):
        if rows["write"][cycle]:
            meter.pace(*(rows[name][cycle] for name in ("paced", "mantissa", "exponent")))
        if rows["valid"][cycle] and ready[cycle]:
            then = cycle + sampled
            decision = meter.packet(
                *(rows[name][cycle] for name in ("flow", "size")),
                *(rows[name][then] for name in ("now", "burst")),
            )
            cycles.append(cycle + latency)
            decisions.append(decision)
    return cycles, decisions


def agree(gateware, columns):
    bench, (latency, sampled) = gateware
    for technology, found in bench.run(columns).items():
        ready = found["ready"].astype(bool)
        assert not ready.all() and (~ready).sum() <= len(ready) // SWEEP_EVERY + 1
        cycles, decisions = expected(columns, ready, latency, sampled)
        assert np.flatnonzero(found["decided"][: len(ready)]).tolist()[: len(cycles)] == cycles
        for cycle, decision in zip(cycles, decisions, strict=True):
            given = bool(found["conforms"][cycle]), int(found["departure"][cycle])
            assert given == decision, (technology, cycle)
    return decisions


def traffic(random, rows, *, jumps=0.0):
    """Packets of a few flows at a time, rates of all sizes, and a time that goes on unevenly."""
    hot = random.integers(0, FLOWS, (rows // 64 + 1, 2)).repeat(64, axis=0)[:rows]
    flow = hot[np.arange(rows), random.integers(0, 2, rows)]
    flow = np.where(random.random(rows) < 0.2, random.integers(0, FLOWS, rows), flow)
    rate = np.exp(random.uniform(np.log(1e6), np.log(100e9), rows)) / 64
    mantissa, exponent = byte_time(np.minimum(rate.astype(np.int64), RATE.most))
    write = random.random(rows) < 0.01
    write[:FLOWS] = True
    paced = random.integers(0, FLOWS, rows)
    paced[:FLOWS] = np.arange(FLOWS)
    steps = random.integers(0, 2 * CYCLE, rows)
    steps += (random.random(rows) < 0.003) * (random.random(rows) * 2**34).astype(np.int64)
    steps += (random.random(rows) < jumps) * random.integers(0, 1 << TIME.width - 2, rows)
    valid = random.random(rows) < 0.95
    valid[: FLOWS + 1] = False
    return {
        "valid": valid.astype(np.int64),
        "flow": flow,
        "size": random.integers(84, 9043, rows),
        "write": write.astype(np.int64),
        "paced": paced,
        "mantissa": mantissa,
        "exponent": exponent,
        "now": np.cumsum(steps) + (random.integers(0, 1 << TIME.width)),
        "burst": np.full(rows, random.integers(0, 1 << 26)),
    }


def test_decisions(gateware, seed):
    random, seen = np.random.default_rng(seed), []
    for _ in range(3):
        seen += [conforms for conforms, _ in agree(gateware, traffic(random, 30_000))]
    assert 0.05 < np.mean(seen) < 0.95


def test_latencies(gateware):
    assert gateware[1] == (12, 7)


@pytest.mark.parametrize("wraps", [0.4, 0.6, 1.1, 10])
def test_flows_that_were_idle(gateware, seed, wraps):
    """All but one flow rest for so many wraps of time, which goes on by less than a quarter of one
    in a sweep; then they send again, and are judged as if time had not wrapped."""
    random = np.random.default_rng(seed)
    sweep = FLOWS * SWEEP_EVERY
    quarter = (1 << TIME.width - 2) - sweep * 2 * CYCLE
    jumps = int(np.ceil(wraps * 4 * (1 << TIME.width - 2) / quarter))
    rest = (jumps + 1) * sweep
    columns = traffic(random, 2 * 3_000 + rest)
    steps = np.diff(columns["now"], prepend=columns["now"][0])
    jump = np.zeros(len(steps), np.int64)
    jump[3_000 + sweep * np.arange(jumps)] = int(wraps * (1 << TIME.width) / jumps)
    columns["now"] = columns["now"][0] + np.cumsum(np.minimum(steps, 2 * CYCLE) + jump)
    resting = slice(3_000, 3_000 + rest)
    columns["valid"][resting] &= columns["flow"][resting] == 0
    columns["write"][resting] = 0
    decisions = agree(gateware, columns)
    assert len({conforms for conforms, _ in decisions[-2_000:]}) == 2


RATES = 1_000_001, 100_000_000_000
"""bit/s, the lowest and the highest at which achieved rates are measured."""
ROWS = 40_000


def overload(random, rate, period, flows):
    """About three times what the flows' rates allow, packet by packet, and those rates in bit/s,
    the first one ``rate``.

    ``now`` goes on by ``period`` ns in a cycle; where a packet takes many cycles, by as many at
    once as make it three packets in the time of one.
    """
    wanted = np.clip(rate * random.uniform(0.7, 1.4, FLOWS), *RATES)
    wanted[0] = rate
    steps = np.round(wanted / 64).astype(np.int64)
    size = random.integers(60, 9019, ROWS) + 24
    flow = np.arange(ROWS) % flows
    cycles = max(1, round(size.mean() * 8e9 / (64 * steps[0]) / 3 / flows / period))
    # Of the settings a row each, before the first packet.
    mantissa, exponent = np.zeros((2, ROWS), np.int64)
    mantissa[:FLOWS], exponent[:FLOWS] = byte_time(steps)
    rows = np.arange(ROWS)
    columns = {
        "valid": (rows > FLOWS).astype(np.int64),
        "flow": flow,
        "size": size,
        "write": (rows < FLOWS).astype(np.int64),
        "paced": rows % FLOWS,
        "mantissa": mantissa,
        "exponent": exponent,
        "now": np.cumsum(np.full(ROWS, round(period * cycles * 1024))),
        "burst": np.full(ROWS, int(9042 * 8e9 * 1024 / (64 * steps.min()))),
    }
    return columns, wanted


@pytest.mark.parametrize("period", [2.5, 5.12, 6.4, 8.0])
@pytest.mark.parametrize("flows", [1, 2], ids=["the same flow", "two by turns"])
def test_the_rate_achieved_and_bursts(gateware, seed, period, flows):
    """By closed forms: what a flow that always has more to send gets is its rate within 0.05 %, and
    no stretch of it exceeds the time that it took by more than the tolerance."""
    bench, times = gateware
    random = np.random.default_rng([seed, flows, int(100 * period)])
    for rate in (*RATES, *np.exp(random.uniform(*np.log(RATES), 4))):
        columns, rates = overload(random, rate, period, flows)
        for found in bench.run(columns).values():
            for flow in range(flows):
                keeps_to(rates[flow], sent_of(flow, columns, found, *times), columns["burst"][0])


def sent_of(flow, columns, found, latency, sampled):
    """When each packet of the flow that conformed was judged, in ns, and its size."""
    cycles = np.flatnonzero(found["decided"][:ROWS] & found["conforms"][:ROWS]) - latency
    sent = cycles[columns["flow"][cycles] == flow]
    return columns["now"][sent + sampled] / 1024, columns["size"][sent]


def keeps_to(rate, sent, burst):
    now, size = sent
    assert len(now) > 1_000
    first = len(now) // 10  # when the tolerance is used up
    achieved = 8e9 * size[first:-1].sum() / (now[-1] - now[first])
    assert abs(achieved / rate - 1) < 0.0005, (rate, achieved)
    ahead = np.concatenate([[0], np.cumsum(8e9 * size[:-1] / rate)]) - now
    most = (ahead - np.minimum.accumulate(ahead)).max()
    # A byte's time is off by less than 2^-16 of itself, and a rate counts 64 bit/s.
    off = (2**-16 + 32 / rate) * (now[-1] - now[0])
    assert most <= burst / 1024 + off, (rate, most)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"flows": 100}, "flows must be a power of two, not 100; the next is 128"),
        ({"flows": 1 << 17}, "flows must be from 2 to 65536, not 131072"),
        ({"flows": 4, "sweep_every": 1}, "sweep_every must be from 2 to 16777216, not 1"),
        ({"flows": 4, "technology": "ice40"}, "technology must be one of generic, ecp5, not"),
    ],
)
def test_a_wrong_parameter(arguments, message, unused):
    with pytest.raises(ValueError, match=message):
        FlowMeter(**arguments)
