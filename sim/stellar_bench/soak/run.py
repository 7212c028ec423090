"""Runs all widths of a soak side by side, and says what came of it."""

import multiprocessing
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait

from stellar_sdk.progress import progress

from .blocks import SOAKS
from .worker import Plan, Report, soak

__all__ = ["SILENT", "run", "summary"]

SILENT = 600
"""Seconds without a word from any width, building included, that are taken for a hang."""
ENDING = 10
"""Seconds that a process has to end once it has reported."""
LEAST_TO_SEE_ALL = 20_000
"""Frames from which on a run must have seen everything that records can say."""


def run(plan: Plan) -> list[Report]:
    """Every width of the plan's block in a process of its own; the reports in the widths' order."""
    context = multiprocessing.get_context("spawn")
    stop, ways, processes = context.Event(), {}, []
    widths = SOAKS[plan.block].widths
    total = sum(count for _, count in plan.batches) * len(widths)
    try:
        for width in widths:
            here, there = context.Pipe(duplex=False)
            processes.append(context.Process(target=soak, args=(plan, width, there, stop)))
            processes[-1].start()
            there.close()
            ways[here] = width
        reports = {}
        with progress(label=f"soak {plan.block}", total=total) as bar:
            for report in _reports(ways, bar.update):
                reports[report.width] = report
                if report.problems or report.unusable:
                    stop.set()
        return [reports[width] for width in widths]
    finally:
        patience = 0 if ways else ENDING  # ways are left where an exception passes
        for process in processes:
            process.join(patience)
            if process.exitcode is None:
                process.terminate()
                process.join()


def _reports(ways: dict[Connection, int], advance) -> Iterator[Report]:
    """The reports as they come; a width that ends or stays without a word gets one that says so."""
    while ways:
        ready = wait(list(ways), SILENT)
        if not ready:
            silent = sorted(ways.values(), reverse=True)
            ways.clear()
            for width in silent:
                yield Report(width, problems=[f"no word from width {width} for {SILENT} s"])
        for way in ready:
            try:
                said = way.recv()
            except EOFError:
                width = ways.pop(way)
                yield Report(width, problems=[f"the process of width {width} ended too early"])
                continue
            if isinstance(said, Report):
                del ways[way]
                yield said
            else:
                advance(said)


def summary(plan: Plan, reports: list[Report]) -> tuple[str, bool]:
    """The end of a run's output, and whether all is well."""
    block = SOAKS[plan.block]
    lines, problems = [], []
    seen = sum((report.seen for report in reports), type(reports[0].seen)())
    wanted = sum(count for _, count in plan.batches)
    for report in reports:
        lines += report.problems
        name = block.bench(report.width)
        if report.problems:
            problems.append(f"{name}: gateware and model differ, or it stopped")
        elif report.frames != wanted:
            problems.append(f"{name}: stopped after {report.frames} of {wanted} {block.things}")
    lines += ["seen in the gateware's records:", block.table(seen)]
    if plan.frames >= LEAST_TO_SEE_ALL and plan.only is None:
        problems += [f"never seen: {item}" for item in block.missing(seen)]
    for report in reports:
        lines.append(
            f"{block.bench(report.width)}: {report.frames} {block.things} equal to the model's in "
            f"{report.seconds:.1f} s; digest {report.gateware}, model {report.model}"
        )
    if any(report.gateware != report.model for report in reports) or (
        block.alike and len({report.model for report in reports}) != 1
    ):
        problems.append("digests differ")
    lines += [f"FAILED {problem}" for problem in problems]
    if not problems:
        widths = " and ".join(block.label(report.width) for report in reports)
        lines.append(f"passed: {plan.block} at {widths} and the model agree, 0 mismatches")
    return "\n".join(lines), not problems
