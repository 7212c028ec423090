"""What a mutated flow table is put through, the cheapest first.

Most sets are batches as the soak has them. Some faults show only by what chance does not bring in
so few commands: those have sets of their own, see :mod:`.special`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from ...flow.batches import PROFILES, Batch, batch
from .special import ages, edges, intervals, neighbours, years

__all__ = ["ROWS", "Row", "Set", "made"]


@dataclass(frozen=True)
class Row:
    """``batches`` batches of ``commands`` commands: the soak's of a profile, or what ``special``
    makes of a random source, the number of slots and the number of commands."""

    name: str
    batches: int
    commands: int
    profile: str = ""
    special: Callable[[Random, int, int], Batch] | None = None


ROWS = (
    Row("low", 2, 300, "low"),
    Row("churn", 2, 600, "churn"),
    Row("ageing", 2, 600, "ageing"),
    Row("learning", 2, 600, "learning"),
    Row("neighbours", 4, 400, special=neighbours),
    Row("edges", 2, 2_500, special=edges),
    Row("intervals", 1, 40, special=intervals),
    Row("ages", 1, 400, special=ages),
    Row("years", 1, 1_200, special=years),
    Row("reseed", 2, 1_500, "reseed"),
    Row("collide", 1, 900, "collide"),
    Row("both", 3, 1_500, "both"),
    Row("churn long", 6, 3_000, "churn"),
    Row("learning long", 4, 2_000, "learning"),
    Row("ageing long", 4, 2_000, "ageing"),
)
"""The table; whoever finds a stimulus that is missing adds a row."""


@dataclass(frozen=True)
class Set:
    """One row of the table, made up."""

    name: str
    batches: list[Batch]


def made(row: Row, *, slots: int, seed: int) -> Set:
    """The set of ``row`` for a table of ``slots`` slots; the same seed gives the same."""
    if row.special:
        rng = Random(f"{seed}/{slots}/{row.name}")
        return Set(row.name, [row.special(rng, slots, row.commands) for _ in range(row.batches)])
    return Set(row.name, [_of_the_soak(row, at, slots, seed) for at in range(row.batches)])


def _of_the_soak(row, at, slots, seed):
    """The ``at``-th batch of the profile, counted from where no other row takes any."""
    rounds = [number for number, name in enumerate(PROFILES) if name == row.profile]
    whole, part = divmod(at, len(rounds))
    number = len(PROFILES) * (100 * ROWS.index(row) + whole) + rounds[part]
    return batch(slots=slots, seed=seed, number=number, count=row.commands)
