"""Rates and times of a byte against exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from stellar_model.congestion import byte_time, rate, scale_of, sigmoid
from stellar_model.congestion.rate import exact_byte_time
from stellar_spec.congestion import (
    ARGUMENT,
    BIAS,
    BYTE_BITS,
    LEAST_EXPONENT,
    MANTISSA,
    RATE,
    SCALE,
    SHARE,
    SIGMA,
    WEIGHT,
)

LINE, LEAST = RATE.steps(100e9), RATE.steps(1e6)


def resting(bias):
    """The weight of a flow without a queue, with a g of so many steps."""
    x = bias << ARGUMENT.fraction - BIAS.fraction
    return int(sigmoid(x)) << WEIGHT.fraction - SIGMA.fraction


def every_rate(exponent):
    """Rates with their highest bit at ``exponent``: the lowest and highest of each fraction."""
    if exponent <= 18:
        return np.arange(1 << exponent, 2 << exponent)
    fractions = np.arange(1 << 18, 2 << 18) << exponent - 18
    return np.concatenate([fractions, fractions + (1 << exponent - 18) - 1])


@pytest.mark.parametrize("exponent", range(LEAST_EXPONENT, RATE.width))
def test_the_time_of_a_byte(exponent):
    rates = every_rate(exponent)
    mantissa, found = byte_time(rates)
    assert (found == exponent).all()
    assert mantissa.min() > 0 and mantissa.max() <= MANTISSA.most
    time = mantissa * 2.0 ** (BYTE_BITS - MANTISSA.fraction - found)
    assert np.abs(time / exact_byte_time(rates) - 1).max() < 2.0**-16
    assert (np.diff(time[: 1 << min(exponent, 18)]) <= 0).all()


@pytest.mark.parametrize(
    ("bits_per_second", "nanoseconds"), [(1e6, 8000), (1e9, 8), (25e9, 0.32), (100e9, 0.08)]
)
def test_times_by_hand(bits_per_second, nanoseconds):
    mantissa, exponent = byte_time(RATE.steps(bits_per_second))
    time = Fraction(int(mantissa)) * Fraction(2) ** (19 - int(exponent)) / 1024
    assert abs(float(time) / nanoseconds - 1) < 2.0**-14


def test_a_rate_that_is_too_low():
    for low in (0, 1, (1 << LEAST_EXPONENT) - 1):
        assert byte_time(low) == byte_time(1 << LEAST_EXPONENT)


@pytest.mark.parametrize("bias", [BIAS.least, -1, 0, 2048, BIAS.steps(4.1)])
def test_an_empty_queue_gives_the_lines_rate(bias):
    weight = resting(bias)
    scale = scale_of(weight)
    assert 1 << SCALE.fraction <= scale <= SCALE.most
    assert rate(weight, scale=scale, least=LEAST, line=LINE) == LINE
    assert rate(weight, scale=scale - 1, least=LEAST, line=LINE) < LINE


def test_a_resting_weight_that_is_too_high():
    with pytest.raises(ValueError, match=r"the resting weight is 0\.9933; .* take a lower g"):
        scale_of(resting(BIAS.steps(5)))


def test_rates_follow_the_weight(seed):
    random = np.random.default_rng(seed)
    weight = np.sort(random.integers(0, WEIGHT.most + 1, 100_000))
    scale = scale_of(resting(BIAS.steps(0.5)))
    found = rate(weight, scale=scale, least=LEAST, line=LINE)
    assert (np.diff(found) <= 0).all()
    assert found[0] == LINE and found.min() >= LEAST
    exact = np.minimum((1 - weight / (1 << WEIGHT.fraction)) * SCALE.value(scale), 1)
    steps = (LINE - LEAST) / (1 << SHARE.fraction)
    assert np.abs(LEAST + (LINE - LEAST) * exact - found).max() < steps * (SCALE.value(scale) + 2)


@pytest.mark.parametrize(("value", "text"), [(200e9, "2e\\+11"), (-1000, "-1000")])
def test_a_rate_that_does_not_fit(value, text):
    message = rf"R is {text}; U31, steps of 64 holds 0 to 1\.37439e\+11"
    with pytest.raises(ValueError, match=message):
        RATE.steps(value)
