"""What a run says at its end: tables, what is missing, and the digest of all records."""

from collections import Counter

from . import coverage
from .job import Outcome, Request
from .results import TestResult, digest_of

__all__ = ["LEAST_FRAMES", "LEAST_STELLAR", "line", "summary"]

LEAST_FRAMES = 5000
"""Different frames that a whole run must have put through the gateware."""

LEAST_STELLAR = 1500
"""Different frames among them in which the gateware has shown a StellarTP header."""

_ROW = "{:<13} {:>6} {:>8} {:>11} {:>10} {:>13} {:>9} {:>9}"


def line(request: Request, result: TestResult) -> str:
    """One test in one line."""
    note = f"; {result.note}" if result.note else ""
    return (
        f"{request.bench}.{result.test}: {result.frames} frames, "
        f"{result.mismatches} mismatches, {result.seconds:.1f} s{note}"
    )


def summary(outcomes: list[Outcome], *, whole: bool, seed: int) -> tuple[str, bool]:
    """The end of a run's output, and whether all is well.

    Only a ``whole`` run has to see everything; one that was asked for some tests says so.
    """
    results = [result for outcome in outcomes for result in outcome.results]
    problems = [
        f"{outcome.request.bench}: {problem}"
        for outcome in outcomes
        for problem in outcome.problems
    ]
    seen = sum((result.coverage for result in results), Counter())
    frames = set().union(*(result.hashes for result in results))
    stellar = set().union(*(result.stellar for result in results))
    parts = [*_table(outcomes), "", "seen in the gateware's records:", coverage.table(seen), ""]
    parts.append(f"{len(frames)} different frames, {len(stellar)} of them StellarTP")
    if whole:
        problems += [f"never seen: {item}" for item in coverage.missing(seen)]
        problems += _too_few("different frames", len(frames), LEAST_FRAMES)
        problems += _too_few("different StellarTP frames", len(stellar), LEAST_STELLAR)
    else:
        parts.append("only some tests were run: it is not required that everything was seen")
    digests = [
        (f"{outcome.request.bench}.{result.test}", result.digest)
        for outcome in outcomes
        for result in outcome.results
    ]
    parts.append(f"seed {seed}, digest of all records: {digest_of(digests)}")
    parts += [f"FAILED {problem}" for problem in problems]
    parts.append("FAILED" if problems else "passed: gateware and model agree")
    return "\n".join(parts), not problems


def _table(outcomes: list[Outcome]) -> list[str]:
    rows = [
        _ROW.format(
            "block",
            "tests",
            "frames",
            "mismatches",
            "leftovers",
            "cycles/frame",
            "build s",
            "run s",
        )
    ]
    for outcome in outcomes:
        results = outcome.results
        frames = sum(result.frames for result in results)
        cycles = sum(result.cycles for result in results)
        rows.append(
            _ROW.format(
                outcome.request.bench,
                len(results),
                frames,
                sum(result.mismatches for result in results),
                sum(result.leftovers for result in results),
                f"{cycles / frames:.1f}" if frames else "-",
                f"{outcome.build_seconds:.1f}",
                f"{outcome.run_seconds:.1f}",
            )
        )
    return rows


def _too_few(what: str, count: int, least: int) -> list[str]:
    return [f"{count} {what}; a whole run has at least {least}"] if count < least else []
