"""A hostile frame, and the kit with which a family makes its own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random

from stellar_model import build
from stellar_spec.records import SETTINGS

__all__ = ["FAMILIES_MAX", "Hostile", "Kit", "mac"]

FAMILIES_MAX = 63
"""Families that the first byte of a frame can tell apart."""

_WIDTHS = {setting.name: setting.width for setting in SETTINGS}


@dataclass(frozen=True)
class Hostile:
    """One frame that a parser may stumble over.

    ``data`` is the frame without preamble and FCS, at least one byte.  ``name`` is unique and
    starts with that of its ``family``; ``note`` says in words what is odd.  ``error``: the MAC
    marks the frame as bad on its last beat.  ``settings`` are those under which the frame does its
    worst, by the names of ``stellar_spec.records.SETTINGS``; the others have their reset values.
    """

    name: str
    family: str
    data: bytes
    error: bool = False
    note: str = ""
    settings: Mapping[str, int] = field(default_factory=dict, hash=False)

    def __post_init__(self):
        if not self.data:
            raise ValueError(f"the frame {self.name!r} has no bytes; a frame has at least 1")
        for name, value in self.settings.items():
            if name not in _WIDTHS:
                known = ", ".join(_WIDTHS)
                raise ValueError(f"{self.name!r} wants the setting {name!r}; there are {known}")
            if not 0 <= value < 1 << _WIDTHS[name]:
                raise ValueError(f"{self.name!r}: {name} is {value}; it has {_WIDTHS[name]} bits")

    @property
    def identity(self) -> tuple:
        """What a parser is given: two frames that are equal in it are one."""
        return (self.data, self.error, tuple(sorted(self.settings.items())))


def mac(number: int) -> int:
    """The destination address of family ``number``'s frames: its first byte is theirs alone.

    It is 4 · number + 2, so the address is a locally administered one of a single card (IEEE 802,
    clause 8).  Even a frame of one byte tells where it comes from.
    """
    return (4 * number + 2) << 40 | 2


class Kit:
    """What a family makes its frames with: its random numbers, its address, its name."""

    def __init__(self, family: str, number: int, seed: int):
        if not 0 < number <= FAMILIES_MAX:
            raise ValueError(f"family {family!r} has number {number}; 1 to {FAMILIES_MAX} fit")
        self.family = family
        self.rng = Random(f"{seed}/{family}")
        self._dst = mac(number)

    def random(self, size: int) -> bytes:
        """``size`` random bytes."""
        return self.rng.randbytes(size)

    def frame(self, payload: build.Part | bytes, **fields) -> bytes:
        """``payload`` in Ethernet, to the family's own address."""
        return build.ethernet(payload, **{"dst": self._dst} | fields)

    def hostile(
        self, name: str | Iterable, data: bytes, note: str, *, error: bool = False, **settings
    ) -> Hostile:
        """A frame of this family; ``name`` is a text, or parts that ``/`` joins."""
        if not isinstance(name, str):
            name = "/".join(map(str, name))
        return Hostile(f"{self.family}/{name}", self.family, bytes(data), error, note, settings)
