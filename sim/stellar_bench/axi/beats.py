"""How a frame stands on ``s_axis``, and what the core must take it for.

Written from docs/using-the-core.md, section "What tkeep may be".
"""

import dataclasses
from dataclasses import dataclass
from random import Random

from stellar_spec.records import INGRESS

from ..parse.stimuli import Case

__all__ = ["Beat", "DISTURBANCES", "beats_of", "disturb", "users_of", "understood"]

_META_BITS = sum(field.width for field in INGRESS)


@dataclass(frozen=True)
class Beat:
    """One transfer: all lanes of TDATA, the first in front, and TKEEP with lane 0 in bit 0."""

    lanes: bytes
    keep: int


def beats_of(data: bytes, width: int) -> list[Beat]:
    """``data`` as a source by the rules sends it; lanes that are not kept are zero."""
    chunks = [data[at : at + width] for at in range(0, len(data), width)]
    return [Beat(chunk.ljust(width, b"\0"), (1 << len(chunk)) - 1) for chunk in chunks]


def users_of(case: Case, beats: list[Beat], rng: Random) -> list[int]:
    """TUSER of each beat: noise where it means nothing.

    That is bit 0 before the last beat, and the others behind the first beat with a byte.
    """
    users, meta = [], case.meta.pack()
    for index, beat in enumerate(beats):
        last = index == len(beats) - 1
        users.append(meta << 1 | (case.error if last else rng.getrandbits(1)))
        if beat.keep:
            meta = rng.getrandbits(_META_BITS)
    return users


def understood(case: Case, beats: list[Beat], width: int) -> tuple[Case | None, bool]:
    """The frame that the core sees in ``beats``, and whether it is one with a bad ``tkeep``.

    ``None`` where there is no byte: such a packet is passed over.
    """
    full = (1 << width) - 1
    data, bad = b"", False
    for index, beat in enumerate(beats):
        last = index == len(beats) - 1
        if not beat.keep and not (last and data):
            continue
        if last:
            allowed = beat.keep and not beat.keep & (beat.keep + 1)
            data += beat.lanes[: max(1, beat.keep.bit_length())]
        else:
            allowed = beat.keep == full
            data += beat.lanes
        bad |= not allowed
    if not data:
        return None, False
    return dataclasses.replace(case, frame=data, error=case.error or bad), bad


def _null(width: int, rng: Random) -> Beat:
    return Beat(rng.randbytes(width), 0)


def _null_between(beats, width, rng):
    """Null beats in front of and between the others."""
    for _ in range(rng.randint(1, 4)):
        beats.insert(rng.randrange(len(beats)), _null(width, rng))


def _empty(beats, width, rng):
    """A packet of null beats only."""
    beats[:] = [_null(width, rng) for _ in range(rng.randint(1, 3))]


def _null_last(beats, width, rng):
    """The last byte is followed by a null beat with ``tlast``."""
    beats.append(_null(width, rng))


def _partial(beats, width, rng):
    """A beat before the last lacks bytes at its end, or in its middle."""
    at = rng.randrange(max(1, len(beats) - 1))
    beats[at] = Beat(beats[at].lanes, rng.randrange(1, (1 << width) - 1))
    if len(beats) == 1:
        beats.append(Beat(rng.randbytes(width), (1 << width) - 1))


def _gap(beats, width, rng):
    """The last beat has a byte behind one that is not there."""
    gaps = [keep for keep in range(1, 1 << width) if keep & (keep + 1)]
    beats[-1] = Beat(beats[-1].lanes, rng.choice(gaps))


def _untouched(beats, width, rng):
    """As the rules ask."""


DISTURBANCES = {
    "good": (1, _untouched),
    "null between": (1, _null_between),
    "empty": (1, _empty),
    "null last": (1, _null_last),
    "partial": (2, _partial),
    "gap": (2, _gap),
}
"""By name: the least width for which there is such a thing, and what makes it of good beats."""


def disturb(kind: str, beats: list[Beat], width: int, rng: Random) -> list[Beat]:
    """``beats`` with what ``kind`` names; the others stay as they are."""
    changed = list(beats)
    DISTURBANCES[kind][1](changed, width, rng)
    return changed
