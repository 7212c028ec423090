"""Frames that are being changed: their bytes with room behind each, and where their layers are."""

from collections.abc import Sequence

import numpy as np

from stellar_model import Settings, batch
from stellar_spec.codes import Layer
from stellar_spec.fields import Header

__all__ = ["SLACK", "Slots"]

SLACK = 24
"""Bytes by which a frame can grow; even."""
_TAIL = 8


class Slots:
    """Copies of ``frames``, as often and in the order that ``pick`` says.

    What the model says of the originals with the settings ``made_for`` is taken for their layout:
    ``layers`` and ``columns`` are those of each copy before any change.
    """

    def __init__(self, frames: Sequence[bytes], pick: np.ndarray, made_for: Settings):
        self.columns = batch.parse(frames, settings=made_for).rows(pick)
        self.layers = self.columns["state.layers"].astype(np.int64)
        slots = [frame + bytes(SLACK + len(frame) % 2) for frame in frames]
        sizes = np.fromiter(map(len, slots), np.int64, len(slots))[pick]
        self.data = bytearray().join([*map(slots.__getitem__, pick.tolist()), bytes(_TAIL)])
        self.bytes = np.frombuffer(self.data, np.uint8)
        self.starts = np.cumsum(sizes) - sizes
        self.lengths = self.columns["trailer.length"].astype(np.int64)

    def __len__(self) -> int:
        return len(self.starts)

    def offset(self, name: str) -> np.ndarray:
        """A field of the record's ``offsets``."""
        return self.columns[f"offsets.{name}"].astype(np.int64)

    def shown(self, layer: Layer) -> np.ndarray:
        """The copies that show ``layer``, by number."""
        return np.flatnonzero(self.layers & layer)

    def ip(self, version: int) -> np.ndarray:
        """The copies that show IP of this version, by number."""
        rows = self.shown(Layer.IP)
        return rows[self.columns["ip.version"][rows] == version]

    def write(self, rows: np.ndarray, at: np.ndarray, values: np.ndarray) -> None:
        """Write a row of bytes at ``at`` of each frame; nothing behind a frame's end counts."""
        places = (self.starts[rows] + at)[:, None] + np.arange(values.shape[1])
        self.bytes[places] = values

    def write_field(self, rows, at, header: Header, name: str, values) -> None:
        """Write a field of whole bytes of the headers at ``at``."""
        self.write(rows, at + header.offset(name) // 8, values)

    def frames(self) -> list[bytes]:
        """The frames as they are now."""
        data = bytes(self.data)
        ends = self.starts + self.lengths
        pairs = zip(self.starts.tolist(), ends.tolist(), strict=True)
        return [data[start:end] for start, end in pairs]
