"""Writes the generated tables into the documents, or checks that they are up to date.

A table stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``; ``tables.TABLES`` makes
it.  Run ``python -m stellar_spec.docs`` to write, with ``--check`` to compare only.  Exit codes:
0 up to date or written, 1 a table is stale or nowhere (``--check``), 2 the documents cannot be
used (no documents, an unknown name, a marker without its end).
"""

import argparse
import re
import sys
from pathlib import Path

from .tables import TABLES

__all__ = ["DocumentError", "main", "missing", "render", "stale"]

_ROOT = Path(__file__).resolve().parents[2]
_START = re.compile(r"^<!-- generated: (?P<name>.*?) -->$")
_END = "<!-- end -->"


class DocumentError(ValueError):
    """A document whose markers cannot be understood; the message names file and line."""


def _blocks(text: str, where: str):
    """The document as (name or ``None``, text) in order; a block's text excludes its markers."""
    name, block, opened = None, [], 0
    for number, line in enumerate(text.split("\n"), 1):
        start = _START.match(line)
        if start and name is not None:
            raise DocumentError(f"{where}:{number}: the table opened in line {opened} has no end")
        if start:
            if start["name"] not in TABLES:
                known = ", ".join(sorted(TABLES))
                raise DocumentError(
                    f"{where}:{number}: no table is called {start['name']!r}; there are: {known}"
                )
            yield None, [*block, line]
            name, block, opened = start["name"], [], number
        elif line == _END:
            if name is None:
                raise DocumentError(f"{where}:{number}: {_END} without a table to end")
            yield name, block
            name, block = None, [line]
        else:
            block.append(line)
    if name is not None:
        raise DocumentError(f"{where}:{opened}: the table {name!r} has no {_END}")
    yield None, block


def _lines(name: str) -> list[str]:
    """A table as it stands between its markers; Markdown wants an empty line around tables."""
    return ["", *TABLES[name]().split("\n"), ""]


def render(text: str, where: str = "document") -> str:
    """``text`` with every table made anew.  Raises ``DocumentError``."""
    lines = []
    for name, block in _blocks(text, where):
        lines += block if name is None else _lines(name)
    return "\n".join(lines)


def stale(text: str, where: str = "document") -> list[str]:
    """Names of the tables in ``text`` that are not what they would be now."""
    blocks = _blocks(text, where)
    return [name for name, block in blocks if name and block != _lines(name)]


def missing(texts: list[str]) -> list[str]:
    """Names of the tables that stand in none of the documents."""
    seen = {name for text in texts for name, _ in _blocks(text, "document")}
    return [name for name in TABLES if name not in seen]


def _documents(root: Path) -> dict[Path, str]:
    paths = sorted((root / "docs").rglob("*.md"))
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    found = {
        path: text for path, text in texts.items() if re.search(_START.pattern, text, re.MULTILINE)
    }
    if not found:
        raise DocumentError(
            f"no document with a generated table under {root / 'docs'}; "
            "give the folder of the checkout as argument"
        )
    return found


def _check(documents: dict[Path, str]) -> int:
    complaints = [
        f"{path}: the table {name!r} is stale"
        for path, text in documents.items()
        for name in stale(text, str(path))
    ]
    complaints += [f"the table {name!r} is in no document" for name in missing(documents.values())]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if complaints:
        print("run `python -m stellar_spec.docs` to write them", file=sys.stderr)
    return 1 if complaints else 0


def _write(documents: dict[Path, str]) -> int:
    for path, text in documents.items():
        new = render(text, str(path))
        if new != text:
            path.write_text(new, encoding="utf-8")
            print(f"{path}: written")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m stellar_spec.docs", description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=_ROOT, help="folder of the checkout")
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 if stale")
    options = parser.parse_args(arguments)
    try:
        documents = _documents(options.root)
        return _check(documents) if options.check else _write(documents)
    except DocumentError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
