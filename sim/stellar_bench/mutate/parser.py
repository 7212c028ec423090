"""The parser as a block to be mutated: its text, its stimuli, and how they are run and judged.

``STIMULI`` is the table of what is run, in this order; a generator of frames that joins adds a row.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np

from stellar_model import Ingress, Settings, pack, parse
from stellar_spec.records import HEADER_RECORD, INGRESS, TRAILER_RECORD

from .. import vectors
from ..frames import SETTINGS_SETS, Stimulus, directed_frames, long_frames, random_frames
from ..frames.alignment import behind_a_tag
from ..native import EngineError, NativeParser
from .target import Contract, MutationTarget, Source

__all__ = ["LATENCY", "STIMULI", "TARGET", "Batch", "ParserDevice", "Row", "Set", "judge"]

WIDTHS = (1, 2, 4, 8)
LATENCY = 4
"""Cycles within which docs/parser.md promises a record."""
RANDOM = 6000
AFTER_RESET = 800
LONGEST = 20_000
"""Beats of the longest frame that is used."""


def random_mix(rng: Random) -> list[Stimulus]:
    """Random frames under random settings."""
    return random_frames(rng, RANDOM)


def directed(rng: Random) -> list[Stimulus]:
    """Every directed frame, in the order in which they were written."""
    return directed_frames()


def shuffled(rng: Random) -> list[Stimulus]:
    """Directed and random frames in random order, so that each meets other frames before it."""
    frames = directed_frames() + random_frames(rng, RANDOM)
    rng.shuffle(frames)
    return frames


def tagged(rng: Random) -> list[Stimulus]:
    """Every directed frame behind one more tag: each word is elsewhere in its beat."""
    return list(behind_a_tag(directed_frames()))


def golden(rng: Random) -> list[Stimulus]:
    """The golden vectors, those under a named set of settings."""
    names = {settings: name for name, settings in SETTINGS_SETS.items()}
    found = [(vector, names.get(Settings(**vector.settings))) for vector in vectors.load()]
    return [Stimulus(vector.name, vector.frame, settings=name) for vector, name in found if name]


def some(rng: Random) -> list[Stimulus]:
    """A sample of the directed and random ones under the usual settings, for resets."""
    usual = [one for one in shuffled(rng) if one.settings == "default"]
    return rng.sample(usual, AFTER_RESET)


def long(rng: Random) -> list[Stimulus]:
    """Frames at the length limits, a good one behind each."""
    behind = next(one for one in vectors.load() if not one.settings)
    return [
        one
        for stimulus in long_frames()
        for one in (stimulus, Stimulus("behind a long one", behind.frame))
    ]


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
    """A set of stimuli: function that makes the frames, and in which ways they are sent.

    ``resets``: every few frames a run is cut short by a reset, and the next frames are the first.
    """

    name: str
    frames: Callable[[Random], Iterable[Stimulus]]
    stalls: tuple[Mapping, ...] = (NO_STALLS,)
    resets: bool = False


STIMULI = (
    Row("directed", directed),
    Row("golden", golden),
    Row("random", random_mix),
    Row("tagged", tagged),
    Row("idle", directed, (IDLE,)),
    Row("stalls", shuffled, STALLS),
    Row("resets", some, (NO_STALLS, IDLE, STALLS[0]), resets=True),
    Row("long", long),
)
"""What is run, the cheapest first."""


@dataclass(frozen=True)
class Batch:
    """Frames under one set of settings, with what the model says of them: packed records."""

    names: list[str]
    arguments: dict
    headers: np.ndarray
    trailers: np.ndarray
    beats: int


@dataclass(frozen=True)
class Set:
    """One row of the table, made up: batches, each to be sent in each of the ways."""

    name: str
    batches: list[Batch]
    stalls: tuple[Mapping, ...]
    seed: int
    doomed: list[dict] = field(default_factory=list)
    """For resets: in front of batch n a run with these arguments, which a reset cuts short."""


def stimuli(width: int, seed: int) -> list[Set]:
    """All of ``STIMULI`` for a parser of ``width`` bytes a beat."""
    model = _Model(width)
    return [_make(row, model, seed) for row in STIMULI]


class _Model:
    """What the model says of frames; of the same frame under the same settings it is asked once."""

    def __init__(self, width: int):
        self._width = width
        self._known = {}

    def batch(self, frames: list[Stimulus], rng: Random) -> Batch:
        """``frames`` under the settings of the first."""
        settings = SETTINGS_SETS[frames[0].settings]
        parsed = [self._parsed(frame, rng) for frame in frames]
        arguments = {
            "frames": [frame.data for frame in frames],
            "errors": [frame.error for frame in frames],
            "metas": [meta for _, _, meta, _ in parsed],
            "marks": [mark for _, _, _, mark in parsed],
            "settings": settings.pack(),
        }
        headers, trailers = (
            np.array([np.frombuffer(row[at], np.uint8) for row in parsed]) for at in (0, 1)
        )
        beats = sum(-(-len(frame.data) // self._width) for frame in frames)
        return Batch([frame.name for frame in frames], arguments, headers, trailers, beats)

    def _parsed(self, frame, rng):
        key = (frame.data, frame.error, frame.settings)
        if key not in self._known:
            meta = Ingress(**{field.name: rng.getrandbits(field.width) for field in INGRESS})
            settings = SETTINGS_SETS[frame.settings]
            said = parse(frame.data, settings=settings, meta=meta, error=frame.error)
            records = (
                _row(pack(HEADER_RECORD, said.header), HEADER_RECORD),
                _row(pack(TRAILER_RECORD, said.trailer), TRAILER_RECORD),
            )
            self._known[key] = (*records, meta.pack(), said.header_end)
        return self._known[key]


def _row(value, record):
    return value.to_bytes(-(-sum(group.width for group in record) // 8), "little")


def _make(row, model, seed):
    rng = Random(f"{seed} {row.name}")
    frames = [one for one in row.frames(rng) if len(one.data) <= LONGEST * model._width]
    if row.resets:
        return _with_resets(row, frames, model, rng, seed)
    groups = {}
    for frame in frames:
        groups.setdefault(frame.settings, []).append(frame)
    batches = [model.batch(group, rng) for group in groups.values()]
    return Set(row.name, batches, row.stalls, seed)


def _with_resets(row, frames, model, rng, seed):
    batches, doomed = [], []
    for at in range(0, len(frames) - 3, 4):
        lost = model.batch(frames[at : at + 2], rng)
        arguments = {key: value for key, value in lost.arguments.items() if key != "marks"}
        arguments |= {"cycles": rng.randrange(lost.beats + 6), "reset": rng.randint(1, 3)}
        doomed.append(arguments)
        batches.append(model.batch(frames[at + 2 : at + 4], rng))
    return Set(row.name, batches, row.stalls, seed, doomed)


class ParserDevice:
    """The simulated parser with its mutants."""

    def __init__(self, width: int, verilog: Path, bits: int):
        self._engine = NativeParser(width=width, verilog=verilog, select=bits)

    def select(self, mutant: int) -> None:
        """Go on with ``mutant``, from reset; 0 is the parser as it is."""
        self._engine.select(mutant)

    def run(self, stimuli: Set) -> str | None:
        """What is wrong on these stimuli, in one line; ``None`` if nothing is."""
        for stalls in stimuli.stalls:
            for at, batch in enumerate(stimuli.batches):
                options = {**stalls, "seed": stimuli.seed + at}
                try:
                    if stimuli.doomed:
                        self._engine.abandon(**stimuli.doomed[at], **options)
                    records = self._engine.run_batch(**batch.arguments, **options)
                except EngineError as error:
                    return str(error)
                if wrong := judge(batch, records, stalls):
                    return wrong
        return None


def judge(batch: Batch, records, stalls: Mapping) -> str | None:
    """What of ``records`` is not as the model and docs/parser.md say; ``None`` if all is."""
    for name, found, expected in (
        ("header", records.headers, batch.headers),
        ("trailer", records.trailers, batch.trailers),
    ):
        if not np.array_equal(found, expected):
            at = int(np.argmax((found != expected).any(axis=1)))
            return f"the {name} record of frame {at} ({batch.names[at]}) is not the model's"
    if _records_are_taken(stalls["backpressure"]):
        latency = max(records.header_latency.max(), records.trailer_latency.max())
        if latency > LATENCY:
            return f"a record came {latency} cycles after its last byte, not within {LATENCY}"
    if stalls == NO_STALLS and records.cycles > batch.beats + LATENCY:
        return f"{records.cycles} cycles for {batch.beats} beats though all was ready"
    return None


def _records_are_taken(held):
    """Whether no record waits for ``ready``: only then is its latency promised."""
    return not set(held) - {"o"} if isinstance(held, Mapping) else held == 0


def source(width: int) -> Source:
    """The parser in RTLIL, each cell with the line of Python that made it."""
    from amaranth.back import rtlil

    from stellar_nic.verilog import BLOCKS

    text = rtlil.convert(BLOCKS["parser"](width), name="parser", emit_src=True)
    # The packages' names are enough, wherever they are installed.
    text = re.sub(r'(?<=attribute \\src ")\S*/(?=(?:stellar_nic|amaranth)/)', "", text)
    return Source(text, "rtlil", "parser")


def contract(width: int) -> Contract:
    """docs/streams.md, "A packet stream": keep is contiguous, and full but on the last beat."""
    keep = [f"i__payload[{8 * width + lane}]" for lane in range(width)]
    rules = [keep[0], f"i__payload[{9 * width}] || {keep[-1]}"]
    rules += [f"{below} || !{lane}" for below, lane in zip(keep, keep[1:], strict=False)]
    assumptions = tuple(f"!i__valid || ({rule})" for rule in rules)
    return Contract(("o", "header", "trailer"), assumptions)


TARGET = MutationTarget("parser", WIDTHS, source, stimuli, ParserDevice, contract)
