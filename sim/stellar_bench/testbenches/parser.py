"""cocotb tests of the parser: the scenarios under Verilator, at the width that was built."""

import faulthandler
import os
from random import Random

from stellar_bench.job import Request
from stellar_bench.packets import PacketFormat
from stellar_bench.parse.environment import Environment
from stellar_bench.parse.scenarios import SCENARIOS, corpus
from stellar_bench.parse.traffic import INGRESS_WIDTH
from stellar_bench.results import TestResult, append
from stellar_bench.streams import StreamBench
from stellar_bench.testbenches.declare import declare

__all__ = ["TESTS"]

LATENCY = 4
"""Cycles within which docs/parser.md promises a record."""

WALL_LIMIT = 600
"""Seconds after which a test that hangs is ended, with a traceback."""

scenarios = (*SCENARIOS, corpus) if os.environ.get("STELLAR_CORPUS") else SCENARIOS
TESTS = tuple(scenario.__name__ for scenario in scenarios)
"""Names of the tests below; the corpus is among them where there is one."""


class CocotbEnvironment(Environment):
    """The device in cocotb."""

    def __init__(self, dut, request: Request):
        width = request.target.width
        fmt = PacketFormat(width, INGRESS_WIDTH)
        bench = StreamBench(
            dut, formats={"i": fmt, "o": fmt}, rng=Random(0)
        )  # ParserTraffic has its own
        super().__init__(
            bench,
            width=width,
            latency=LATENCY,
            share=request.share * request.target.share,
            corpus=request.corpus,
        )
        self.dut = dut

    async def ticks(self, count: int = 1) -> None:
        """Let ``count`` clock edges pass."""
        await self.bench.ticks(count)

    async def reset(self, cycles: int) -> None:
        """Reset the device for so many cycles."""
        await self.bench.reset(cycles)

    def configure(self, settings) -> None:
        """Give the device other settings."""
        self.dut.settings.value = settings.pack()


async def _run(dut, scenario) -> None:
    """Run one scenario and leave its result, whatever becomes of it."""
    faulthandler.dump_traceback_later(WALL_LIMIT, exit=True)
    request = Request.from_environment()
    result = TestResult(scenario.__name__)
    env = CocotbEnvironment(dut, request)
    env.bench.start()
    try:
        await env.run(
            scenario,
            result,
            seed=request.seed,
            bench=request.bench,
            folder=request.counterexamples,
            repeat=request.repeat(scenario.__name__),
        )
    finally:
        append(request.results, result)
        faulthandler.cancel_dump_traceback_later()


for _scenario in scenarios:
    globals()[_scenario.__name__] = declare(_run, _scenario)
