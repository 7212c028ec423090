"""Packed records of many frames to columns and back.

A packed record is a row of bytes, little endian, of the fewest bytes that hold it; its first field
is in the least significant bits, as ``stellar_model.pack`` has it.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from stellar_spec.records import HEADER_RECORD, TRAILER_RECORD, Group

from .columns import Columns, empty

__all__ = ["HEADER_BYTES", "TRAILER_BYTES", "decode", "pack_headers", "pack_trailers"]

_WORD = 64  # bits


def _size(groups: Sequence[Group]) -> int:
    return (sum(group.width for group in groups) + 7) // 8


HEADER_BYTES = _size(HEADER_RECORD)
"""Bytes of a packed header record."""
TRAILER_BYTES = _size(TRAILER_RECORD)
"""Bytes of a packed trailer record."""


def decode(headers: np.ndarray, trailers: np.ndarray) -> Columns:
    """The columns of packed records, a row of bytes for each frame in both tables.

    Raises ``ValueError`` for tables of another shape.  Bits above the last field are not looked at.
    """
    for what, table, size in (
        ("header", headers, HEADER_BYTES),
        ("trailer", trailers, TRAILER_BYTES),
    ):
        if table.dtype != np.uint8 or table.shape != (len(headers), size):
            raise ValueError(
                f"the packed {what} records are {table.dtype}, {table.shape}; "
                f"uint8, ({len(headers)}, {size}) is needed"
            )
    fields = empty(len(headers))
    for table, groups in ((headers, HEADER_RECORD), (trailers, TRAILER_RECORD)):
        words = _words(table)
        for name, low, width in _parts(groups):
            if width > _WORD:
                fields[name][:, 1] = _get(words, low, _WORD)
                fields[name][:, 0] = _get(words, low + _WORD, width - _WORD)
            else:
                fields[name][:] = _get(words, low, width)
    return Columns(fields)


def pack_headers(columns: Columns) -> np.ndarray:
    """The packed header records, ``HEADER_BYTES`` bytes a row."""
    return _pack(columns, HEADER_RECORD)


def pack_trailers(columns: Columns) -> np.ndarray:
    """The packed trailer records, ``TRAILER_BYTES`` bytes a row."""
    return _pack(columns, TRAILER_RECORD)


def _parts(groups: Sequence[Group]) -> Iterator[tuple[str, int, int]]:
    """Full name, lowest bit and width of each field."""
    low = 0
    for group in groups:
        for field in group.fields:
            yield f"{group.name}.{field.name}", low, field.width
            low += field.width


def _words(table: np.ndarray) -> np.ndarray:
    """The table's 64-bit words, the word's number first; each word's column is contiguous."""
    count, size = table.shape
    padded = np.zeros((count, -(-size * 8 // _WORD) * 8), np.uint8)
    padded[:, :size] = table
    return np.ascontiguousarray(padded.view("<u8").T)


def _get(words: np.ndarray, low: int, width: int) -> np.ndarray:
    """The ``width`` bits, at most 64, from bit ``low`` on."""
    at, shift = divmod(low, _WORD)
    value = words[at] >> shift
    if shift + width > _WORD:
        value |= words[at + 1] << (_WORD - shift)
    return value if width == _WORD else value & (1 << width) - 1


def _put(words: np.ndarray, low: int, values: np.ndarray) -> None:
    at, shift = divmod(low, _WORD)
    values = values.astype(np.uint64)
    words[at] |= values << shift
    if shift and at + 1 < len(words):
        words[at + 1] |= values >> (_WORD - shift)


def _pack(columns: Columns, groups: Sequence[Group]) -> np.ndarray:
    size = _size(groups)
    words = np.zeros((-(-size * 8 // _WORD), len(columns)), "<u8")
    for name, low, width in _parts(groups):
        column = columns[name]
        if width > _WORD:
            _put(words, low, column[:, 1])
            _put(words, low + _WORD, column[:, 0])
        else:
            _put(words, low, column)
    rows = np.ascontiguousarray(words.T).view(np.uint8)
    return np.ascontiguousarray(rows[:, :size])
