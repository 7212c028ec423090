"""One width of a soak in a process of its own, and what it tells the one that started it."""

import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from ..verilate import BuildError
from .blocks import SOAKS

__all__ = ["Plan", "Report", "soak"]

BATCHES = 24
"""A run has at least so many batches, each with settings of its own, unless frames are few."""
BATCH_LIMITS = (500, 10_000)
"""Frames of a batch, at least and at most: what bounds the memory, and what setting up costs."""


@dataclass(frozen=True)
class Plan:
    """What is to be run: ``frames`` of ``block``, or of them batch ``only``."""

    block: str
    frames: int
    seed: int
    folder: Path
    verilog: dict[str, Path]
    only: int | None = None

    @property
    def size(self) -> int:
        """Frames of a batch but the last."""
        least, most = BATCH_LIMITS
        return min(self.frames, most, max(least, self.frames // BATCHES))

    @property
    def count(self) -> int:
        """Batches of the whole run."""
        return -(-self.frames // self.size)

    @property
    def batches(self) -> list[tuple[int, int]]:
        """Number and frames of each batch that is run."""
        sizes = [self.size] * (self.count - 1)
        sizes.append(self.frames - sum(sizes))
        whole = list(enumerate(sizes))
        return whole if self.only is None else [whole[self.only]]


@dataclass
class Report:
    """How a width fared: ``problems`` are lines on what differs, ``unusable`` why nothing ran."""

    width: int
    frames: int = 0
    seconds: float = 0.0
    model: str = ""
    gateware: str = ""
    seen: Counter = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    unusable: str = ""


def soak(plan: Plan, width: int, say, stop) -> None:
    """Run the batches of ``plan`` at ``width``, until one differs or the event ``stop`` is set.

    ``say`` is a connection: it gets the number of frames of each batch that is through, and at the
    end a ``Report``.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    report, block = Report(width), SOAKS[plan.block]
    try:
        verilog = block.verilog(plan.verilog, width)
        run = block.make(width=width, seed=plan.seed, folder=plan.folder, verilog=verilog)
    except (BuildError, OSError, ValueError) as error:
        report.unusable = str(error)
        say.send(report)
        return
    start = time.monotonic()
    for number, count in plan.batches:
        if stop.is_set():
            break
        report.problems = run.batch(number, count)
        if report.problems:
            break
        report.frames += count
        say.send(count)
    report.seconds = time.monotonic() - start
    report.model, report.gateware = run.digests
    report.seen = run.seen
    run.close()
    say.send(report)
