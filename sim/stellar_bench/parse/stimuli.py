"""Which frames a scenario sends: chosen, scaled, and given ingress data and MAC errors."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from stellar_model import Ingress, Settings, build
from stellar_spec.opcodes import Opcode
from stellar_spec.records import INGRESS

from .. import frames
from ..frames import SETTINGS_SETS, Stimulus
from ..vectors import load

__all__ = ["Case", "corpus", "directed", "long_body", "long_frames", "plain", "random_mix"]

DEFAULT = "default"
MAC_ERRORS = 0.03
"""Share of frames that get a MAC error, besides those that have one."""

LONG_BEATS = 20_000
"""Longest frame at the length limits that is used, in beats."""

CORPUS_BEATS = 250
"""Longest captured frame that is used, in beats."""


BODY_BEATS = 32
"""Least payload of a frame with a long body, in beats."""


@dataclass(frozen=True)
class Case:
    """A frame as the parser meets it."""

    name: str
    frame: bytes
    error: bool
    settings: Settings
    meta: Ingress


def directed(env) -> list[Case]:
    """Golden vectors and directed frames; of the latter, the run's share, evenly spread."""
    vectors = [
        Case(vector.name, vector.frame, False, Settings(**vector.settings), Ingress())
        for vector in load()
    ]
    return vectors + _cases(env.rng, _thinned(env, frames.directed_frames()), errors=0)


def random_mix(env, count: int) -> list[Case]:
    """Random frames with random settings."""
    return _cases(env.rng, frames.random_frames(env.rng, env.count(count)))


def plain(env, count: int) -> list[Case]:
    """Frames of every kind, directed and random, with the default settings, in random order."""
    count = env.count(count)
    usual = [s for s in frames.directed_frames() if s.settings == DEFAULT]
    chosen = env.rng.sample(usual, min(count // 2, len(usual)))
    while len(chosen) < count:
        more = frames.random_frames(env.rng, count)
        chosen += [s for s in more if s.settings == DEFAULT][: count - len(chosen)]
    env.rng.shuffle(chosen)
    return _cases(env.rng, chosen)


def long_frames(env) -> list[Case]:
    """Frames at the length limits, each with a good one behind it.

    A narrow parser gets the shorter ones, and always the shortest.
    """
    good = _write(env, 64)
    limit = LONG_BEATS * env.width
    shortest, *others = sorted(frames.long_frames(), key=lambda one: len(one.data))
    chosen = [shortest, *(one for one in others if len(one.data) <= limit)]
    behind = Stimulus("behind a long one", good)
    return _cases(env.rng, [s for one in chosen for s in (one, behind)], errors=0)


def long_body(env) -> Case:
    """A good frame of which far more follows the headers than the parser holds."""
    frame = _write(env, env.rng.randrange(BODY_BEATS, 2 * BODY_BEATS) * env.width)
    return _cases(env.rng, [Stimulus("long body", frame)])[0]


def corpus(env) -> list[Case]:
    """The different frames of the captures, the run's share; a narrow parser gets shorter ones."""
    limit = CORPUS_BEATS * env.width
    different = {s.data: s for s in frames.corpus_frames(env.corpus) if len(s.data) <= limit}
    return _cases(env.rng, _thinned(env, list(different.values())), errors=0)


def _write(env, size: int) -> bytes:
    """A WRITE with ``size`` random bytes."""
    return build.ethernet(build.ipv4(build.stellar(Opcode.WRITE, env.rng.randbytes(size))))


def _thinned(env, stimuli: list[Stimulus]) -> list[Stimulus]:
    """The run's share of ``stimuli``, evenly spread."""
    step = max(1, round(1 / env.share))
    return stimuli[env.rng.randrange(step) :: step]


def _cases(rng: Random, stimuli: Iterable[Stimulus], errors: float = MAC_ERRORS) -> list[Case]:
    return [
        Case(
            stimulus.name,
            stimulus.data,
            stimulus.error or rng.random() < errors,
            SETTINGS_SETS[stimulus.settings],
            Ingress(**{field.name: rng.getrandbits(field.width) for field in INGRESS}),
        )
        for stimulus in stimuli
    ]
