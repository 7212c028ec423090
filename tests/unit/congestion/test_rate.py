"""Rates and times of a byte in gateware against the model."""

from itertools import islice

import numpy as np
import pytest

from stellar_model.congestion import byte_time, rate
from stellar_nic.congestion import ByteTime, WeightRate
from stellar_spec.congestion import EXPONENT, LEAST_EXPONENT, MANTISSA, RATE, SCALE, WEIGHT

from .columns import ColumnBench

INPUTS = {
    "rate": RATE.width,
    "weight": WEIGHT.width,
    "scale": SCALE.width,
    "least": RATE.width,
    "line": RATE.width,
}
OUTPUTS = {"time": MANTISSA.width + EXPONENT.width, "given": RATE.width}
ROWS = 200_000
SETTINGS = 6


@pytest.fixture(scope="module")
def gateware():
    """Both blocks, and their latencies."""
    latencies = {}

    def build(m, fields, technology):
        times, rates = ByteTime(technology=technology), WeightRate(technology=technology)
        m.submodules += [times, rates]
        m.d.comb += [
            times.rate.eq(fields["rate"]),
            rates.weight.eq(fields["weight"]),
            *(rates.settings[name].eq(fields[name]) for name in ("scale", "least", "line")),
        ]
        latencies.update(time=times.latency, given=rates.latency)
        return [times.time.as_value(), rates.rate]

    return ColumnBench(INPUTS, OUTPUTS, build), latencies


def rates_of(random, rows):
    """Of all sizes, and at the edges of powers of two and of pieces."""
    exponents = random.integers(0, RATE.width, rows)
    found = (1 << exponents) + (random.random(rows) * (1 << exponents)).astype(np.int64)
    found[::5] = (1 << exponents[::5]) + random.integers(-2, 3, len(found[::5]))
    pieces = (512 + random.integers(0, 512, rows)) << np.maximum(exponents - 9, 0)
    found[1::5] = pieces[1::5] - random.integers(0, 2, len(pieces[1::5]))
    return np.clip(found, 0, RATE.most)


def settings_of(random):
    """K, R_min, R_line: the least, the most, anything."""
    yield {"scale": SCALE.most, "least": 0, "line": RATE.most}
    yield {"scale": 1 << SCALE.fraction, "least": 1 << LEAST_EXPONENT, "line": RATE.most}
    while True:
        least, line = np.sort(random.integers(0, RATE.most + 1, 2))
        scale = int(random.integers(1 << SCALE.fraction, SCALE.most + 1))
        yield {"scale": scale, "least": int(least), "line": int(line)}


def test_rates_and_times(gateware, seed):
    bench, latencies = gateware
    random = np.random.default_rng(seed)
    for settings in islice(settings_of(random), SETTINGS):
        rates, weight = rates_of(random, ROWS), random.integers(0, WEIGHT.most + 1, ROWS)
        weight[::9] = random.choice([0, 1, 63, 64, WEIGHT.most], len(weight[::9]))
        columns = {name: np.full(ROWS, value) for name, value in settings.items()}
        found = bench.run(columns | {"rate": rates, "weight": weight})
        mantissa, exponent = byte_time(rates)
        given = rate(weight, **settings)
        assert given.min() >= settings["least"] and given.max() <= settings["line"]
        want = {"time": mantissa | exponent << MANTISSA.width, "given": given}
        for technology, columns in found.items():
            for name, latency in latencies.items():
                wrong = np.flatnonzero(columns[name][latency:] != want[name][:-latency])
                assert not len(wrong), (technology, name, settings, len(wrong), wrong[:3])


def test_latencies(gateware):
    assert gateware[1] == {"time": 12, "given": 10}


@pytest.mark.parametrize("block", [ByteTime, WeightRate])
def test_an_unknown_technology(block, unused):
    with pytest.raises(ValueError, match="technology must be one of generic, ecp5, not 'ice40'"):
        block(technology="ice40")
