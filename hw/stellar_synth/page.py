"""The table of measurements in a document: one row for a block, a size and a device.

The table stands between ``<!-- timing -->`` and ``<!-- timing end -->``.  Rows that were not
measured now stay as they are.
"""

import statistics
from pathlib import Path

from stellar_nic.sizes import SIZES

__all__ = ["END", "START", "PageError", "row", "update", "updated"]

START, END = "<!-- timing -->", "<!-- timing end -->"
_HEAD = (
    "block | W, slots or flows | device | COMB | FF | EBR | DSP | Fmax MHz min / median / max | "
    "latency | seeds | yosys, nextpnr"
)
_KEY = 3  # columns that say what is measured


class PageError(ValueError):
    """A page whose marks cannot be understood."""


def row(results: dict) -> tuple[str, ...]:
    """The cells of the table's row for ``results``, as ``report.figures`` has them."""
    mhz, cycles = results["fmax_mhz"], results["latency_cycles"]
    median = statistics.median(mhz)
    latency = f"{cycles} cycles" if cycles is not None else "–"
    if cycles is not None and median:
        latency += f", {1000 * cycles / median:.1f} ns"
    return (
        results["block"],
        str(next(results[word] for word in SIZES if word in results)),
        f"{results['device']}, speed {results['speed']}",
        *(f"{results[key]:,}" for key in ("comb", "ff", "ebr", "dsp")),
        f"{min(mhz):.1f} / {median:.1f} / {max(mhz):.1f}",
        latency,
        _span(results["seeds"]),
        ", ".join(results["versions"].values()),
    )


def _span(seeds: list[int]) -> str:
    return f"{seeds[0]}…{seeds[-1]}" if len(seeds) > 1 else str(seeds[0])


def updated(text: str, results: dict) -> str:
    """``text`` with the row for ``results`` new or replaced.

    Raises :class:`PageError` where the marks are missing, doubled or in the wrong order.
    """
    lines = text.split("\n")
    places = [index for index, line in enumerate(lines) if line in (START, END)]
    if [lines[index] for index in places] != [START, END]:
        raise PageError(f"there must be one line {START} and one {END} behind it")
    first, last = places
    table = [_cells(line) for line in lines[first + 1 : last] if line.startswith("|")][2:]
    rows = {cells[:_KEY]: cells for cells in table}
    new = row(results)
    rows[new[:_KEY]] = new
    shown = [rows[key] for key in sorted(rows, key=lambda key: (key[0], -int(key[1]), key[2]))]
    head = _cells(f"| {_HEAD} |")
    body = [_line(head), "|" + "---|" * len(head), *map(_line, shown)]
    return "\n".join([*lines[: first + 1], "", *body, "", *lines[last:]])


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def update(path: Path, results: dict) -> None:
    """Writes the row for ``results`` into the document at ``path``."""
    try:
        text = updated(path.read_text(encoding="utf-8"), results)
    except PageError as error:
        raise PageError(f"{path}: {error}") from None
    path.write_text(text, encoding="utf-8")
