"""The table of families in the documentation."""

from pathlib import Path

from .catalogue import FAMILIES

__all__ = ["BEGIN", "END", "DocumentError", "rendered", "table"]

BEGIN = "<!-- hostile families: python -m stellar_hostile --document FILE -->"
END = "<!-- end of hostile families -->"


class DocumentError(ValueError):
    """A document without the two marks between which the table goes."""


def table(seed: int = 1) -> str:
    """Families, how many frames each has, what they provoke, the sources, as Markdown."""
    lines = ["| family | frames | what it provokes | sources |", "|---|---|---|---|"]
    total = 0
    for family in FAMILIES.values():
        count = sum(1 for _ in family.frames(seed))
        total += count
        lines.append(f"| `{family.name}` | {count} | {family.provokes} | {family.source} |")
    lines.append(f"| {len(FAMILIES)} families | {total} | | |")
    return "\n".join(lines)


def rendered(path: Path, seed: int = 1) -> str:
    """The document at ``path`` with its table made anew.  Raises ``DocumentError``, ``OSError``."""
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise DocumentError(f"{path} has no table: it needs the lines {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN}\n\n{table(seed)}\n\n{END}{after}"
