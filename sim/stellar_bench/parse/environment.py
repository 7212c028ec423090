"""What a scenario of the parser gets: the device's traffic, time, reset, settings.

``Environment`` holds what the simulators share; cocotb and Amaranth's simulator each add how time
passes.
"""

import itertools
import time
from pathlib import Path
from random import Random

from stellar_model import Settings

from ..results import TestResult
from ..scoreboard import ParserScoreboard
from ..stream_agents import Throttle
from .traffic import ParserTraffic

__all__ = ["Environment"]


class Environment:
    """A device under test, on which scenarios run one after the other.

    Parameters
    ----------
    bench
        The stream bench around the device, with ``sources``, ``sinks`` and ``cycle``.
    width : int
        Bytes per beat.
    latency : int
        Cycles within which a record is due.
    share : float
        Scales the number of frames; 1 is the full run.
    corpus : Path, optional
        Folder of captures.
    """

    PATIENCE = 2000
    """Cycles without any transfer after which a wait gives up."""
    QUIET = 12
    """Cycles for which nothing may come once everything has come."""

    def __init__(self, bench, *, width: int, latency: int, share: float = 1.0, corpus=None):
        self.bench = bench
        self.width = width
        self.latency = latency
        self.share = share
        self.corpus = corpus
        self.traffic = ParserTraffic(bench, width=width)
        self.scoreboard = self.result = self.rng = self._pauses = None

    async def ticks(self, count: int = 1) -> None:
        """Let ``count`` clock edges pass."""
        raise NotImplementedError

    async def reset(self, cycles: int) -> None:
        """Reset the device for so many cycles; source, sinks and monitors start anew."""
        raise NotImplementedError

    def configure(self, settings) -> None:
        """Give the device other settings; nothing may be inside it."""
        raise NotImplementedError

    async def run(
        self, scenario, result: TestResult, *, seed: int, bench: str, folder: Path, repeat: str
    ) -> None:
        """Run one scenario from reset and write its figures into ``result``, however it ends.

        All that is random depends on ``seed``, the name ``bench`` and the scenario, not on what
        ran before; pauses have a generator of their own, so that they do not change the frames.
        ``folder`` takes counterexamples, ``repeat`` is the command to be named there.

        Raises what the scenario, the scoreboard and the streams' monitors find.
        """
        board = ParserScoreboard(result, folder=folder, bench=bench, repeat=repeat)
        self.scoreboard, self.result = board, result
        self.rng = Random(f"{seed}/{bench}/{result.test}")
        self._pauses = Random(f"{seed}/{bench}/{result.test}/pauses")
        cycle, start = self.cycle, time.monotonic()
        try:
            self.traffic.begin(board, self._pauses)
            self.configure(Settings())
            await self.reset(2)
            await scenario(self)
            board.finish()
        finally:
            board.close()
            result.cycles = self.cycle - cycle
            result.seconds = time.monotonic() - start

    @property
    def cycle(self) -> int:
        """Clock edges so far."""
        return self.bench.cycle

    def count(self, whole: int) -> int:
        """``whole``, scaled to the share of frames that this run is to have."""
        return max(1, round(whole * self.share))

    def throttle(self, idle: float, stall: float) -> None:
        """Random pauses from now on: shares of the time at the input and at the outputs."""
        self.traffic.input.inner = Throttle(self._pauses, idle)
        for gate in self.traffic.gates:
            gate.inner = Throttle(self._pauses, stall)

    async def play(self, stimuli) -> None:
        """Send frames and wait for all of them; settings change when the device is empty."""
        for settings, group in itertools.groupby(stimuli, key=lambda s: s.settings):
            self.configure(settings)
            self.traffic.send(*group)
            await self.drain()

    async def until(self, done, what: str, every: int = 1) -> None:
        """Wait for ``done()``, looking after ``every`` so many clock edges.

        Raises ``TimeoutError`` when nothing has moved for ``PATIENCE`` cycles.
        """
        moved, last = None, self.cycle
        while not done():
            await self.ticks(every)
            if moved != self.traffic.moved:
                moved, last = self.traffic.moved, self.cycle
            if self.cycle - last > self.PATIENCE:
                raise TimeoutError(
                    f"waiting for {what}: no transfer for {self.PATIENCE} cycles; "
                    f"{self.traffic.state()}"
                )

    async def drain(self) -> None:
        """Wait until all has come, and see that nothing more does."""
        source = self.traffic.source
        await self.until(lambda: self.scoreboard.idle and not source.pending, "all to come", 8)
        await self.ticks(self.QUIET)
