"""The command line of the measurement, and the files that it renews.

Exit codes: 0 the table fills as docs/flow-table.md says; 1 it does not, or broke a rule meanwhile;
2 the command line is wrong, or nothing can be simulated or drawn here.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from stellar_sdk.progress import progress

from ..flow import NativeFlowTable
from ..inputs import DEFAULT_SEED
from ..options import number, seed
from ..verilate import BuildError
from .measure import FillError, Filling, fill
from .picture import PictureError, draw, library
from .table import Found, renewed, table, verdict

__all__ = ["SIZES", "main"]

SIZES = ((1024, False), (2048, False), (2048, True), (16384, False))
"""Slots, and whether a lookup is offered in every cycle."""
DEFAULT_TABLES = 100
PROCESSES = 2

_engines: dict[int, NativeFlowTable] = {}


def main(arguments: list[str] | None = None, sizes=SIZES) -> int:
    """Run the command line ``arguments`` (default: the process'); returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if problem := _unfit(options):
        parser.error(problem)
    seeds = range(options.seed, options.seed + options.tables)
    print(f"{len(seeds)} tables of each size, seeds {seeds[0]} to {seeds[-1]}", flush=True)
    try:
        if options.picture:
            library()  # before the work, not behind it
        found = _measure(sizes, seeds)
        if options.picture:
            draw(found, options.picture)
    except (BuildError, PictureError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except FillError as error:
        print(f"FAILED {error}")
        return 1
    text = table(found, seeds)
    print(text)
    if options.page:
        page = options.page.read_text(encoding="utf-8")
        options.page.write_text(renewed(page, text), encoding="utf-8")
    for written in filter(None, (options.page, options.picture)):
        print(f"written: {written}")
    problems = verdict(found)
    print("\n".join(f"FAILED {problem}" for problem in problems) or "passed")
    return 1 if problems else 0


def _unfit(options) -> str:
    """What is wrong with the files to be written, said before the work and not behind it."""
    if options.page:
        if not options.page.is_file():
            return f"--page {str(options.page)!r} is no file; leave it out to write none"
        try:
            renewed(options.page.read_text(encoding="utf-8"), "")
        except ValueError as error:
            return f"--page {str(options.page)!r}: {error}"
    if options.picture and (
        options.picture.suffix != ".svg" or not options.picture.parent.is_dir()
    ):
        return f"--picture {str(options.picture)!r} is no file.svg in a folder that is there"
    return ""


def _measure(sizes, seeds) -> Found:
    for slots in sorted({slots for slots, _ in sizes}):
        NativeFlowTable(slots=slots).close()  # built once, in front of the processes
    found: Found = {size: [] for size in sizes}
    # The largest first, so that no process is left alone with one at the end.
    jobs = sorted(((*size, one) for size in sizes for one in seeds), reverse=True)
    total = sum(slots for slots, *_ in jobs)
    with (
        ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool,
        progress(label="fill", unit="slots", total=total) as bar,
    ):
        try:
            for done in as_completed([pool.submit(_one, *job) for job in jobs]):
                slots, lookups, filling = done.result()
                found[slots, lookups].append(filling)
                bar.update(slots)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return found


def _one(slots: int, lookups: bool, one: int) -> tuple[int, bool, Filling]:
    if slots not in _engines:
        _engines[slots] = NativeFlowTable(slots=slots)
    return slots, lookups, fill(_engines[slots], seed=one, lookups=lookups)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stellar_bench.fill",
        description="Random keys into the gateware's flow table until it is full.",
        epilog="Exit codes: 0 it fills as docs/flow-table.md says, 1 it does not, 2 the command "
        "line is wrong, or nothing can be simulated or drawn.",
    )
    option = parser.add_argument
    tables = number(1, 10_000, "number of tables (N)")
    option("--tables", type=tables, default=DEFAULT_TABLES, metavar="N", help="%(default)s")
    option("--seed", type=seed, default=DEFAULT_SEED, metavar="SEED", help="of the first table")
    option("--page", type=Path, metavar="FILE", help="document whose table is renewed")
    option("--picture", type=Path, metavar="FILE.svg", help="picture that is drawn")
    return parser
