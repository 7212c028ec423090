"""Good and hostile frames mixed, as many as are wanted."""

import random
from collections.abc import Callable, Sequence

import numpy as np

import stellar_hostile
from stellar_model import Settings

from ..frames import SETTINGS_SETS, directed_frames, random_frames
from .vary import vary

__all__ = ["HOSTILE_SHARE", "PER_BASE", "Hostile", "hostile_frames", "variants"]

PER_BASE = 20
"""Variants of each random frame."""
HOSTILE_SHARE = 0.25
"""Share of frames that are hostile by design, of which only the MAC addresses vary."""
DAMAGED = 0.3
"""Share of the others that are damaged on top of what their originals are."""

LONG = 10_000
"""Hostile frames of so many bytes are left out: a narrow parser would do little else."""

Hostile = Callable[[random.Random, int, str], Sequence[bytes]]
"""Function of a generator, a number and a name in ``SETTINGS_SETS``: at most so many frames."""

_known: dict[str, list[bytes]] = {}


def hostile_frames(rng: random.Random, count: int, settings: str) -> list[bytes]:
    """Directed frames for these settings and those of ``stellar_hostile``, each at most once."""
    if not _known:
        every = [frame.data for frame in stellar_hostile.frames() if len(frame.data) < LONG]
        _known.update({name: list(every) for name in SETTINGS_SETS})
        for stimulus in directed_frames():
            _known[stimulus.settings].append(stimulus.data)
    return rng.sample(_known[settings], min(count, len(_known[settings])))


def variants(
    count: int,
    *,
    seed: Sequence[int],
    name: str = "default",
    settings: Settings | None = None,
    hostile: Hostile | None = hostile_frames,
) -> list[bytes]:
    """``count`` frames: variants of random frames, and hostile ones, in random order.

    Parameters
    ----------
    seed
        Numbers from which all that is random comes: equal ones give equal frames.
    name
        The settings in ``SETTINGS_SETS`` for which originals are made.
    settings
        The settings that the variants meet; those of ``name`` by default.
    hostile
        Where hostile frames come from; ``None``: there are none.
    """
    rng, plain = np.random.default_rng(seed), random.Random(repr(list(seed)))
    made_for = SETTINGS_SETS[name]
    given = {"rng": rng, "made_for": made_for, "settings": settings or made_for}
    share = round(count * HOSTILE_SHARE) if hostile else 0
    found = vary(_originals(plain, name, count - share), count - share, damaged=DAMAGED, **given)
    if share:
        bad = hostile(plain, share, name)
        found += vary(bad, share, damaged=0, addresses_only=True, **given)
    plain.shuffle(found)
    return found


def _originals(rng: random.Random, name: str, count: int) -> list[bytes]:
    return [stimulus.data for stimulus in random_frames(rng, -(-count // PER_BASE), name)]
