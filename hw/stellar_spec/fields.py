"""Plain-data building blocks: a field is a name and a width, a header a row of fields.

Bits and bytes are in network order: the first field holds the most significant bits of the
first byte (RFC 791, appendix B).
"""

from dataclasses import dataclass
from functools import cached_property

__all__ = ["Field", "Header"]


@dataclass(frozen=True)
class Field:
    """One field: ``name``, ``width`` in bits, and what it means."""

    name: str
    width: int
    doc: str = ""

    def __post_init__(self):
        if self.width < 1:
            raise ValueError(f"field {self.name!r} has width {self.width}; it needs 1 bit or more")


@dataclass(frozen=True)
class Header:
    """A row of fields as they stand on the wire.

    ``source`` names the document that defines it.  Raises ``ValueError`` for fields that do not
    fill whole bytes, and for two fields of one name.
    """

    name: str
    source: str
    fields: tuple[Field, ...]

    def __post_init__(self):
        names = [field.name for field in self.fields]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"header {self.name!r} has two fields called {name!r}")
        if self.width % 8:
            raise ValueError(f"header {self.name!r} has {self.width} bits; whole bytes are needed")

    @cached_property
    def width(self) -> int:
        """Width in bits."""
        return sum(field.width for field in self.fields)

    @cached_property
    def size(self) -> int:
        """Size in bytes."""
        return self.width // 8

    def __getitem__(self, name: str) -> Field:
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(f"header {self.name!r} has no field {name!r}")

    def offset(self, name: str) -> int:
        """Bits in front of the field ``name``."""
        at = 0
        for field in self.fields:
            if field.name == name:
                return at
            at += field.width
        raise KeyError(f"header {self.name!r} has no field {name!r}")
