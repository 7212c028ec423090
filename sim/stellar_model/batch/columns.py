"""Records of many frames as columns: one array for each field of ``stellar_spec.records``."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from stellar_spec.records import HEADER_RECORD, TRAILER_RECORD, Group

from ..records import Parsed

__all__ = ["FIELDS", "Columns", "concatenate", "empty", "of_records"]

FIELDS: dict[str, int] = {
    f"{group.name}.{field.name}": field.width
    for group in HEADER_RECORD + TRAILER_RECORD
    for field in group.fields
}
"""Width in bits of every field of both records, by its full name, in the specification's order."""

_HALF = 64  # bits
_CHUNK = 1024  # frames whose records are made at a time


def _dtype(width: int) -> np.dtype:
    return np.dtype(f"u{next(size for size in (1, 2, 4, 8) if 8 * size >= min(width, _HALF))}")


@dataclass(frozen=True)
class Columns:
    """What the parser says of many frames.

    ``fields`` has an array for each of ``FIELDS``, a row for each frame in order, of the smallest
    unsigned type that holds the field.  A field of 128 bits is two ``uint64`` columns, the high
    half first.  ``header_end`` is that of ``Parsed``, or ``None`` where nobody knows it, as in
    records that came out of gateware.
    """

    fields: dict[str, np.ndarray]
    header_end: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.fields["trailer.length"])

    def __getitem__(self, name: str) -> np.ndarray:
        return self.fields[name]

    def rows(self, which) -> "Columns":
        """The frames that ``which`` selects: a slice, an array of indices, or a mask."""
        ends = None if self.header_end is None else self.header_end[which]
        return Columns({name: column[which] for name, column in self.fields.items()}, ends)

    def records(self) -> Iterator[tuple[dict, dict]]:
        """Header and trailer record of each frame, as ``Parsed`` holds them."""
        names = [group.name for group in HEADER_RECORD]
        for start in range(0, len(self), _CHUNK):
            part = self.rows(slice(start, start + _CHUNK))
            groups = [part._group(group) for group in HEADER_RECORD]
            yield from zip(
                _dictionaries(names, groups), part._group(TRAILER_RECORD[0]), strict=True
            )

    def _group(self, group: Group) -> list[dict[str, int]]:
        """The group's dictionaries; most groups of most frames are zero, and copying is quick."""
        names = [field.name for field in group.fields]
        columns = [self.fields[f"{group.name}.{name}"] for name in names]
        there = np.logical_or.reduce([_unequal(column, 0) for column in columns])
        made = _dictionaries(names, [_integers(column[there]) for column in columns])
        zero = dict.fromkeys(names, 0)
        return [next(made) if any_set else zero.copy() for any_set in there.tolist()]

    def differences(self, other: "Columns") -> Iterator[tuple[int, str, int, int]]:
        """Frame, field, own and other value of all that differs; the first frame's come first.

        Raises ``ValueError`` when the two have not the same number of frames.
        """
        if len(self) != len(other):
            raise ValueError(f"{len(self)} frames can't be compared with {len(other)}")
        unequal = {name: _unequal(column, other[name]) for name, column in self.fields.items()}
        unequal = {name: mask for name, mask in unequal.items() if mask.any()}
        frames = np.flatnonzero(np.logical_or.reduce(list(unequal.values()))) if unequal else ()
        for frame in map(int, frames):
            for name in (name for name, mask in unequal.items() if mask[frame]):
                pair = (_integers(side[name][frame : frame + 1])[0] for side in (self, other))
                yield frame, name, *pair


def _integers(column: np.ndarray) -> list[int]:
    if column.ndim == 1:
        return column.tolist()
    return [high << _HALF | low for high, low in column.tolist()]


def _dictionaries(names: Sequence[str], columns: Sequence[Sequence]) -> Iterator[dict]:
    return map(dict, map(zip, repeat(names), zip(*columns, strict=True)))


def _unequal(one: np.ndarray, other: np.ndarray | int) -> np.ndarray:
    mask = one != other
    return mask if mask.ndim == 1 else mask.any(axis=1)


def empty(count: int) -> dict[str, np.ndarray]:
    """Columns of zeros for ``count`` frames."""
    return {
        name: np.zeros(count if width <= _HALF else (count, 2), _dtype(width))
        for name, width in FIELDS.items()
    }


def concatenate(parts: Sequence[Columns]) -> Columns:
    """The frames of all ``parts`` in order; ``header_end`` where all know it."""
    if not parts:
        return Columns(empty(0), np.zeros(0, np.int64))
    if len(parts) == 1:
        return parts[0]
    ends = [part.header_end for part in parts]
    return Columns(
        {name: np.concatenate([part[name] for part in parts]) for name in FIELDS},
        None if any(end is None for end in ends) else np.concatenate(ends),
    )


def of_records(parsed: Iterable[Parsed]) -> Columns:
    """Columns of what the readable model says of frames."""
    parsed = list(parsed)
    fields = empty(len(parsed))
    for name, column in fields.items():
        group, field = name.split(".")
        for row, one in enumerate(parsed):
            value = (one.trailer if group == "trailer" else one.header[group])[field]
            column[row] = value if column.ndim == 1 else divmod(value, 1 << _HALF)
    return Columns(fields, np.array([one.header_end for one in parsed], np.int64))
