"""What the steps share for many frames: the columns so far, and how frames leave the walk.

A step works on ``rows``: the numbers of those frames that are still walked.  It returns the rows
that go on.
"""

from collections.abc import Mapping

import numpy as np

from stellar_spec.codes import Layer
from stellar_spec.fields import Header
from stellar_spec.records import HEADER_RECORD

from ..records import Settings
from .block import Block
from .columns import FIELDS, empty

__all__ = ["ENDLESS", "WORD", "Walk"]

WORD = 4
"""Bytes of a word."""
ENDLESS = 1 << 40
"""Bytes of a jumbogram's payload, whose length is not known: more than any frame has."""

_GROUPS = {group.layer: group for group in HEADER_RECORD if group.layer is not None}
_BOOLEANS = (
    *("source_route", "segments_left", "home_address", "jumbogram", "trimmed", "candidate"),
    *("truncated", "other_version", "bad_opcode", "bad_extension"),
)


class Walk:
    """Frames, and what docs/parser.md has had to say of them so far.

    ``column`` are the records' columns.  ``flags``, ``layers``, ``ip_payload`` and the booleans are
    arrays with an entry for each frame.
    """

    def __init__(self, block: Block, settings: Settings):
        self.block, self.settings = block, settings
        self.n, self.starts = block.lengths, block.starts
        count = len(self.n)
        self.column = empty(count)
        self.header_end = self.n.copy()
        self.flags = np.zeros(count, np.int64)
        self.layers = np.zeros(count, np.int64)
        self.ip_payload = np.zeros(count, np.int64)
        for name in _BOOLEANS:
            setattr(self, name, np.zeros(count, bool))

    def get(self, name: str, rows: np.ndarray) -> np.ndarray:
        """A column's values (at most 63 bits) as ``int64``."""
        return self.column[name][rows].astype(np.int64)

    def put(self, rows: np.ndarray, **fields) -> None:
        """Write values into columns of the header record; ``offsets_l3`` stands for offsets.l3."""
        for name, values in fields.items():
            self.column[name.replace("_", ".", 1)][rows] = values

    def read(self, header: Header, name: str, rows: np.ndarray, at: np.ndarray) -> np.ndarray:
        """A field of a header that begins at byte ``at`` of each row's frame."""
        return self.block.read(header, name, self.starts[rows] + at)

    def need(self, rows: np.ndarray, end, flag: int = 0) -> np.ndarray:
        """A mask of the rows that have all bytes in front of ``end``; the others stop."""
        there = end <= self.n[rows]
        short = rows[~there]
        self.flags[short] |= flag
        self.header_end[short] = self.n[short]
        return there

    def stop(self, rows: np.ndarray, at) -> None:
        """End the walk of ``rows``; ``at`` is the last header byte's end."""
        self.header_end[rows] = at

    def layer(self, layer: Layer, rows: np.ndarray, payload) -> None:
        """Show ``layer``; ``offsets.payload`` moves behind it."""
        self.layers[rows] |= layer
        self.put(rows, offsets_payload=payload)

    def show(
        self,
        layer: Layer,
        header: Header,
        rows: np.ndarray,
        at: np.ndarray,
        payload,
        names: Mapping[str, str] | None = None,
    ) -> None:
        """Show ``layer`` with all of its group's fields that ``header`` has.

        ``names`` gives a field's name in the header where that is another.
        """
        self.layer(layer, rows, payload)
        own = {field.name for field in header.fields}
        places = self.starts[rows] + at
        for field in _GROUPS[layer].fields:
            name = (names or {}).get(field.name, field.name)
            if name not in own:
                continue
            column = self.column[f"{_GROUPS[layer].name}.{field.name}"]
            if FIELDS[f"{_GROUPS[layer].name}.{field.name}"] <= 64:
                column[rows] = self.block.read(header, name, places)
            elif header[name].width <= 64:
                column[rows, 1] = self.block.read(header, name, places)
            else:
                column[rows] = self.block.halves(header, name, places)
