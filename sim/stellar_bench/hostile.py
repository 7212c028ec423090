"""Hostile frames through the gateware in native simulation, against the golden model.

``python -m stellar_bench.hostile`` puts every frame of ``stellar_hostile``, the known-good one
behind each, through the parser: without and with idle cycles and back-pressure.  Each record must
be the model's, and the good frame's always the same one.  Exit codes: 0 so it is, 1 it is not.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from stellar_hostile import FAMILIES, GOOD, Hostile, frames, interleaved
from stellar_model import Ingress, Settings, pack, parse, unpack
from stellar_spec.codes import Verdict
from stellar_spec.records import HEADER_RECORD, TRAILER_RECORD

from .inputs import read_seed
from .native import NativeParser

__all__ = ["STALLED", "Mismatch", "Traffic", "compare", "good_records", "grouped", "main"]

STALLED = {"idle": 0.2, "backpressure": 0.3}
"""The second run's idle cycles and back-pressure."""
WIDTHS = (1, 8)
SHOWN = 10
"""Mismatches that are printed."""


@dataclass(frozen=True)
class Mismatch:
    """A frame whose records are not the model's: field → (gateware's value, model's)."""

    frame: Hostile
    wrong: dict[str, tuple[int, int]]

    def __str__(self):
        fields = ", ".join(
            f"{name} is {got}, not {want}" for name, (got, want) in self.wrong.items()
        )
        return f"{self.frame.name} ({self.frame.note}): {fields}; frame {self.frame.data.hex()}"


class Traffic:
    """Frames that share their settings, the good one behind each, and the model's records."""

    def __init__(self, hostile: Iterable[Hostile]):
        self.hostile = list(hostile)
        [self.settings] = {frozenset(frame.settings.items()) for frame in self.hostile}
        self.frames = list(interleaved(self.hostile))
        self.metas = [Ingress(port=i % 16, time=7 * i) for i in range(len(self.frames))]

    @cached_property
    def expected(self) -> list[tuple[int, int]]:
        """The packed records of each frame as the model has them; the good one is asked once."""
        settings = Settings(**dict(self.settings))
        known = {}
        rows = []
        for frame, meta in zip(self.frames, self.metas, strict=True):
            key = (frame.data, frame.error)
            if key not in known:
                parsed = parse(frame.data, settings=settings, error=frame.error)
                header = pack(HEADER_RECORD, parsed.header)
                known[key] = header, pack(TRAILER_RECORD, parsed.trailer)
            header, trailer = known[key]
            rows.append((header | meta.pack(), trailer))  # meta is 0 there, in the lowest bits
        return rows

    def run(self, engine: NativeParser, **options) -> list[tuple[int, int]]:
        """The packed records of each frame as the gateware has them."""
        return engine.run(
            [frame.data for frame in self.frames],
            errors=[frame.error for frame in self.frames],
            metas=self.metas,
            settings=Settings(**dict(self.settings)),
            **options,
        )


def grouped(hostile: Iterable[Hostile]) -> list[Traffic]:
    """The frames by their settings, each group in their order."""
    groups = {}
    for frame in hostile:
        groups.setdefault(frozenset(frame.settings.items()), []).append(frame)
    return [Traffic(group) for group in groups.values()]


def compare(traffic: Traffic, pairs: list[tuple[int, int]]) -> list[Mismatch]:
    """The frames for which the gateware's records are not the model's."""
    rows = zip(traffic.frames, pairs, traffic.expected, strict=True)
    return [Mismatch(frame, _difference(got, want)) for frame, got, want in rows if got != want]


def good_records(traffic: Traffic, pairs: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """All different records of the good frame, the frame's own meta taken out."""
    rows = zip(traffic.frames, traffic.metas, pairs, strict=True)
    return {
        (header ^ meta.pack(), trailer)
        for frame, meta, (header, trailer) in rows
        if frame.family == GOOD
    }


def _difference(got, want) -> dict[str, tuple[int, int]]:
    def fields(pair):
        header, trailer = pair
        record = unpack(HEADER_RECORD, header) | {"trailer": unpack(TRAILER_RECORD, trailer)}
        return {f"{g}.{f}": value for g, row in record.items() for f, value in row.items()}

    found, wanted = fields(got), fields(want)
    return {name: (found[name], wanted[name]) for name in found if found[name] != wanted[name]}


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not right; give a number of 1 or more")
    return int(text)


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m stellar_bench.hostile",
        description="Hostile frames, a good one behind each, through the gateware and the model.",
    )
    add = parser.add_argument
    add("--seed", metavar="N", default="1", help="of frames, idle cycles and back-pressure")
    add("--family", metavar="NAME", nargs="+", help="only these families")
    add("--limit", metavar="N", type=_number, help="at most so many frames of each family")
    add("--width", type=int, choices=(1, 2, 4, 8), nargs="+", default=WIDTHS, help="bytes a beat")
    options = parser.parse_args(arguments)
    try:
        options.seed = read_seed(options.seed)
        options.rows = list(frames(options.family, seed=options.seed, limit=options.limit))
    except ValueError as error:
        parser.error(str(error))
    return options


def main(arguments: list[str] | None = None) -> int:
    """Run the comparison and print what was found; returns the exit code."""
    options = _arguments(arguments)
    counts = Counter(frame.family for frame in options.rows)
    for name, count in counts.items():
        print(f"{name:22} {count:6}")
    empty = [] if options.family else [name for name in FAMILIES if not counts[name]]
    groups = grouped(options.rows)
    failures = [f"the family {name} is empty" for name in empty]
    for width in options.width:
        failures += _run(groups, width, options.seed)
    for failure in failures[:SHOWN]:
        print(failure, file=sys.stderr)
    print(f"{len(counts)} families, {counts.total()} hostile frames, seed {options.seed}")
    print(f"FAILED: {len(failures)} findings" if failures else "passed: gateware and model agree")
    return 1 if failures else 0


def _run(groups: list[Traffic], width: int, seed: int) -> list[str]:
    failures, started = [], time.monotonic()
    with NativeParser(width=width) as engine:
        for name, options in {"free": {}, "stalled": STALLED | {"seed": seed}}.items():
            for traffic in groups:
                pairs = traffic.run(engine, **options)
                failures += [f"W = {width}, {name}: {wrong}" for wrong in compare(traffic, pairs)]
                failures += _judge_good(traffic, pairs, f"W = {width}, {name}")
    count = sum(len(traffic.frames) for traffic in groups)
    seconds = time.monotonic() - started
    print(f"W = {width}: {count} frames twice, {len(failures)} mismatches, {seconds:.1f} s")
    return failures


def _judge_good(traffic: Traffic, pairs: list[tuple[int, int]], where: str) -> list[str]:
    records = good_records(traffic, pairs)
    if len(records) != 1:
        return [f"{where}: {len(records)} different records of one good frame"]
    [(_, trailer)] = records
    verdict = Verdict(unpack(TRAILER_RECORD, trailer)["verdict"])
    if verdict != Verdict.STELLAR:
        return [f"{where}: the good frame's verdict is {verdict.name}, not STELLAR"]
    return []


if __name__ == "__main__":
    sys.exit(main())
