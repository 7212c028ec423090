"""Rates and times of a byte in gateware against the model."""

import numpy as np
import pytest
from amaranth.back import verilog
from amaranth.hdl import Cat, Module, Signal

from stellar_bench.ecp5 import VectorSimulation, cells_text
from stellar_model.congestion import byte_time, rate
from stellar_nic.congestion import ByteTime, WeightRate
from stellar_nic.memory import TECHNOLOGIES
from stellar_spec.congestion import LEAST_EXPONENT, MANTISSA, RATE, SCALE, WEIGHT

INPUTS = (RATE, WEIGHT, SCALE, RATE, RATE)
EXPONENT_BITS = 5
ROWS = 200_000
SETTINGS = 6


@pytest.fixture(scope="module")
def gateware():
    """Both blocks in all technologies, and their latencies."""
    m, i = Module(), Signal(sum(fixed.width for fixed in INPUTS), name="i")
    outputs = []
    for technology in TECHNOLOGIES:
        times, rates = ByteTime(technology=technology), WeightRate(technology=technology)
        m.submodules += [times, rates]
        m.d.comb += [times.rate.eq(i), rates.weight.eq(i[31:]), rates.settings.eq(i[55:])]
        outputs += [times.time.as_value(), rates.rate]
    o = Signal(sum(map(len, outputs)), name="o")
    m.d.comb += o.eq(Cat(outputs))
    ports = [i, o]
    top = verilog.convert(m, name="top", ports=ports, emit_src=False, strip_internal_attrs=True)
    files = {"top.v": top, "cells.v": cells_text()}
    simulation = VectorSimulation(files, inputs=len(i), outputs=len(o))
    return simulation, (times.latency, rates.latency)


def bits_of(columns):
    rows = [
        (np.asarray(numbers, np.int64)[:, None] >> np.arange(fixed.width) & 1).astype(np.uint8)
        for numbers, fixed in zip(columns, INPUTS, strict=True)
    ]
    return np.concatenate(rows, axis=1)


def numbers_of(bits, at, width):
    return bits[:, at : at + width] @ (1 << np.arange(width, dtype=np.int64))


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
    yield SCALE.most, 0, RATE.most
    yield 1 << SCALE.fraction, 1 << LEAST_EXPONENT, RATE.most
    while True:
        least, line = np.sort(random.integers(0, RATE.most + 1, 2))
        yield int(random.integers(1 << SCALE.fraction, SCALE.most + 1)), int(least), int(line)


def test_rates_and_times(gateware, seed):
    simulation, latencies = gateware
    random = np.random.default_rng(seed)
    for _, (scale, least, line) in zip(range(SETTINGS), settings_of(random), strict=False):
        rates, weight = rates_of(random, ROWS), random.integers(0, WEIGHT.most + 1, ROWS)
        weight[::9] = random.choice([0, 1, 63, 64, WEIGHT.most], len(weight[::9]))
        fixed = (np.full(ROWS, value) for value in (scale, least, line))
        out = simulation.run(bits_of([rates, weight, *fixed]))
        mantissa, exponent = byte_time(rates)
        time = mantissa | exponent << MANTISSA.width
        given = rate(weight, scale=scale, least=least, line=line)
        assert given.min() >= least and given.max() <= line
        at = 0
        for technology in TECHNOLOGIES:
            columns = ((time, MANTISSA.width + EXPONENT_BITS), (given, RATE.width))
            for (want, width), latency in zip(columns, latencies, strict=True):
                wrong = np.flatnonzero(numbers_of(out, at, width)[latency:] != want[:-latency])
                assert not len(wrong), (technology, width, len(wrong), wrong[:3])
                at += width


def test_latencies(gateware):
    assert gateware[1] == (10, 10)


@pytest.mark.parametrize("block", [ByteTime, WeightRate])
def test_an_unknown_technology(block, unused):
    with pytest.raises(ValueError, match="technology must be one of generic, ecp5, not 'ice40'"):
        block(technology="ice40")
