"""The catalogue: families by name, and the frames of all of them or of some."""

import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .families import GENERATORS
from .frame import Hostile, Kit

__all__ = ["FAMILIES", "SEED_LIMIT", "Family", "frames", "select"]

SEED_LIMIT = 2**32


@dataclass(frozen=True)
class Family:
    """A family: what its frames provoke, the documents that say what is right, how to make them."""

    name: str
    number: int
    provokes: str
    source: str
    generate: Callable[[Kit], Iterator[Hostile]]

    def frames(self, seed: int = 1) -> Iterator[Hostile]:
        """Its frames; of equal ones (error and settings too) the first stays."""
        seen = set()
        for frame in self.generate(Kit(self.name, self.number, seed)):
            if frame.identity not in seen:
                seen.add(frame.identity)
                yield frame


def _family(number: int, generate: Callable) -> Family:
    text, _, source = inspect.getdoc(generate).partition("\n\nSource: ")
    name = generate.__name__.replace("_", "-")
    if not source:
        raise ValueError(f"the docstring of {generate.__name__} ends without 'Source: …'")
    return Family(name, number, re.sub(r"\s+", " ", text), re.sub(r"\s+", " ", source), generate)


FAMILIES = {family.name: family for family in (_family(i, g) for i, g in enumerate(GENERATORS, 1))}
"""Every family by its name."""


def select(names: Iterable[str] | None) -> list[Family]:
    """The families called ``names``, in the catalogue's order; all of them for ``None``.

    Raises ``ValueError`` for a name that there is not.
    """
    if names is None:
        return list(FAMILIES.values())
    wanted = list(names)
    for name in wanted:
        if name not in FAMILIES:
            near = difflib.get_close_matches(name, FAMILIES, n=3, cutoff=0.4) or list(FAMILIES)
            raise ValueError(f"no family is called {name!r}; there are {', '.join(near)}")
    return [family for name, family in FAMILIES.items() if name in wanted]


def frames(
    families: Iterable[str] | None = None, *, seed: int = 1, limit: int | None = None
) -> Iterator[Hostile]:
    """The frames of the ``families`` named, or of all, in the catalogue's order; none twice.

    Equal arguments give equal frames.  ``seed`` (0 to 2³² − 1) makes what may be any bytes,
    payloads above all; it changes neither names nor their number.  ``limit``: at most so many of
    each family, spread evenly over it, the first among them.
    """
    if not 0 <= seed < SEED_LIMIT:
        raise ValueError(f"the seed is {seed}; 0 to {SEED_LIMIT - 1} is needed")
    if limit is not None and limit < 1:
        raise ValueError(f"the limit is {limit}; 1 or more frames of each family are needed")
    return _frames(select(families), seed, limit)


def _frames(families: list[Family], seed: int, limit: int | None) -> Iterator[Hostile]:
    for family in families:
        rows = family.frames(seed)
        if limit is not None:
            rows = list(rows)
            if len(rows) > limit:
                rows = [rows[place * len(rows) // limit] for place in range(limit)]
        yield from rows
