"""The parser's records, settings and ingress data as the model holds and packs them.

A record is a dictionary ``{group: {field: value}}``; a record of one group only, as the trailer
is, is that group's ``{field: value}``.  Names and widths are those of ``stellar_spec.records``.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, make_dataclass

from stellar_spec.fields import Field
from stellar_spec.records import INGRESS, SETTINGS, Group

from .codec import fit

__all__ = ["Ingress", "Parsed", "Settings", "pack", "unpack"]


def pack(groups: Sequence[Group], record: dict) -> int:
    """``record`` as one number, the first field in the least significant bits.

    Raises ``ValueError`` when a field is missing, unknown or too wide.
    """
    if len(groups) == 1:
        return _pack_row(groups[0].name, groups[0].fields, record)
    if {group.name for group in groups} != set(record):
        raise ValueError(
            f"the record has the groups {', '.join(record)};"
            f" it needs {', '.join(group.name for group in groups)}"
        )
    value = at = 0
    for group in groups:
        value |= _pack_row(group.name, group.fields, record[group.name]) << at
        at += group.width
    return value


def unpack(groups: Sequence[Group], value: int) -> dict:
    """The record that ``pack`` made ``value`` of; raises ``ValueError`` when it is too wide."""
    width = sum(group.width for group in groups)
    if not 0 <= value < 1 << width:
        raise ValueError(f"the packed record is {value:#x}; it has {width} bits")
    record = {}
    for group in groups:
        record[group.name] = row = {}
        for field in group.fields:
            row[field.name] = value & (1 << field.width) - 1
            value >>= field.width
    return record if len(groups) > 1 else row


def _pack_row(owner: str, fields: Sequence[Field], values: dict[str, int]) -> int:
    fit(owner, fields, values)
    value = at = 0
    for field in fields:
        if field.name not in values:
            raise ValueError(f"{owner} lacks the field {field.name!r}")
        value |= int(values[field.name]) << at
        at += field.width
    return value


@dataclass(frozen=True)
class Parsed:
    """What the parser says of a frame.

    ``header`` and ``trailer`` are its records.  ``header_end`` is the position that
    docs/parser.md marks with a stop sign, at most the frame's length: the header record depends
    on no byte at or behind it; where the frame's end decided it is the frame's length.
    """

    header: dict[str, dict[str, int]]
    trailer: dict[str, int]
    header_end: int


class _Row:
    """What ``Settings`` and ``Ingress`` share: values checked when made, ``pack``."""

    def __post_init__(self):
        fit(type(self).__name__, self._fields, asdict(self))

    def pack(self) -> int:
        """All fields as one number, the first in the least significant bits."""
        return _pack_row(type(self).__name__, self._fields, asdict(self))


def _row(name: str, fields, doc: str):
    columns = [(field.name, int, getattr(field, "reset", 0)) for field in fields]
    namespace = {"__doc__": doc, "__module__": __name__, "_fields": fields}
    return make_dataclass(name, columns, bases=(_Row,), namespace=namespace, frozen=True)


Settings = _row("Settings", SETTINGS, "The parser's settings; their defaults are the reset values.")
Ingress = _row("Ingress", INGRESS, "What the MAC says of a frame: ``port`` and ``time`` in ns.")
