"""FlowMatrix' law in gateware: every argument of sigma, and many updates, against the model."""

import numpy as np
import pytest
from amaranth.back import verilog
from amaranth.hdl import Cat, Module, Signal

from stellar_bench.ecp5 import VectorSimulation, cells_text
from stellar_model.congestion import law, sigmoid
from stellar_nic.congestion import Sigmoid, WeightLaw
from stellar_nic.memory import TECHNOLOGIES
from stellar_spec.congestion import (
    ARGUMENT,
    BIAS,
    GAIN,
    KEEP,
    KEEP_MOST,
    QUEUE,
    SIGMA,
    WEIGHT,
    Fixed,
)

RESTS = Fixed("rests", 1, 0, "whether a counts as 0")
INPUTS = (ARGUMENT, WEIGHT, QUEUE, KEEP, GAIN, BIAS, RESTS)
OUTPUTS = (SIGMA, WEIGHT)
PARTS = 8
"""Runs that the arguments are dealt to, each with settings of its own."""


@pytest.fixture(scope="module")
def gateware():
    """Both blocks in all technologies; ``latency`` by block."""
    m, i = Module(), Signal(sum(fixed.width for fixed in INPUTS), name="i")
    x, weight, queue, settings = i[:21], i[21:45], i[45:61], i[61:-1]
    outputs = []
    for technology in TECHNOLOGIES:
        curve, update = Sigmoid(technology=technology), WeightLaw(technology=technology)
        m.submodules += [curve, update]
        m.d.comb += [
            curve.x.eq(x),
            update.weight.eq(weight),
            update.queue.eq(queue),
            update.settings.eq(settings),
            update.rests.eq(i[-1]),
        ]
        outputs += [curve.y, update.renewed]
    o = Signal(sum(map(len, outputs)), name="o")
    m.d.comb += o.eq(Cat(outputs))
    ports = [i, o]
    top = verilog.convert(m, name="top", ports=ports, emit_src=False, strip_internal_attrs=True)
    files = {"top.v": top, "cells.v": cells_text()}
    simulation = VectorSimulation(files, inputs=len(i), outputs=len(o))
    return simulation, (curve.latency, update.latency)


def bits_of(columns):
    """A row of bits for each row of numbers."""
    rows = [
        (np.asarray(numbers, np.int64)[:, None] >> np.arange(fixed.width) & 1).astype(np.uint8)
        for numbers, fixed in zip(columns, INPUTS, strict=True)
    ]
    return np.concatenate(rows, axis=1)


def numbers_of(bits, at, fixed):
    return bits[:, at : at + fixed.width] @ (1 << np.arange(fixed.width, dtype=np.int64))


def settings_of(random):
    """By default, at the ends, and anything."""
    yield {
        "keep": KEEP.steps(KEEP.default),
        "gain": GAIN.steps(GAIN.default),
        "bias": BIAS.steps(BIAS.default),
    }
    yield {"keep": KEEP.most, "gain": GAIN.most, "bias": BIAS.most}
    yield {"keep": 0, "gain": GAIN.most, "bias": BIAS.least}
    yield {"keep": KEEP_MOST, "gain": 0, "bias": 0}
    while True:
        yield {
            "keep": int(random.integers(0, KEEP.most + 1)),
            "gain": int(random.integers(0, GAIN.most + 1) >> random.integers(0, 12)),
            "bias": int(random.integers(BIAS.least, BIAS.most + 1)),
        }


def test_every_argument_and_many_updates(gateware, seed):
    simulation, (sigma_latency, law_latency) = gateware
    random = np.random.default_rng(seed)
    arguments = random.permutation(np.arange(ARGUMENT.least, ARGUMENT.most + 1))
    for x, settings in zip(np.split(arguments, PARTS), settings_of(random), strict=False):
        weight = random.integers(0, WEIGHT.most + 1, len(x))
        weight[::7] = random.choice([0, WEIGHT.most], len(weight[::7]))
        queue = random.integers(0, QUEUE.most + 1, len(x)) >> random.integers(0, 16, len(x))
        fixed = [np.full(len(x), settings[name]) for name in ("keep", "gain", "bias")]
        rests = random.integers(0, 2, len(x))
        out = simulation.run(bits_of([x, weight, queue, *fixed, rests]))
        renewed = law(weight, queue, **settings)
        rested = law(weight, queue, **settings | {"keep": 0})
        expected = {
            SIGMA: (sigmoid(x), sigma_latency),
            WEIGHT: (np.where(rests, rested, renewed), law_latency),
        }
        at = 0
        for technology in TECHNOLOGIES:
            for output in OUTPUTS:
                want, latency = expected[output]
                found = numbers_of(out, at, output)[latency:]
                wrong = np.flatnonzero(found != want[:-latency])
                assert not len(wrong), (technology, output.name, settings, len(wrong), wrong[:3])
                at += output.width


def test_latencies(gateware):
    assert gateware[1] == (8, 21)


@pytest.mark.parametrize("block", [Sigmoid, WeightLaw])
def test_an_unknown_technology(block, unused):
    with pytest.raises(ValueError, match="technology must be one of generic, ecp5, not 'ice40'"):
        block(technology="ice40")
