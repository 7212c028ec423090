"""The limiter in gateware against law, rates and meter of the model, cycle by cycle."""

import numpy as np
import pytest
from amaranth.hdl import Cat

from stellar_model.congestion import byte_time, law, rate, scale_of, sigmoid
from stellar_model.congestion.meter import Meter
from stellar_nic.congestion import FlowLimiter
from stellar_spec.congestion import (
    ARGUMENT,
    BIAS,
    GAIN,
    KEEP,
    QUEUE,
    RATE,
    SCALE,
    SIGMA,
    TIME,
    WEIGHT,
    WIRE_BYTES,
)

from .columns import ColumnBench

FLOWS, FLOW_BITS, EVERY, SWEEP_EVERY = 16, 4, 3, 101
SETTINGS = {
    "keep": KEEP.width,
    "gain": GAIN.width,
    "bias": BIAS.width,
    "scale": SCALE.width,
    "least": RATE.width,
    "line": RATE.width,
    "burst": TIME.width,
}
WIDTHS = {
    "valid": 1,
    "flow": FLOW_BITS,
    "size": WIRE_BYTES,
    "now": TIME.width,
    "write": 1,
    "queued": FLOW_BITS,
    "length": QUEUE.width,
    "restart": 1,
    **SETTINGS,
}
OUT = {"ready": 1, "decided": 1, "conforms": 1, "departure": TIME.width}


@pytest.fixture(scope="module")
def gateware():
    latencies = ()

    def build(m, fields, technology):
        nonlocal latencies
        block = FlowLimiter(
            flows=FLOWS, update_every=EVERY, sweep_every=SWEEP_EVERY, technology=technology
        )
        m.submodules += block
        m.d.comb += [
            block.request.valid.eq(fields["valid"]),
            block.request.payload.flow.eq(fields["flow"]),
            block.request.payload.size.eq(fields["size"]),
            block.now.eq(fields["now"]),
            block.queue.write.eq(fields["write"]),
            block.queue.flow.eq(fields["queued"]),
            block.queue.length.eq(fields["length"]),
            block.restart.eq(fields["restart"]),
            block.settings.eq(Cat(fields[name] for name in SETTINGS)),
        ]
        result = block.result
        latencies = block.latency, block.sampled, block.update_latency
        return [
            block.request.ready,
            result.valid,
            result.payload.conforms,
            result.payload.departure,
        ]

    bench = ColumnBench(WIDTHS, OUT, build)
    return bench, latencies


class Reference:
    """The model in time: what counts in which cycle is the block's contract."""

    def __init__(self, settings, latencies):
        self._settings, self._latencies = settings, latencies
        self._meter, self._paces = Meter(FLOWS), {}
        self._weights, self._queues = [0] * FLOWS, [0] * FLOWS
        self._rests, self._wanted = True, False

    def _update(self, cycle, flow):
        of = {name: self._settings[name] for name in ("keep", "gain", "bias")}
        queue = 0 if self._rests else self._queues[flow]
        of |= {"keep": 0} if self._rests else {}
        self._weights[flow] = weight = int(law(self._weights[flow], queue, **of))
        of = {name: self._settings[name] for name in ("scale", "least", "line")}
        mantissa, exponent = byte_time(rate(weight, **of))
        self._paces[cycle + self._latencies[2]] = flow, int(mantissa), int(exponent)
        if flow == FLOWS - 1:
            self._rests, self._wanted = self._wanted, False

    def decisions(self, rows, ready):
        """Cycles, and what is decided in them."""
        latency, sampled, _ = self._latencies
        for cycle in range(len(ready) - latency):
            if pace := self._paces.pop(cycle, None):
                self._meter.pace(*pace)
            if rows["valid"][cycle] and ready[cycle]:
                then, burst = cycle + sampled, self._settings["burst"]
                of = rows["flow"][cycle], rows["size"][cycle], rows["now"][then], burst
                yield cycle + latency, self._meter.packet(*of)
            if cycle % EVERY == EVERY - 1:
                self._update(cycle, cycle // EVERY % FLOWS)
            if rows["write"][cycle]:
                self._queues[rows["queued"][cycle]] = rows["length"][cycle]
            self._wanted |= rows["restart"][cycle]


def resting(settings):
    x = settings["bias"] << ARGUMENT.fraction - BIAS.fraction
    return int(sigmoid(x)) << WEIGHT.fraction - SIGMA.fraction


def settings_of(random):
    """The mission's parameters between two rates, and others."""
    line = RATE.steps(float(random.choice([1e9, 10e9, 100e9])))
    own = {
        "keep": KEEP.steps(KEEP.default),
        "gain": GAIN.steps(GAIN.default),
        "bias": BIAS.steps(BIAS.default),
    }
    if random.random() < 0.5:
        own = {
            "keep": int(random.integers(0, KEEP.most)),
            "gain": int(random.integers(0, 2 << GAIN.fraction)),
            "bias": int(random.integers(BIAS.least, BIAS.steps(4))),
        }
    scale = scale_of(resting(own))
    burst = int(random.integers(0, 1 << 24))
    return own | {"scale": scale, "least": RATE.steps(1e6), "line": line, "burst": burst}


def traffic(random, rows, settings):
    """Packets of all flows, queues that come and go, now and then a restart."""
    write = random.random(rows) < 0.02
    queued = random.integers(0, FLOWS, rows)
    # What an update reads in the very cycle of a write is not said.
    cycles = np.arange(rows)
    write &= queued != cycles // EVERY % FLOWS
    write[:FLOWS] = False
    restart = random.random(rows) < 0.0005
    restart &= cycles % (EVERY * FLOWS) != EVERY * FLOWS - 1
    lengths = random.integers(0, 20 << QUEUE.fraction, rows) * (random.random(rows) < 0.7)
    valid = random.random(rows) < 0.9
    valid[: 3 * FLOWS * EVERY] = False
    return {
        "valid": valid.astype(np.int64),
        "flow": random.integers(0, FLOWS, rows),
        "size": random.integers(84, 1543, rows),
        "now": np.cumsum(random.integers(0, 100 << 10, rows)),
        "write": write.astype(np.int64),
        "queued": queued,
        "length": lengths,
        "restart": restart.astype(np.int64),
        **{name: np.full(rows, value) for name, value in settings.items()},
    }


def test_decisions(gateware, seed):
    bench, latencies = gateware
    random, seen = np.random.default_rng(seed), []
    for _ in range(4):
        settings = settings_of(random)
        columns = traffic(random, 20_000, settings)
        rows = {name: column.tolist() for name, column in columns.items()}
        for technology, found in bench.run(columns).items():
            expected = list(Reference(settings, latencies).decisions(rows, found["ready"]))
            cycles = np.flatnonzero(found["decided"]).tolist()
            assert cycles[: len(expected)] == [cycle for cycle, _ in expected]
            for cycle, decision in expected:
                given = bool(found["conforms"][cycle]), int(found["departure"][cycle])
                assert given == decision, (technology, settings, cycle)
        seen += [decision.conforms for _, decision in expected]
    assert 0.02 < np.mean(seen) < 0.98


def test_latencies(gateware):
    assert gateware[1] == (12, 7, 45)


def test_a_round_is_longer_than_an_update(unused):
    with pytest.raises(ValueError, match="update_every must be from 3 to 65536, not 2"):
        FlowLimiter(flows=16, update_every=2)


def test_k_is_a_setting_that_fits():
    assert scale_of(resting({"bias": BIAS.steps(BIAS.default)})) <= SCALE.most
