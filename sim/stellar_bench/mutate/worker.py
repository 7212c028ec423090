"""A process that runs mutants one by one, and the end of it that gives the orders.

A mutant may end its process or keep it for ever; both is for the order's giver to notice, and
counts as noticed by the stimuli that were running. What happens before any are running is no
mutant's doing.
"""

import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from .target import MutationTarget

__all__ = ["CampaignError", "Job", "Verdict", "Worker"]

END_TIMEOUT = 5
"""Seconds in which a process that was ended must be gone."""
START_TIMEOUT = 120
"""Seconds for loading the simulation and the stimuli."""


class CampaignError(RuntimeError):
    """Nothing can be said of the mutants: the block fails as it is, or can't be run."""


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
    nothing was. ``seconds`` has the time that each set of stimuli took.
    """

    mutant: int
    by: str | None
    reason: str | None
    seconds: dict[str, float]


def serve(connection: Connection, job: Job) -> None:
    """Runs each mutant that comes until ``None`` comes; sends the stimuli's names and a verdict."""
    device = job.target.device(job.width, job.verilog, job.bits)
    while (mutant := connection.recv()) is not None:
        seconds, by, reason = {}, None, None
        device.select(mutant)
        for stimuli in job.stimuli:
            connection.send(stimuli.name)
            start = time.monotonic()
            reason = device.run(stimuli)
            seconds[stimuli.name] = time.monotonic() - start
            if reason:
                by = stimuli.name
                break
        connection.send(Verdict(mutant, by, reason, seconds))


class Worker:
    """One process with one mutant at a time; ended and started anew where a mutant asks for it.

    Parameters
    ----------
    context
        Of ``multiprocessing``: how processes are started.
    job
        What it works on.
    limit
        Function of a set of stimuli's name: the seconds that it may take.
    """

    def __init__(self, context, job: Job, limit: Callable[[str], float]):
        self._context, self._job, self.limit = context, job, limit
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
        return self._began + self._seconds

    def begin(self, mutant: int) -> None:
        """Start with ``mutant``."""
        if self._process is None:
            self._start()
        self._mutant, self._stimuli = mutant, None
        self._began, self._seconds = time.monotonic(), START_TIMEOUT
        self.connection.send(mutant)

    def poll(self) -> Verdict | None:
        """The verdict, if there is one; call it when the connection is ready or the time is up.

        Raises :class:`CampaignError` for what is no mutant's doing.
        """
        try:
            while self.connection.poll():
                said = self.connection.recv()
                if isinstance(said, Verdict):
                    self._mutant = None
                    return said
                self._stimuli = said
                self._began, self._seconds = time.monotonic(), self.limit(said)
        except (EOFError, ConnectionError):
            self._process.join(END_TIMEOUT)
            return self._ended(f"the simulation ended with exit code {self._process.exitcode}")
        if time.monotonic() >= self.deadline:
            return self._ended(f"time-out: the simulation took more than {self._seconds:.0f} s")
        return None

    def _ended(self, reason):
        code = self._process.exitcode
        verdict = Verdict(self._mutant, self._stimuli, reason, {self._stimuli: self._passed()})
        self.close()
        if self._stimuli is None:
            raise CampaignError(f"the simulation does not start: {reason}")
        if code == -signal.SIGKILL:
            raise CampaignError(f"{reason}: somebody else has ended it, or there is no memory left")
        return verdict

    def _passed(self):
        return time.monotonic() - self._began

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join(END_TIMEOUT)
            self.connection.close()
        self._process, self._mutant = None, None
