"""Whether keys have room in a table: what it promises, and what no search could place."""

from collections.abc import Iterable

from .hash import KEY_BITS, hash_key, places

__all__ = ["FILL", "STASH", "guarantee", "leftover", "slots_of"]

FILL = ((1024, 0.95), (256, 0.90), (64, 0.80))
"""Share of the slots, the stash not counted, that random keys fill before the first ``FULL``, for
tables of so many slots or more.  0.95 from 1,024 slots on: the contract; of 300 tables the least
has filled 0.953, the stash counted (make bench).  The smaller a table, the more chance weighs:
with a search of everything the least of 3,000 seeds at 256 slots is 0.941, of 20,000 at 64 slots
0.859.  Below, ``FULL`` must be unavoidable."""

STASH = 1
"""Keys that the stash holds."""


def guarantee(slots: int) -> int:
    """Keys that a table of ``slots`` slots holds, if they are random, before it may be full."""
    share = next((share for least, share in FILL if slots >= least), 1)
    return int(share * slots)


def slots_of(key: int, seed: int, index_bits: int, key_bits: int = KEY_BITS) -> list[int]:
    """The slots that a key may be in: the place in table t, and t * 2**index_bits."""
    found = places(*hash_key(key, seed, index_bits, key_bits), index_bits)
    return [(table << index_bits) + place for table, place in enumerate(found)]


def leftover(wanted: Iterable[list[int]]) -> int:
    """Keys that remain when as many as possible have a slot; ``wanted``: each key's slots.

    A maximum matching, grown key by key along a shortest augmenting path.
    """
    owner: dict[int, int] = {}
    all_wanted = list(wanted)
    return sum(not _place(number, all_wanted, owner) for number in range(len(all_wanted)))


def _place(number, wanted, owner):
    reached = dict.fromkeys(wanted[number])  # slot → the slot whose key would move here
    queue = list(reached)
    for slot in queue:
        if slot not in owner:
            while (before := reached[slot]) is not None:
                owner[slot] = owner[before]
                slot = before
            owner[slot] = number
            return True
        for other in wanted[owner[slot]]:
            if other not in reached:
                reached[other] = slot
                queue.append(other)
    return False
