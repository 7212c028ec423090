"""The parser's soak: frames, settings, idle cycles and back-pressure of a batch, and its judge."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from stellar_model import Settings, batch
from stellar_model.batch import Columns, RecordDigest
from stellar_sdk.capture import Frame, write_pcap
from stellar_spec.codes import Flag, KeyKind, Layer, Reason, Verdict
from stellar_spec.opcodes import Opcode
from stellar_spec.records import HEADER_RECORD, INGRESS, SETTINGS, TRAILER_RECORD

from .. import coverage
from ..frames import SETTINGS_SETS
from ..native import EngineError, NativeParser
from ..scoreboard import differences
from ..variants import variants

__all__ = ["ParserSoak"]

META_BITS = sum(field.width for field in INGRESS)
MAC_ERRORS = 0.03
"""Share of frames that end with a MAC error."""
FRESH = 0.4
"""Share of batches with random ports, addresses and DSCPs in their settings."""
PAUSES = (0, 0, 0, 0.1, 0.4)
"""Chances of an idle cycle at the input, and of a stall at an output, drawn for each batch."""
SHOWN = 5
"""Frames that are reported of a batch: more teach nothing."""
WIDTHS = {setting.name: setting.width for setting in SETTINGS}


class ParserSoak:
    """The parser at ``width`` in the native engine, beside the batch model.

    A batch's settings are those of ``SETTINGS_SETS`` in turn, some of their values drawn anew.
    """

    missing = staticmethod(coverage.missing)
    table = staticmethod(coverage.table)

    def __init__(self, *, width: int, seed: int, folder: Path, verilog: Path | None = None):
        self._name, self._seed, self._folder = f"parser_w{width}", seed, folder
        self._engine = NativeParser(width=width, verilog=verilog)
        self._model, self._gateware = RecordDigest(), RecordDigest()
        self.seen = Counter()

    @property
    def digests(self) -> tuple[str, str]:
        """The digests of all records so far: the model's and the gateware's."""
        return self._model.hexdigest(), self._gateware.hexdigest()

    def close(self) -> None:
        """Free the simulation."""
        self._engine.close()

    def batch(self, number: int, count: int) -> list[str]:
        """Put batch ``number`` through gateware and model; lines on what differs, if any."""
        rng = random.Random(f"{self._seed}/parser/{number}")
        name = list(SETTINGS_SETS)[number % len(SETTINGS_SETS)]
        settings = draw_settings(rng, SETTINGS_SETS[name])
        frames = variants(count, seed=(self._seed, number), name=name, settings=settings)
        given = {
            "errors": [rng.random() < MAC_ERRORS for _ in frames],
            "metas": [rng.getrandbits(META_BITS) for _ in frames],
            "settings": settings,
        }
        model = batch.parse(frames, **given)
        self._model.update(model)
        pauses = {stream: rng.choice(PAUSES) for stream in ("o", "header", "trailer")}
        try:
            records = self._engine.run_batch(
                frames,
                **given,
                idle=rng.choice(PAUSES),
                backpressure=pauses,
                seed=rng.getrandbits(62),
            )
        except EngineError as error:
            return [*self._frame(number, error.frame, frames, given), f"  {error}"]
        gateware = batch.decode(records.headers, records.trailers)
        self._gateware.update(gateware)
        self.seen += count_columns(gateware)
        return self._compare(number, frames, given, model, gateware)

    def _compare(self, number, frames, given, model: Columns, gateware: Columns) -> list[str]:
        wrong = list(dict.fromkeys(row[0] for row in model.differences(gateware)))
        lines = []
        for at in wrong[:SHOWN]:
            lines += self._frame(number, at, frames, given)
            for groups, packed in (
                (HEADER_RECORD, batch.pack_headers),
                (TRAILER_RECORD, batch.pack_trailers),
            ):
                pair = (_number(packed(side.rows(slice(at, at + 1)))) for side in (model, gateware))
                lines += [f"  {line}" for line in differences(groups, *pair)]
        if len(wrong) > SHOWN:
            lines.append(f"and {len(wrong) - SHOWN} frames more of this batch")
        return lines

    def _frame(self, number: int, at: int, frames: list[bytes], given: dict) -> list[str]:
        """Writes a frame as a counterexample; the lines that name it."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{self._name}.{number}.{at}.pcap"
        data = frames[at]
        write_pcap(path, [Frame(1, data, len(data), 0)])
        return [
            f"MISMATCH {self._name} batch {number} frame {at} ({len(data)} bytes, error "
            f"{int(given['errors'][at])}, meta {given['metas'][at]:#x}, {given['settings']})",
            f"  frame: {path}",
        ]


def _number(table: np.ndarray) -> int:
    return int.from_bytes(table.tobytes(), "little")


def draw_settings(rng: random.Random, made_for: Settings) -> Settings:
    """``made_for`` with other values where the variants of frames can follow."""
    values = {"max_length": rng.choice((made_for.max_length, rng.randint(60, 1600)))}
    if rng.random() < FRESH:
        followed = ("stellar_port", "own_ipv4", "own_ipv6", "trim_dscp")
        values |= {name: rng.getrandbits(WIDTHS[name]) for name in followed}
    return replace(made_for, **values)


def count_columns(columns: Columns) -> Counter:
    """What ``coverage`` counts of single records, of many."""
    found = Counter()
    layers, flags = columns["state.layers"], columns["trailer.flags"]
    for layer in Layer:
        kind = "layer" if layer.name in coverage.EXPECTED["layer"] else "extension"
        found[kind, layer.name] += int(np.count_nonzero(layers & layer))
    for flag in Flag:
        found["flag", flag.name] += int(np.count_nonzero(flags & flag))
    shown = columns["stellar.opcode"][layers & Layer.STELLAR != 0]
    for kind, enumeration, column in (
        ("key", KeyKind, columns["key.kind"]),
        ("opcode", Opcode, shown),
        ("verdict", Verdict, columns["trailer.verdict"]),
        ("reason", Reason, columns["trailer.reason"]),
    ):
        names = {int(item): item.name for item in enumeration}
        for value, count in enumerate(np.bincount(column).tolist()):
            if count:
                found[kind, names.get(value, "unknown")] += count
    return +found
