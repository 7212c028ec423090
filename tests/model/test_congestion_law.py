"""FlowMatrix' law in fixed point against the same in float64."""

import numpy as np
import pytest

from stellar_model.congestion.law import (
    NODES,
    float_law,
    float_sigmoid,
    law,
    sigmoid,
    trajectory_bound,
)
from stellar_spec.congestion import ARGUMENT, BIAS, GAIN, KEEP, KEEP_MOST, QUEUE, SIGMA, WEIGHT

ALL = np.arange(ARGUMENT.least, ARGUMENT.most + 1)
DEFAULTS = {
    "keep": KEEP.steps(KEEP.default),
    "gain": GAIN.steps(GAIN.default),
    "bias": BIAS.steps(BIAS.default),
}


def values(settings):
    """The same settings for the law in float64."""
    formats = {"keep": KEEP, "gain": GAIN, "bias": BIAS}
    return {name: formats[name].value(steps) for name, steps in settings.items()}


def test_sigma_of_every_argument():
    """Error, monotony and symmetry, of all 2^21 arguments."""
    found = sigmoid(ALL)
    exact = float_sigmoid(ALL / (1 << ARGUMENT.fraction))
    assert np.abs(found / (1 << SIGMA.fraction) - exact).max() <= 2.0**-15
    assert (np.diff(found) >= 0).all()
    assert found.min() >= 1 and found.max() == SIGMA.most
    assert (found[1:] + found[1:][::-1] == (1 << SIGMA.fraction)).all()


def test_sigma_by_hand():
    """Values from a table of the logistic function, and the ends."""
    one = 1 << SIGMA.fraction
    known = {0: 0.5, 1: 0.7310585786, 2: 0.8807970780, -1: 0.2689414214, 4: 0.9820137900}
    for x, value in known.items():
        assert abs(int(sigmoid(x << ARGUMENT.fraction)) - value * one) <= 1
    assert sigmoid(ARGUMENT.least) == sigmoid(ARGUMENT.least + 1) == 1
    assert len(NODES) == 513 and NODES[0] == one // 2


def test_the_mission_figures():
    """The resting points that the formula has for an empty queue and one of ten units."""
    for queue, expected in ((0, 0.6225), (10, 0.9707)):
        weight = np.int64(WEIGHT.steps(0.5))
        for _ in range(200):
            weight = law(weight, queue << QUEUE.fraction, **DEFAULTS)
        assert abs(WEIGHT.value(int(weight)) - expected) < 1e-4


def sequences(rng, steps):
    """Queues of many flows, step by step: noise, squares of all periods, ramps, extremes."""
    time = np.arange(steps)
    for _ in range(24):
        yield rng.integers(0, QUEUE.most + 1, steps)
        yield rng.integers(0, 64 << QUEUE.fraction, steps)
    for period in (2, 3, 7, 20, 100, 1000):
        high = rng.integers(0, 40 << QUEUE.fraction)
        yield np.where(time // period % 2, high, 0)
        yield time * 8 // period % (QUEUE.most + 1)
    yield np.zeros(steps, np.int64)
    yield np.full(steps, QUEUE.most)


@pytest.mark.parametrize("keep", [0, 1, DEFAULTS["keep"], KEEP_MOST - 1, KEEP_MOST])
@pytest.mark.parametrize("gain", [0, DEFAULTS["gain"], GAIN.most])
@pytest.mark.parametrize("bias", [BIAS.least, 0, DEFAULTS["bias"], BIAS.most])
def test_trajectories(seed, keep, gain, bias):
    settings = {"keep": keep, "gain": gain, "bias": bias}
    exact_settings, bound = values(settings), trajectory_bound(keep)
    queues = np.array(list(sequences(np.random.default_rng(seed), 3000)))
    begin = np.clip(bias << ARGUMENT.fraction - BIAS.fraction, ARGUMENT.least, ARGUMENT.most)
    weight = np.full(len(queues), int(sigmoid(begin)) << WEIGHT.fraction - SIGMA.fraction)
    exact = np.full(len(queues), float_sigmoid(BIAS.value(bias)))
    worst = 0.0
    for queue in queues.T:
        weight = law(weight, queue, **settings)
        exact = float_law(exact, queue / (1 << QUEUE.fraction), **exact_settings)
        worst = max(worst, np.abs(weight / (1 << WEIGHT.fraction) - exact).max())
    assert worst <= bound
    assert weight.min() >= 0 and weight.max() <= WEIGHT.most


def test_a_keeps_at_most_its_bound():
    assert law(0, QUEUE.most, **DEFAULTS | {"keep": KEEP.most}) == law(
        0, QUEUE.most, **DEFAULTS | {"keep": KEEP_MOST}
    )


@pytest.mark.parametrize(
    ("fixed", "value", "message"),
    [
        (KEEP, 1, r"a is 1; U0\.16 holds 0 to 0\.999985"),
        (GAIN, -0.1, r"b is -0\.1; U4\.12 holds 0 to 15\.9998"),
        (BIAS, 16, r"g is 16; S5\.12 holds -16 to 15\.9998"),
    ],
)
def test_a_value_that_does_not_fit(fixed, value, message):
    with pytest.raises(ValueError, match=message):
        fixed.steps(value)
