"""``python -m stellar_bench.tshark``: the dissector and the model against tshark, at length.

Writes the golden, directed, random and hostile frames as captures, dissects them, and compares
every field with the model; with a corpus, compares the model's TCP fields and checksums with
tshark's own.
Exit codes: 0 all equal, 1 something differs, 2 tshark, an argument or a file cannot be used.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from ..inputs import captures, read_corpus, read_seed
from .captures import golden_frames, hostile_frames, stimuli, write
from .compare import compare
from .program import TsharkError, version
from .witness import judge

__all__ = ["main"]

SHOWN = 20  # differences that are printed


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    options = _options(arguments)
    try:
        print(f"tshark {version()}, seed {options.seed}")
        differences = _dissector(options)
        if options.corpus:
            differences += _corpus(options)
        else:
            print("corpus: not run, STELLAR_CORPUS is not set")
    except (TsharkError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for text in differences[:SHOWN]:
        print(text, file=sys.stderr)
    print(f"{len(differences)} differences")
    return 1 if differences else 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m stellar_bench.tshark",
        description="Compares the Wireshark dissector and the golden model through tshark.",
    )
    parser.add_argument("--count", default="10000", help="random frames, from 1 on")
    parser.add_argument("--seed", help="seed of the random frames; default 1")
    parser.add_argument("--out", type=Path, default=Path("build/dissect"), help="for captures")
    options = parser.parse_args(arguments)
    try:
        options.seed = read_seed(options.seed)
    except ValueError as error:
        parser.error(f"--seed: {error}")
    if not (options.count.isascii() and options.count.isdigit() and int(options.count)):
        parser.error(f"--count: {options.count!r} is no number of frames; give 1 or more")
    options.count = int(options.count)
    try:
        options.corpus = read_corpus(os.environ.get("STELLAR_CORPUS"))
    except ValueError as error:
        parser.error(f"STELLAR_CORPUS={error}")
    return options


def _dissector(options: argparse.Namespace) -> list[str]:
    differences = []
    sources = {
        "golden": golden_frames(),
        "frames": stimuli(options.seed, options.count),
        "hostile": hostile_frames(options.seed),
    }
    for name, frames in sources.items():
        folder = options.out / name
        written = write(folder, frames)
        start = time.monotonic()
        report = compare(written)
        seconds = time.monotonic() - start
        print(f"{name}: {len(frames)} frames in {folder}, {seconds:.1f} s: {report}")
        differences += report.differences
    return differences


def _corpus(options: argparse.Namespace) -> list[str]:
    options.out.mkdir(parents=True, exist_ok=True)
    judgement = judge(captures(options.corpus), options.out / "corpus.pcap")
    print(f"corpus: {judgement}")
    return judgement.differences
