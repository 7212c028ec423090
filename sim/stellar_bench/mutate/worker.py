"""A process that runs mutants one by one, and the end of it that gives the orders.

A mutant may end its process or keep it for ever; both is for the order's giver to notice, and
counts as noticed by the stimuli that were running.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from .target import MutationTarget

__all__ = ["Job", "Verdict", "Worker"]

END_TIMEOUT = 5
"""Seconds in which a process that was ended must be gone."""


@dataclass(frozen=True)
class Job:
    """What a worker needs for the mutants of one build; ``bits`` is the width of ``mutsel``."""

    target: MutationTarget
    width: int
    verilog: Path
    bits: int
    stimuli: Sequence[Any]


@dataclass(frozen=True)
class Verdict:
    """What became of the mutant with this number within its build.

    ``by`` names the stimuli that noticed it and ``reason`` what was wrong; both are ``None`` where
    nothing was. ``seconds`` is the time that it took.
    """

    mutant: int
    by: str | None
    reason: str | None
    seconds: float


def serve(connection: Connection, job: Job) -> None:
    """Runs each mutant that comes until ``None`` comes; sends the stimuli's names and a verdict."""
    device = job.target.device(job.width, job.verilog, job.bits)
    while (mutant := connection.recv()) is not None:
        start, by, reason = time.monotonic(), None, None
        device.select(mutant)
        for stimuli in job.stimuli:
            connection.send(stimuli.name)
            if reason := device.run(stimuli):
                by = stimuli.name
                break
        connection.send(Verdict(mutant, by, reason, time.monotonic() - start))


class Worker:
    """One process with one mutant at a time; ended and started anew where a mutant asks for it.

    Parameters
    ----------
    context
        Of ``multiprocessing``: how processes are started.
    job
        What it works on.
    timeout
        Seconds for one set of stimuli.
    """

    def __init__(self, context, job: Job, timeout: float):
        self._context, self._job, self._timeout = context, job, timeout
        self._process = None
        self._mutant: int | None = None

    def _start(self):
        self.connection, theirs = self._context.Pipe()
        self._process = self._context.Process(target=serve, args=(theirs, self._job), daemon=True)
        self._process.start()
        theirs.close()

    @property
    def busy(self) -> bool:
        """Whether a mutant is under way."""
        return self._mutant is not None

    @property
    def deadline(self) -> float:
        """The monotonic time at which the stimuli that run have taken too long."""
        return self._deadline

    def begin(self, mutant: int) -> None:
        """Start with ``mutant``."""
        if self._process is None:
            self._start()
        self._mutant, self._stimuli, self._began = mutant, "start", time.monotonic()
        # Loading library and stimuli comes on top for the first one.
        self._deadline = self._began + 2 * self._timeout
        self.connection.send(mutant)

    def poll(self) -> Verdict | None:
        """The verdict, if there is one; call it when the connection is ready or the time is up."""
        try:
            while self.connection.poll():
                said = self.connection.recv()
                if isinstance(said, Verdict):
                    self._mutant = None
                    return said
                self._stimuli, self._deadline = said, time.monotonic() + self._timeout
        except (EOFError, ConnectionError):
            return self._ended(f"the simulation ended with exit code {self._code()}")
        if time.monotonic() >= self._deadline:
            return self._ended(f"time-out: the simulation took more than {self._timeout:g} s")
        return None

    def _code(self):
        self._process.join(END_TIMEOUT)
        return self._process.exitcode

    def _ended(self, reason):
        verdict = Verdict(self._mutant, self._stimuli, reason, time.monotonic() - self._began)
        self.close()
        return verdict

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join(END_TIMEOUT)
            self.connection.close()
        self._process, self._mutant = None, None
