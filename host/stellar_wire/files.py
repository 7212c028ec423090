"""Writes the generated files, or checks that they are up to date.

``python -m stellar_wire`` writes; ``--check`` compares only.  Exit codes: 0 written or up to date,
1 a file is stale or missing (``--check``), 2 a file cannot be written or the arguments are wrong.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from .c_header import c_header
from .lua_spec import dissector

__all__ = ["DISSECTOR", "FILES", "FOLDER", "HEADER", "main", "stale"]

FOLDER = Path(__file__).with_name("generated")
"""Where the generated files stand."""

DISSECTOR = FOLDER / "stellartp.lua"
HEADER = FOLDER / "stellartp.h"

FILES: dict[str, Callable[[], str]] = {DISSECTOR.name: dissector, HEADER.name: c_header}
"""Each generated file's name and what makes its text."""


def stale(folder: Path = FOLDER) -> list[str]:
    """Names of the files in ``folder`` that are missing or not what they would be now."""
    return [name for name, make in FILES.items() if _text(folder / name) != make()]


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _write(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for name in stale(folder):
        (folder / name).write_text(FILES[name](), encoding="utf-8")
        print(f"{folder / name}: written")
    return 0


def _check(folder: Path) -> int:
    names = stale(folder)
    for name in names:
        print(f"{folder / name}: stale or missing", file=sys.stderr)
    if names:
        print("run `make wire` to write them", file=sys.stderr)
    return 1 if names else 0


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m stellar_wire", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 if stale")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the files")
    options = parser.parse_args(arguments)
    try:
        return _check(options.out) if options.check else _write(options.out)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
