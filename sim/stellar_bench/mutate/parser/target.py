"""The parser's text with its mutants, how it is run and judged, and its contract."""

import gc
import re
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from amaranth.hdl import UnusedElaboratable

from ...native import EngineError, NativeParser
from ..target import Contract, MutationTarget, Source
from .stimuli import NO_STALLS, ROWS, Batch, Doomed, Set, made

__all__ = ["TARGET", "ParserDevice", "judge"]

WIDTHS = (1, 2, 4, 8)


def block(width: int):
    """The gateware's parser."""
    from stellar_nic.verilog import BLOCKS

    return BLOCKS["parser"](width)


def stimuli(width: int, seed: int) -> list[Set]:
    """All rows of the table for a parser of ``width`` bytes a beat."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedElaboratable)
        latency = block(width).latency
        gc.collect()  # the block was made for this number alone, and is in a ring of references
    return [made(row, width=width, seed=seed, latency=latency) for row in ROWS]


class ParserDevice:
    """The simulated parser with its mutants."""

    def __init__(self, width: int, verilog: Path, bits: int):
        self._engine = NativeParser(width=width, verilog=verilog, select=bits)

    def select(self, mutant: int) -> None:
        """Go on with ``mutant``, from reset; 0 is the parser as it is."""
        self._engine.select(mutant)

    def run(self, stimuli: Set) -> str | None:
        """What is wrong on these stimuli, in one line; ``None`` if nothing is."""
        doomed = stimuli.doomed or [None] * len(stimuli.batches)
        for stalls in stimuli.stalls:
            for at, (batch, lost) in enumerate(zip(stimuli.batches, doomed, strict=True)):
                options = {**stalls, "seed": stimuli.seed + at}
                try:
                    if lost:
                        self._abandon(lost, options)
                    records = self._engine.run_batch(**batch.arguments, **options)
                except EngineError as error:
                    return str(error)
                beats = batch.beats(self._engine.width)
                if wrong := judge(batch, beats, records, stalls, stimuli.latency):
                    return wrong
        return None

    def _abandon(self, lost: Doomed, options: Mapping):
        arguments = {k: v for k, v in lost.frames.arguments.items() if k != "marks"}
        self._engine.abandon(**arguments, **lost.ends, **options)


def judge(batch: Batch, beats: int, records, stalls: Mapping, latency: int) -> str | None:
    """What of ``records`` is not as the model and docs/parser.md say; ``None`` if all is."""
    for name, found, expected in (
        ("header", records.headers, batch.headers),
        ("trailer", records.trailers, batch.trailers),
    ):
        if not np.array_equal(found, expected):
            at = int(np.argmax((found != expected).any(axis=1)))
            return f"the {name} record of frame {at} ({batch.frames[at].name}) is not the model's"
    if _records_are_taken(stalls["backpressure"]):
        worst = max(records.header_latency.max(), records.trailer_latency.max())
        if worst > latency:
            return f"a record came {worst} cycles after its last byte, not within {latency}"
    if stalls == NO_STALLS and records.cycles > beats + latency:
        return f"{records.cycles} cycles for {beats} beats though all was ready"
    return None


def _records_are_taken(held):
    """Whether no record waits for ``ready``: only then is its latency promised."""
    return not set(held) - {"o"} if isinstance(held, Mapping) else held == 0


def source(width: int) -> Source:
    """The parser in RTLIL, each cell with the line of Python that made it."""
    from amaranth.back import rtlil

    text = rtlil.convert(block(width), name="parser", emit_src=True)
    # The packages' names are enough, wherever they are installed.
    text = re.sub(r'(?<=attribute \\src ")\S*/(?=(?:stellar_nic|amaranth)/)', "", text)
    return Source(text, "rtlil", "parser")


def contract(width: int) -> Contract:
    """docs/streams.md, "A packet stream": keep is contiguous, and full but on the last beat."""
    keep = [f"i__payload[{8 * width + lane}]" for lane in range(width)]
    rules = [keep[0], f"i__payload[{9 * width}] || {keep[-1]}"]
    rules += [f"{below} || !{lane}" for below, lane in zip(keep, keep[1:], strict=False)]
    assumptions = tuple(f"!i__valid || ({rule})" for rule in rules)
    return Contract(("o", "header", "trailer"), assumptions)


TARGET = MutationTarget("parser", WIDTHS, source, stimuli, ParserDevice, contract, usual=8)
