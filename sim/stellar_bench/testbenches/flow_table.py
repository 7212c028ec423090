"""cocotb tests of the flow table, at the number of slots that was built."""

import faulthandler
import time
from random import Random

from stellar_bench.flow.environment import FlowEnvironment
from stellar_bench.flow.scenarios import SCENARIOS
from stellar_bench.job import Request
from stellar_bench.results import TestResult, append
from stellar_bench.testbenches.declare import declare

__all__ = ["TESTS"]

LATENCY = 16
"""Cycles from a request to its result."""

WALL_LIMIT = 300
"""Seconds after which a test that hangs is ended, with a traceback."""

TESTS = tuple(scenario.__name__ for scenario in SCENARIOS)
"""Names of the tests below."""


async def _run(dut, scenario) -> None:
    """Run one scenario and leave its result, whatever becomes of it."""
    faulthandler.dump_traceback_later(WALL_LIMIT, exit=True)
    request = Request.from_environment()
    bench, result = request.target, TestResult(scenario.__name__)
    rng = Random(f"{request.seed}/{bench.name}/{scenario.__name__}")
    env = FlowEnvironment(dut, slots=bench.width, latency=LATENCY, rng=rng, result=result)
    start = time.monotonic()
    try:
        await scenario(env)
        env.finish()
    finally:
        result.seconds = time.monotonic() - start
        append(request.results, result)
        faulthandler.cancel_dump_traceback_later()


for _scenario in SCENARIOS:
    globals()[_scenario.__name__] = declare(_run, _scenario)
