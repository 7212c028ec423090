"""Whether keys have room in a table at all: what even the best search could not place."""

from collections.abc import Iterable

from .hash import KEY_BITS, hash_key, places

__all__ = ["leftover", "slots_of"]


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
