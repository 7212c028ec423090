"""Bytes to field values and back, for any header of the specification (network order)."""

from collections.abc import Iterable
from functools import cache

from stellar_spec.fields import Field, Header

__all__ = ["decode", "encode", "fit"]


def decode(header: Header, data: bytes, offset: int = 0) -> dict[str, int]:
    """Field values of ``header``, whose first byte is ``data[offset]``.

    Raises ``ValueError`` when ``data`` ends inside the header.
    """
    wire = data[offset : offset + header.size]
    if len(wire) < header.size:
        raise ValueError(
            f"{header.name} needs {header.size} bytes from byte {offset} on; {len(wire)} are there"
        )
    value = int.from_bytes(wire, "big")
    return {name: value >> shift & mask for name, shift, mask in _shifts(header)}


def encode(header: Header, **values: int) -> bytes:
    """The bytes of ``header``; fields that are not named are 0.

    Raises ``ValueError`` for a name that is no field, and for a value too wide for its field.
    """
    fit(header.name, header.fields, values)
    word = sum(values.get(name, 0) << shift for name, shift, _ in _shifts(header))
    return word.to_bytes(header.size, "big")


def fit(owner: str, fields: Iterable[Field], values: dict[str, int]) -> None:
    """Raise ``ValueError`` for a name that is none of ``fields``, or a value too wide for its."""
    widths = {field.name: field.width for field in fields}
    for name, value in values.items():
        if name not in widths:
            raise ValueError(f"{owner} has no field {name!r}; it has {', '.join(widths)}")
        if not 0 <= value < 1 << widths[name]:
            raise ValueError(
                f"{owner}: {name} is {value}; {widths[name]} bits hold 0 to {2 ** widths[name] - 1}"
            )


@cache
def _shifts(header: Header) -> list[tuple[str, int, int]]:
    """For each field its name, the bits behind it, and its mask."""
    return [
        (field.name, header.width - header.offset(field.name) - field.width, 2**field.width - 1)
        for field in header.fields
    ]
