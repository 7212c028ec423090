"""What a mutated parser is sent, and what the model says of it.

``ROWS`` is the table, the cheapest first; whoever writes a generator of frames adds a row.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

import numpy as np

import stellar_hostile
from stellar_model import Settings, batch
from stellar_spec.records import INGRESS

from ... import vectors
from ...frames import SETTINGS_SETS, directed_frames, long_frames
from ...frames.alignment import behind_a_tag
from ...soak.parser import draw_settings
from ...variants import variants

__all__ = ["NO_STALLS", "ROWS", "Batch", "Doomed", "Frame", "Row", "Set", "made"]

VARIANTS = 2500
"""Variants for each set of settings."""
META_BITS = sum(field.width for field in INGRESS)
LONGEST = 2000
"""Bytes of the longest frame outside ``long``."""


@dataclass(frozen=True)
class Frame:
    """One frame to be sent."""

    name: str
    data: bytes
    error: bool = False
    settings: Settings = SETTINGS_SETS["default"]


def directed(rng: Random) -> Iterator[Frame]:
    """Every directed frame, in the order in which they were written."""
    for one in directed_frames():
        yield Frame(one.name, one.data, one.error, SETTINGS_SETS[one.settings])


def sample(rng: Random) -> list[Frame]:
    """Some of the directed ones."""
    return rng.sample(list(directed(rng)), 600)


def tagged(rng: Random) -> Iterator[Frame]:
    """Every directed frame behind one more tag: each word is elsewhere in its beat."""
    for one in behind_a_tag(directed_frames()):
        yield Frame(one.name, one.data, one.error, SETTINGS_SETS[one.settings])


def golden(rng: Random) -> Iterator[Frame]:
    """The golden vectors."""
    for vector in vectors.load():
        yield Frame(vector.name, vector.frame, settings=Settings(**vector.settings))


def varied(rng: Random) -> Iterator[Frame]:
    """Variants of random and hostile frames; port, addresses and other settings are drawn too."""
    for at, (name, made_for) in enumerate(SETTINGS_SETS.items()):
        settings, seed = draw_settings(rng, made_for), (rng.getrandbits(32), at)
        for data in variants(VARIANTS, seed=seed, name=name, settings=settings, hostile=None):
            yield Frame(f"variant of {name}", data, rng.random() < 0.03, settings)


def hostile(rng: Random) -> list[Frame]:
    """The hostile frames, in random order, so that each meets others before and behind it."""
    found = [
        Frame(one.name, one.data, one.error, Settings(**one.settings))
        for one in stellar_hostile.frames(seed=rng.getrandbits(32))
    ]
    rng.shuffle(found)
    return found


def shuffled(rng: Random) -> list[Frame]:
    """Some directed frames and variants in random order."""
    return rng.sample([*directed(rng), *varied(rng)], 6000)


def usual(rng: Random) -> list[Frame]:
    """Some of those under the usual settings, for resets."""
    return [one for one in shuffled(rng) if one.settings == Frame.settings][:1200]


def long(rng: Random) -> Iterator[Frame]:
    """Frames at the length limits, a good one behind each."""
    good = Frame("behind a long one", stellar_hostile.good().data)
    for one in long_frames():
        yield Frame(one.name, one.data)
        yield good


NO_STALLS = {"idle": 0.0, "backpressure": 0.0}
IDLE = {"idle": 0.6, "backpressure": 0.0}
STALLS = (
    {"idle": 0.0, "backpressure": 0.5},
    {"idle": 0.5, "backpressure": {"o": 0.7}},
    {"idle": 0.3, "backpressure": {"header": 0.95}},
    {"idle": 0.1, "backpressure": {"trailer": 0.95}},
    {"idle": 0.3, "backpressure": {"header": 0.9, "trailer": 0.9}},
)


@dataclass(frozen=True)
class Row:
    """A function that makes frames, and the ways in which they are sent.

    ``resets``: every few frames a run is cut short by a reset, and the next frames are the first.
    """

    name: str
    frames: Callable[[Random], Iterable[Frame]]
    stalls: tuple[Mapping, ...] = (NO_STALLS,)
    resets: bool = False
    longest: int = LONGEST


ROWS = (
    Row("sample", sample),
    Row("directed", directed),
    Row("golden", golden),
    Row("varied", varied),
    Row("idle", sample, (IDLE,)),
    Row("resets", usual, (NO_STALLS, IDLE, STALLS[0]), resets=True),
    Row("stalls", shuffled, STALLS),
    Row("tagged", tagged),
    Row("hostile", hostile),
    Row("long", long, longest=2**20),
)


@dataclass(frozen=True)
class Batch:
    """Frames under one set of settings, the arguments with which an engine runs them, and what the
    model says of each: packed records."""

    frames: list[Frame]
    arguments: dict
    headers: np.ndarray
    trailers: np.ndarray

    def beats(self, width: int) -> int:
        """Beats of all frames at ``width`` bytes a beat."""
        return sum(-(-len(frame.data) // width) for frame in self.frames)

    def part(self, start: int, stop: int) -> "Batch":
        """Some frames in a row."""
        rows, arguments = slice(start, stop), dict(self.arguments)
        for name in ("frames", "errors", "metas", "marks"):
            arguments[name] = arguments[name][rows]
        return Batch(self.frames[rows], arguments, self.headers[rows], self.trailers[rows])


@dataclass(frozen=True)
class Doomed:
    """A run that a reset cuts short: its frames, and the arguments that say when."""

    frames: Batch
    ends: dict


@dataclass(frozen=True)
class Set:
    """One row of the table, made up: batches, each to be sent in each of the ways.

    ``doomed`` has for each batch what runs in front of it, or is empty. ``latency`` is that which
    docs/parser.md promises, in cycles.
    """

    name: str
    batches: list[Batch]
    stalls: tuple[Mapping, ...]
    seed: int
    latency: int
    doomed: list[Doomed]


def made(row: Row, *, width: int, seed: int, latency: int) -> Set:
    """The set of ``row`` for a parser of ``width`` bytes a beat; the same seed gives the same."""
    rng = Random(f"{seed} {row.name}")
    groups: dict[Settings, list[Frame]] = {}
    for frame in row.frames(rng):
        if len(frame.data) <= row.longest:
            groups.setdefault(frame.settings, []).append(frame)
    batches = [expected(frames, rng) for frames in groups.values()]
    doomed = []
    if row.resets:
        batches, doomed = _behind_resets(batches, width, rng)
    return Set(row.name, batches, row.stalls, seed, latency, doomed)


def expected(frames: list[Frame], rng: Random) -> Batch:
    """``frames``, which share their settings, with what the model says of them."""
    settings = frames[0].settings
    arguments = {
        "frames": [frame.data for frame in frames],
        "errors": [frame.error for frame in frames],
        "metas": [rng.getrandbits(META_BITS) for _ in frames],
    }
    said = batch.parse(**arguments, settings=settings)
    arguments |= {"marks": said.header_end.tolist(), "settings": settings.pack()}
    return Batch(frames, arguments, batch.pack_headers(said), batch.pack_trailers(said))


def _behind_resets(batches, width, rng):
    behind, doomed = [], []
    for whole in batches:
        for at in range(0, len(whole.frames) - 3, 4):
            lost = whole.part(at, at + 2)
            ends = {"cycles": rng.randrange(lost.beats(width) + 6), "reset": rng.randint(1, 3)}
            doomed.append(Doomed(lost, ends))
            behind.append(whole.part(at + 2, at + 4))
    return behind, doomed
