"""One's complement sums of many frames (RFC 1071)."""

import numpy as np

from ..checksum import GOOD

__all__ = ["fold", "good"]


def fold(totals: np.ndarray) -> np.ndarray:
    """Sums of 16-bit words, each below 2^48, in 16 bits.

    The first fold leaves less than 2^33, the second less than 2^18, the third at most 2^16 + 2,
    the fourth 16 bits.
    """
    for _ in range(4):
        totals = (totals & 0xFFFF) + (totals >> 16)
    return totals


def good(totals: np.ndarray) -> np.ndarray:
    """Whether sums of 16-bit words, not yet folded, are those of data with its right checksum."""
    return fold(totals) == GOOD
