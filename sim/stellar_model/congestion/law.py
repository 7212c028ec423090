"""The law W' = a * W + (1 - a) * sigma(b * Q + g): as it is rounded, and as it is meant.

All arguments and results of the rounded form are numbers of steps, as arrays or single numbers.
"""

import numpy as np

from stellar_spec.congestion import (
    ARGUMENT,
    BIAS,
    GAIN,
    KEEP,
    KEEP_MOST,
    QUEUE,
    SEGMENTS,
    SIGMA,
    WEIGHT,
)

__all__ = ["float_law", "float_sigmoid", "law", "sigmoid", "trajectory_bound"]

_REST = ARGUMENT.most + 1  # steps of the sizes that an argument may have
_STEP = _REST // SEGMENTS


def float_sigmoid(x):
    """1 / (1 + exp(-x)) in float64."""
    return 1 / (1 + np.exp(-np.asarray(x, np.float64)))


def _nodes():
    ends = float_sigmoid(np.arange(SEGMENTS + 1) * (_STEP / (1 << ARGUMENT.fraction)))
    return np.minimum(np.floor(ends * (1 << SIGMA.fraction) + 0.5).astype(np.int64), SIGMA.most)


NODES = _nodes()
"""Sigma at the ends of the segments."""


def sigmoid(x):
    """Sigma of ``x`` (ARGUMENT), as SIGMA."""
    x = np.asarray(x, np.int64)
    size = np.minimum(np.abs(x), ARGUMENT.most)
    segment, rest = np.divmod(size, _STEP)
    upper = NODES[segment] + (NODES[segment + 1] - NODES[segment]) * rest // _STEP
    return np.where(x < 0, (1 << SIGMA.fraction) - upper, upper)


def law(weight, queue, *, keep, gain, bias):
    """W' of ``weight`` (WEIGHT) and ``queue`` (QUEUE) with a, b, g (KEEP, GAIN, BIAS)."""
    weight, queue = np.asarray(weight, np.int64), np.asarray(queue, np.int64)
    more = GAIN.fraction + QUEUE.fraction - ARGUMENT.fraction
    assert more == 0, "b * Q has the argument's steps"
    argument = queue * gain + (bias << ARGUMENT.fraction - BIAS.fraction)
    argument = np.clip(argument, ARGUMENT.least, ARGUMENT.most)
    way = (sigmoid(argument) << WEIGHT.fraction - SIGMA.fraction) - weight
    one = 1 << KEEP.fraction
    share = (np.abs(way) * (one - min(keep, KEEP_MOST)) + one // 2) // one
    return weight + np.sign(way) * share


def float_law(weight, queue, *, keep, gain, bias):
    """The same in float64, of values in place of steps; nothing is rounded or saturated."""
    return keep * weight + (1 - keep) * float_sigmoid(gain * queue + bias)


def trajectory_bound(keep: int) -> float:
    """How far a weight may ever be from that of the law in float64; ``keep``: a in steps.

    Both with the same a, b, g and Q, and both from sigma(g) on. An update keeps a of the distance,
    and adds sigma's error, 1 - a of 2^-15 at most, and that of rounding, half a step: so the
    distance stays below 2^-15 + 2^-25 / (1 - a).
    """
    one = 1 << KEEP.fraction
    return 2.0**-15 + 2.0 ** -(WEIGHT.fraction + 1) * one / (one - min(keep, KEEP_MOST))
