"""Variants of given frames."""

from collections.abc import Sequence

import numpy as np

from stellar_model import Settings, batch
from stellar_spec.codes import Flag

from .damage import damage
from .fresh import renew, renew_addresses, translate
from .slots import Slots

__all__ = ["vary"]

_WRONG = Flag.IPV4_CHECKSUM | Flag.UDP_CHECKSUM | Flag.STELLAR_CHECK
REPAIRED = 0.6
"""Share of damaged frames whose sums are made right again."""


def vary(
    frames: Sequence[bytes],
    count: int,
    *,
    rng: np.random.Generator,
    made_for: Settings,
    settings: Settings,
    damaged: float,
    addresses_only: bool = False,
) -> list[bytes]:
    """``count`` frames, each another variant of one of ``frames``, in random order.

    Parameters
    ----------
    frames
        At least one.  A variant of a frame whose sums are all right has right sums too.
    rng
        Makes all that is random.
    made_for, settings
        What the frames were made for, and what their variants are to meet: port, own addresses and
        DSCP of trimmed packets are changed accordingly.
    damaged
        Share of variants that are damaged.
    addresses_only
        Whether nothing changes but the MAC addresses, whatever the other arguments say.

    The 96 bits of the MAC addresses make variants of frames that have them differ.  Raises
    ``ValueError`` when there are no frames to vary.
    """
    if not frames:
        raise ValueError("frames is empty; at least one is needed to make variants of")
    slots = Slots(frames, rng.permutation(count) % len(frames), made_for)
    renew_addresses(slots, rng)
    if addresses_only:
        return slots.frames()
    renew(slots, rng)
    translate(slots, made_for, settings)
    right = slots.columns["trailer.flags"] & _WRONG == 0
    hurt = rng.random(count) < damaged
    damage(slots, np.flatnonzero(hurt), rng)
    right &= ~hurt
    right |= hurt & (rng.random(count) < REPAIRED)
    batch.repair(slots.data, slots.starts, slots.lengths, settings, right)
    return slots.frames()
