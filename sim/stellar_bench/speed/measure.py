"""The measurements: each gives frames, seconds of CPU, and the digest of the records.

CPU time of the one process and thread that works, not time on the wall: what else the machine does
makes no difference then, but for caches and for cores that share their units.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import stellar_model
from stellar_model import batch
from stellar_model.batch import Columns, RecordDigest

from ..native import NativeParser
from ..variants import variants
from . import cocotb_run

__all__ = [
    *("BARE", "BATCH", "COCOTB", "ENGINE", "READABLE"),
    *("FEW", "LENGTHS", "ROUNDS", "Measured", "everything", "frames"),
]

BARE = "engine, records not looked at"
ENGINE = "engine, decoded and digested"
COCOTB = "cocotb"
BATCH = "batch model"
READABLE = "readable model"

LENGTHS = (64, 128)
"""Shortest and longest frame, in bytes."""
ROUNDS = 3
"""Of a measurement that is repeated, the best round counts."""
CHUNK = 10_000
"""Frames that are put through at a time."""
FEW = 2000
"""Frames for what is slow; they are the first of all."""


@dataclass(frozen=True)
class Measured:
    """What one contender did, in seconds of CPU and on the wall.

    ``digest`` is empty where records were not looked at.
    """

    who: str
    frames: int
    seconds: float
    wall: float
    digest: str = ""

    @property
    def rate(self) -> float:
        """Frames per second of CPU."""
        return self.frames / self.seconds


def frames(count: int, seed: int) -> list[bytes]:
    """``count`` different frames, good and hostile, with lengths within ``LENGTHS``."""
    found, number = {}, 0
    shortest, longest = LENGTHS
    while len(found) < count:
        drawn = variants(CHUNK, seed=(seed, number))
        found |= dict.fromkeys(frame for frame in drawn if shortest <= len(frame) <= longest)
        number += 1
    return list(found)[:count]


def everything(given: Sequence[bytes]) -> list[Measured]:
    """All contenders over ``given``, the slow ones over the first ``FEW`` of them.

    Raises what the engine and ``cocotb_run.run`` raise.
    """
    few = given[:FEW]
    with NativeParser(width=cocotb_run.WIDTH) as engine:

        def records(chunk):
            found = engine.run_batch(chunk)
            return batch.decode(found.headers, found.trailers)

        bare = min(_timed(lambda: _chunks(engine.run_batch, given))[1:] for _ in range(ROUNDS))
        measured = [
            Measured(BARE, len(given), *bare),
            *(_digested(ENGINE, records, part) for part in (given, few)),
        ]
    measured += [_digested(BATCH, batch.parse, part) for part in (given, few)]
    columns, *seconds = cocotb_run.run(few)
    measured.append(Measured(COCOTB, len(few), *seconds, batch.digest(columns)))
    parsed, *seconds = _timed(lambda: [stellar_model.parse(frame) for frame in few])
    digest = batch.digest(batch.of_records(parsed))
    return [*measured, Measured(READABLE, len(few), *seconds, digest)]


def _digested(who: str, records: Callable[..., Columns], given: Sequence[bytes]) -> Measured:
    """The best round; decoding and digest are part of what is timed."""
    rounds = []
    for _ in range(ROUNDS):
        running = RecordDigest()
        _, *seconds = _timed(lambda into=running: _chunks(lambda c: into.update(records(c)), given))
        rounds.append(Measured(who, len(given), *seconds, running.hexdigest()))
    return min(rounds, key=lambda one: one.seconds)


def _chunks(work: Callable, given: Sequence[bytes]) -> None:
    for start in range(0, len(given), CHUNK):
        work(given[start : start + CHUNK])


def _timed(work: Callable) -> tuple[object, float, float]:
    """What ``work`` returns, and its seconds of CPU and on the wall."""
    start, wall = time.process_time(), time.perf_counter()
    found = work()
    return found, time.process_time() - start, time.perf_counter() - wall
