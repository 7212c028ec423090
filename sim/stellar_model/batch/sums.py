"""One's complement sums of many frames (RFC 1071)."""

import numpy as np

from ..checksum import GOOD

__all__ = ["good"]


def good(totals: np.ndarray) -> np.ndarray:
    """Whether sums of 16-bit words, not yet folded and below 2^48, are those of right data.

    Three folds are enough: below 2^48 the first leaves less than 2^33, the second than 2^18, the
    third than 2^16 + 2^2; what then has a carry left is no more than 3 when it is folded.
    """
    for _ in range(3):
        totals = (totals & 0xFFFF) + (totals >> 16)
    return totals == GOOD
