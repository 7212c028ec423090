"""FlowMatrix' law in gateware: every argument of sigma, and many updates, against the model."""

from itertools import islice

import numpy as np
import pytest

from stellar_model.congestion import law, sigmoid
from stellar_nic.congestion import Sigmoid, WeightLaw
from stellar_spec.congestion import (
    ARGUMENT,
    BIAS,
    GAIN,
    KEEP,
    KEEP_MOST,
    QUEUE,
    SIGMA,
    WEIGHT,
)

from .columns import ColumnBench

INPUTS = {
    "x": ARGUMENT.width,
    "weight": WEIGHT.width,
    "queue": QUEUE.width,
    "keep": KEEP.width,
    "gain": GAIN.width,
    "bias": BIAS.width,
    "rests": 1,
}
OUTPUTS = {"sigma": SIGMA.width, "renewed": WEIGHT.width}
PARTS = 8
"""Runs that the arguments are dealt to, each with settings of its own."""


@pytest.fixture(scope="module")
def gateware():
    """Both blocks, and their latencies."""
    latencies = {}

    def build(m, fields, technology):
        curve, update = Sigmoid(technology=technology), WeightLaw(technology=technology)
        m.submodules += [curve, update]
        m.d.comb += [
            curve.x.eq(fields["x"]),
            update.weight.eq(fields["weight"]),
            update.queue.eq(fields["queue"]),
            update.rests.eq(fields["rests"]),
            *(update.settings[name].eq(fields[name]) for name in ("keep", "gain", "bias")),
        ]
        latencies.update(sigma=curve.latency, renewed=update.latency)
        return [curve.y, update.renewed]

    return ColumnBench(INPUTS, OUTPUTS, build), latencies


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
    bench, latencies = gateware
    random = np.random.default_rng(seed)
    arguments = random.permutation(np.arange(ARGUMENT.least, ARGUMENT.most + 1))
    for x, settings in zip(
        np.split(arguments, PARTS), islice(settings_of(random), PARTS), strict=True
    ):
        weight = random.integers(0, WEIGHT.most + 1, len(x))
        weight[::7] = random.choice([0, WEIGHT.most], len(weight[::7]))
        queue = random.integers(0, QUEUE.most + 1, len(x)) >> random.integers(0, 16, len(x))
        columns = {"x": x, "weight": weight, "queue": queue}
        columns["rests"] = random.integers(0, 2, len(x))
        columns |= {name: np.full(len(x), value) for name, value in settings.items()}
        renewed = law(weight, queue, **settings)
        rested = law(weight, queue, **settings | {"keep": 0})
        want = {"sigma": sigmoid(x), "renewed": np.where(columns["rests"], rested, renewed)}
        for technology, found in bench.run(columns).items():
            for name, latency in latencies.items():
                wrong = np.flatnonzero(found[name][latency:] != want[name][:-latency])
                assert not len(wrong), (technology, name, settings, len(wrong), wrong[:3])


def test_latencies(gateware):
    assert gateware[1] == {"sigma": 8, "renewed": 21}


@pytest.mark.parametrize("block", [Sigmoid, WeightLaw])
def test_an_unknown_technology(block, unused):
    with pytest.raises(ValueError, match="technology must be one of generic, ecp5, not 'ice40'"):
        block(technology="ice40")
