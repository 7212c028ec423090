"""The command line of the measurement.

Exit codes: 0 all digests are equal and all targets met; 1 not; 2 the command line is wrong, or the
gateware can't be simulated here.
"""

import argparse
import importlib.metadata
import platform
import sys

from ..inputs import DEFAULT_SEED
from ..native import EngineError
from ..options import number, seed
from ..verilate import BuildError, tool_versions
from .cocotb_run import SpeedError
from .measure import BARE, COCOTB, ENGINE, FEW, LENGTHS, ROUNDS, Measured, everything, frames

__all__ = ["main", "verdict"]

DEFAULT_FRAMES = 50_000
LEAST_RATE = 50_000
"""Frames per second that the engine is to put through, decoding and digest included."""
LEAST_RATIO = 10
"""How many times as quick as cocotb the engine is to be, over the same frames."""
_ROW = "{:<30} {:>7} {:>10} {:>9} {:>10}  {}"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line ``arguments`` (default: the process'); returns the exit code."""
    options = _parser().parse_args(arguments)
    shortest, longest = LENGTHS
    print(_versions())
    given = frames(options.frames, options.seed)
    print(
        f"seed {options.seed}: {len(given)} different frames of {shortest} to {longest} bytes, "
        f"good and hostile, {sum(map(len, given)) / len(given):.0f} bytes on average; W = 8\n"
        f"frames/s is by CPU time of one core, the best of {ROUNDS} rounds (cocotb, readable "
        "model: one);\non wall is by the clock, which other work of the machine slows down",
        flush=True,
    )
    try:
        measured = everything(given)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except (EngineError, SpeedError) as error:
        print(f"FAILED {error}")
        return 1
    print(_table(measured))
    problems = verdict(measured)
    print("\n".join(f"FAILED {problem}" for problem in problems) or "passed: digests equal")
    return 1 if problems else 0


def verdict(measured: list[Measured]) -> list[str]:
    """What is not as it should be: digests that differ over the same frames, targets missed."""
    problems = []
    for count in sorted({one.frames for one in measured}):
        digests = {one.who: one.digest for one in measured if one.frames == count and one.digest}
        if len(set(digests.values())) != 1:
            problems.append(f"digests over {count} frames differ: {digests}")
    whole = max(one.frames for one in measured)
    engine = next(one for one in measured if (one.who, one.frames) == (ENGINE, whole))
    if engine.rate < LEAST_RATE:
        problems.append(
            f"the engine does {engine.rate:,.0f} frames/s; the target is {LEAST_RATE:,}"
        )
    if (ratio := _ratio(measured)) < LEAST_RATIO:
        problems.append(f"engine to cocotb is {ratio:.1f}; the target is {LEAST_RATIO}")
    return problems


def _ratio(measured: list[Measured]) -> float:
    """Engine, decoding and digest included, to cocotb over the same frames."""
    cocotb = next(one for one in measured if one.who == COCOTB)
    engine = next(one for one in measured if (one.who, one.frames) == (ENGINE, cocotb.frames))
    return engine.rate / cocotb.rate


def _table(measured: list[Measured]) -> str:
    lines = [_ROW.format("", "frames", "frames/s", "µs/frame", "on wall", "digest of the records")]
    for one in measured:
        shown = f"{one.rate:,.0f}", f"{1e6 / one.rate:,.2f}", f"{one.frames / one.wall:,.0f}"
        digest = one.digest or ("-" if one.who == BARE else "none")
        lines.append(_ROW.format(one.who, one.frames, *shown, digest))
    lines.append(f"engine to cocotb over the same frames: {_ratio(measured):.1f} times as quick")
    return "\n".join(lines)


def _versions() -> str:
    verilator, _, compiler, *_ = tool_versions()
    packages = [f"{name} {importlib.metadata.version(name)}" for name in ("cocotb", "numpy")]
    python = f"Python {platform.python_version()}"
    return ", ".join([verilator, compiler.splitlines()[0], python, *packages, platform.machine()])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stellar_bench.speed",
        description="Measures the native engine against cocotb and the models, and compares what "
        "they say.",
        epilog="Exit codes: 0 digests equal and targets met, 1 not, 2 the command line is wrong or "
        "the gateware can't be simulated.",
    )
    option = parser.add_argument
    option(
        "--frames",
        type=number(FEW + 1, 10**7, "number of frames (N)"),
        default=DEFAULT_FRAMES,
        metavar="N",
        help="%(default)s",
    )
    option("--seed", type=seed, default=DEFAULT_SEED, metavar="SEED", help="%(default)s")
    return parser
