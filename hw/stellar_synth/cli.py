"""The command ``python -m stellar_synth timing|area``: area and timing of a block on ECP5.

Exit codes: 0 measured, even if some seeds failed (they count as 0 MHz); 1 every seed failed, or a
tool did; 2 the command line is wrong, and the message says what would be right.
"""

import argparse
import signal
import sys
import time
from pathlib import Path

from stellar_bench.verilate import build_root
from stellar_nic.blocks import BLOCKS, Block
from stellar_nic.sizes import SIZES

from . import page, report
from .devices import DEVICES, SPEEDS, Target
from .measure import Measurement, Timing
from .tools import ToolError, versions

__all__ = ["main"]

DEFAULT_SEEDS, DEFAULT_TIMEOUT = 8, 900
MOST_SEEDS = 1000


def main(arguments: list[str] | None = None) -> int:
    """Run the command line ``arguments`` (default: the process'); returns the exit code."""
    options = _parser().parse_args(arguments)
    # A polite end (as from timeout(1)) also ends the tools that run.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        kind = _kind(options.block)
        sizes = {word: getattr(options, word) for word in SIZES}
        options.size = kind.chosen(**sizes) or kind.size
        block = kind(options.size, "ecp5")
        target = Target(options.device, options.speed)
        if options.command == "timing" and options.page and not options.page.is_file():
            raise ValueError(f"there is no page {options.page}; leave it out to write none")
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    try:
        return options.run(options, block, target)
    except (ToolError, page.PageError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _kind(name: str) -> Block:
    if name not in BLOCKS:
        raise ValueError(f"no block is called {name!r}; there are: {', '.join(sorted(BLOCKS))}")
    return BLOCKS[name]


def _measurement(options, block, target: Target) -> Measurement:
    found = versions()
    kind = BLOCKS[options.block]
    print(f"{options.block}, {options.size} {kind.unit}, on {target.part}")
    print("  " + ", ".join(f"{tool} {version}" for tool, version in found.items()))
    name = kind.named(options.block, options.size)
    return Measurement(block, name=name, target=target, timeout=options.timeout)


def _area(options, block, target: Target) -> int:
    measurement = _measurement(options, block, target)
    print("\n".join(report.area_table(measurement.area())))
    print("  Each module by itself, without its submodules; boundaries cost, so the sum is larger:")
    print("\n".join(report.modules_table(measurement.modules())))
    return 0


def _timing(options, block, target: Target) -> int:
    seeds = list(range(1, options.seeds + 1))
    latency = getattr(block, "latency", None)
    measurement = _measurement(options, block, target)
    area = measurement.area()
    print("\n".join(report.area_table(area)), flush=True)
    timing = _route(measurement, seeds)
    print("\n".join(report.timing_lines(timing, latency)))
    print("\n".join(report.path_lines(timing.median_run)))
    kind = BLOCKS[options.block]
    results = report.figures(
        options.block, (kind.word, options.size), target, area, timing, latency, versions()
    )
    name = options.block
    if options.size != kind.size:
        name = kind.named(name, options.size)
    path = build_root() / "timing" / f"{name}.json"
    report.write(path, results)
    print(f"  written: {path}")
    if not any(timing.mhz):
        print("error: every seed failed", file=sys.stderr)
        return 1
    if options.page:
        page.update(options.page, results)
        print(f"  written: {options.page}")
    return 0


def _route(measurement: Measurement, seeds: list[int]) -> Timing:
    start, runs = time.monotonic(), []
    for run in measurement.route(seeds):
        seconds = time.monotonic() - start
        print(
            f"  seed {run.seed}: {run.failure or f'{run.mhz:.1f} MHz'} (after {seconds:.0f} s)",
            flush=True,
        )
        runs.append(run)
    return Timing(sorted(runs, key=lambda run: run.seed))


def _number(low: int, high: int):
    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {low} to {high}")
        return int(text)

    return read


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stellar_synth", description="Area and timing of a block on ECP5."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    timing = commands.add_parser("timing", help="place and route with several seeds")
    timing.add_argument(
        "--seeds", type=_number(1, MOST_SEEDS), default=DEFAULT_SEEDS, help="seeds 1 to N"
    )
    timing.add_argument("--page", type=Path, help="document whose table is updated")
    timing.set_defaults(run=_timing)
    area = commands.add_parser("area", help="synthesis and packing only, and each module's cells")
    area.set_defaults(run=_area)
    for command in (timing, area):
        command.add_argument("--block", required=True, help=", ".join(sorted(BLOCKS)))
        command.add_argument("--width", type=_number(1, 1024), help="bytes a beat")
        command.add_argument("--slots", type=_number(1, 1 << 20), help="of the flow table")
        command.add_argument("--flows", type=_number(1, 1 << 20), help="of the limiter")
        command.add_argument("--device", default="45k", help=", ".join(DEVICES))
        command.add_argument("--speed", default="6", help=", ".join(SPEEDS))
        command.add_argument(
            "--timeout",
            type=_number(1, 86400),
            default=DEFAULT_TIMEOUT,
            help=f"seconds for each run of a tool; default {DEFAULT_TIMEOUT}",
        )
    return parser
