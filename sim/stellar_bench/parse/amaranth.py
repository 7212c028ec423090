"""Runs the parser's scenarios in Amaranth's simulator: no build, any width, a few frames."""

from collections.abc import Iterable
from pathlib import Path
from random import Random

from amaranth.hdl import Value

from ..amaranth_streams import StreamBench
from ..results import TestResult
from .environment import Environment

__all__ = ["AmaranthEnvironment", "simulate"]


class AmaranthEnvironment(Environment):
    """A component in Amaranth's simulator; ``ctx`` is the simulation's context."""

    def __init__(self, dut, *, share):
        bench = StreamBench(dut, rng=Random(0))  # its agents are replaced before they use it
        super().__init__(bench, width=dut.width, latency=dut.latency, share=share)
        self.ctx = None
        self._dut = dut

    async def ticks(self, count: int = 1) -> None:
        """Let ``count`` clock edges pass."""
        await self.bench.wait(self.ctx, count)

    async def reset(self, cycles: int) -> None:
        """Reset the device for so many cycles."""
        await self.bench.reset(self.ctx, cycles)

    def configure(self, settings) -> None:
        """Give the device other settings."""
        self.ctx.set(Value.cast(self._dut.settings), settings.pack())


def simulate(
    dut, scenarios: Iterable, *, seed: int, share: float, folder: Path
) -> list[TestResult]:
    """Run scenarios on the component ``dut``, one after the other.

    ``folder`` takes the frames on which gateware and model differ.  Raises what the scenarios and
    the scoreboard find.
    """
    env = AmaranthEnvironment(dut, share=share)
    results = []

    async def main(ctx):
        env.ctx = ctx
        for scenario in scenarios:
            results.append(TestResult(scenario.__name__))
            await env.run(
                scenario,
                results[-1],
                seed=seed,
                bench=f"parser_w{dut.width}",
                folder=folder,
                repeat=f"the same pytest test with STELLAR_SEED={seed}",
            )

    env.bench.run(main)
    return results
