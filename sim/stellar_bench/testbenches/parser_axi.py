"""cocotb tests of the exported AXI4-Stream parser, at the width that was built."""

import faulthandler
import time
from random import Random

from stellar_bench.axi.environment import AxiEnvironment
from stellar_bench.axi.scenarios import SCENARIOS
from stellar_bench.job import Request
from stellar_bench.results import TestResult, append
from stellar_bench.scoreboard import ParserScoreboard
from stellar_bench.testbenches.declare import declare

__all__ = ["TESTS"]

WALL_LIMIT = 300
"""Seconds after which a test that hangs is ended, with a traceback."""

TESTS = tuple(scenario.__name__ for scenario in SCENARIOS)
"""Names of the tests below."""


async def _run(dut, scenario) -> None:
    """Run one scenario from reset and leave its result, whatever becomes of it."""
    faulthandler.dump_traceback_later(WALL_LIMIT, exit=True)
    request = Request.from_environment()
    name, bench = scenario.__name__, request.target
    result = TestResult(name)
    board = ParserScoreboard(
        result, folder=request.counterexamples, bench=bench.name, repeat=request.repeat(name)
    )
    env = AxiEnvironment(
        dut,
        width=bench.width,
        rng=Random(f"{request.seed}/{bench.name}/{name}"),
        share=request.share * bench.share,
        board=board,
        result=result,
    )
    start = time.monotonic()
    try:
        await env.start()
        await scenario(env)
        board.finish()
    finally:
        board.close()
        result.cycles, result.seconds = env.watch.cycles, time.monotonic() - start
        append(request.results, result)
        faulthandler.cancel_dump_traceback_later()


for _scenario in SCENARIOS:
    globals()[_scenario.__name__] = declare(_run, _scenario)
