"""The command: lists families, writes their frames."""

import argparse
import sys
from collections import Counter
from pathlib import Path

from .catalogue import FAMILIES, SEED_LIMIT, frames, select
from .files import write_index, write_pcap
from .good import GOOD, interleaved
from .table import DocumentError, rendered

__all__ = ["main"]

DESCRIPTION = """Frames that parsers stumble over, by families, as a capture.  Equal arguments give
equal bytes.  docs/hostile-frames.md says what the families are and how to run them."""


def _number(low: int, high: int):
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(
                f"{text!r} is not right; give a decimal number from {low} to {high}"
            )
        return int(text)

    return read


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m stellar_hostile", description=DESCRIPTION)
    add = parser.add_argument
    add("--family", metavar="NAME", nargs="+", action="extend", help="only these; default: all")
    add("--seed", metavar="N", type=_number(0, SEED_LIMIT - 1), default=1, help="default: 1")
    add(
        "--limit",
        metavar="N",
        type=_number(1, 10**9),
        help="at most so many frames of each family, spread evenly over it",
    )
    add("--interleave", action="store_true", help="a known-good frame behind each one")
    add("--pcap", metavar="FILE", type=Path, help="write the frames as a pcap")
    add("--index", metavar="FILE", type=Path, help="write what each frame is, as JSON lines")
    add("--list", action="store_true", help="print the families; write only what is asked for too")
    add("--document", metavar="FILE", type=Path, help="renew the table of families in a document")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code: 0 done, 1 a file is at fault; exits with 2 for a
    wrong argument."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if not (options.list or options.pcap or options.index or options.document):
        parser.error("nothing to do; give --pcap FILE, --index FILE or --list")
    try:
        select(options.family)
    except ValueError as error:
        parser.error(f"--family: {error} (--list shows all)")
    try:
        _run(options)
    except (DocumentError, OSError) as error:
        print(f"stellar_hostile: {error}", file=sys.stderr)
        return 1
    return 0


def _run(options: argparse.Namespace) -> None:
    if options.document:
        options.document.write_text(rendered(options.document), encoding="utf-8")
    rows = list(frames(options.family, seed=options.seed, limit=options.limit))
    counts = Counter(frame.family for frame in rows)
    if options.interleave:
        rows = list(interleaved(rows))
    if options.index:
        write_index(options.index, rows)
    if options.pcap:
        write_pcap(options.pcap, rows)
    if options.list:
        for name, count in counts.items():
            print(f"{name:22} {count:6}  {FAMILIES[name].provokes}")
    good = sum(frame.family == GOOD for frame in rows)
    tail = f", a good one behind each ({good})" if options.interleave else ""
    print(f"{len(counts)} families, {counts.total()} hostile frames{tail}, seed {options.seed}")
    for path in filter(None, (options.pcap, options.index)):
        print(f"{path}: {len(rows)} frames")
