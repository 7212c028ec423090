"""From a weight to a rate, and from a rate to the time of a byte (docs/fixed-point.md)."""

from fractions import Fraction

import numpy as np

from stellar_spec.congestion import (
    BYTE_BITS,
    LEAST_EXPONENT,
    MANTISSA,
    RATE,
    SCALE,
    SEGMENTS,
    SHARE,
    TIME_FRACTION,
    WEIGHT,
)

__all__ = ["BYTE", "byte_time", "exact_byte_time", "rate", "scale_of"]

BYTE = Fraction(8 * 10**9 * 2**TIME_FRACTION, 2**-RATE.fraction)
"""The time of a byte at a rate of one step, in steps of time: 8 bits, at 64 bits a second."""
_ONE = 1 << SHARE.fraction
_DROPPED = WEIGHT.fraction - SHARE.fraction


def scale_of(resting: int) -> int:
    """The lowest K (SCALE) with which a weight of ``resting`` (WEIGHT) has the line's rate.

    Raises ``ValueError`` where that is more than the format holds.
    """
    left = int(_left(resting))
    most = SCALE.most
    if left * most < _ONE << SCALE.fraction:
        raise ValueError(
            f"the resting weight is {WEIGHT.value(resting):.4f}; it must be at most "
            f"{1 - 1 / SCALE.value(most):.4f}, so that K is at most {SCALE.value(most):.4f}: "
            "take a lower g"
        )
    return -(-(_ONE << SCALE.fraction) // left)


def _left(weight):
    """1 - W in steps of 2^-18, rounded down; below 1."""
    exact = (1 << WEIGHT.fraction) - np.asarray(weight, np.int64)
    return np.minimum(exact >> _DROPPED, _ONE - 1)


def rate(weight, *, scale, least, line):
    """R (RATE) of a ``weight`` (WEIGHT); ``scale``: K, ``least`` and ``line``: R_min and R_line."""
    share = np.minimum(_left(weight) * scale >> SCALE.fraction, _ONE)
    return least + ((line - least) * share >> SHARE.fraction)


def _nodes():
    one = BYTE / 2**BYTE_BITS * (1 << MANTISSA.fraction)
    ends = (one * SEGMENTS / (SEGMENTS + n) for n in range(SEGMENTS + 1))
    return np.array([int(end + Fraction(1, 2)) for end in ends])


NODES = _nodes()
_FRACTION = 18
_REST = 1 << _FRACTION - (SEGMENTS - 1).bit_length()


def byte_time(rate):
    """M (MANTISSA) and n (EXPONENT) of a byte at ``rate``, whose time is M * 2^(BYTE_BITS - n)."""
    rate = np.maximum(np.asarray(rate, np.int64), 1 << LEAST_EXPONENT)
    exponent = np.frexp(rate.astype(np.float64))[1].astype(np.int64) - 1
    normal = np.left_shift(rate, RATE.width - 1 - exponent) >> RATE.width - 1 - _FRACTION
    segment, rest = np.divmod(normal - (1 << _FRACTION), _REST)
    return NODES[segment] - (NODES[segment] - NODES[segment + 1]) * rest // _REST, exponent


def exact_byte_time(rate):
    """The time of a byte at ``rate`` (RATE), in steps of time, in float64."""
    return float(BYTE) / np.asarray(rate, np.float64)
