"""The keyed hash of the flow table (docs/flow-table.md, "The hash").

NH (Black, Halevi, Krawczyk, Krovetz, Rogaway: UMAC, CRYPTO 1999), then a multilinear hash (Lemire,
Kaser: Strongly universal string hashing is fast, 2014).
"""

from dataclasses import dataclass

import numpy as np

from stellar_spec.flow import FLOW_KEY, POLYNOMIALS, WORD, rows, seed_bits, words

__all__ = ["KEY_BITS", "Seed", "compress", "hash_key", "hash_keys", "places"]

KEY_BITS = sum(field.width for field in FLOW_KEY)
"""Bits of the parser's flow key."""
MASK = (1 << WORD) - 1
WIDE = (1 << 2 * WORD) - 1


@dataclass(frozen=True)
class Seed:
    """A seed taken apart: a word for each of the key's, and a pair of factors for each row."""

    words: tuple[int, ...]
    factors: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, seed: int, index_bits: int, key_bits: int = KEY_BITS) -> "Seed":
        """The parts of ``seed`` for keys of ``key_bits`` bits and tables of ``2**index_bits``.

        Raises ``ValueError`` for a number that has more bits than such a seed.
        """
        size = seed_bits(key_bits, index_bits)
        if not 0 <= seed < 1 << size:
            raise ValueError(f"the seed is {seed:#x}; it must have at most {size} bits")
        count = words(key_bits)
        factors, at = [], count * WORD
        for _ in range(rows(index_bits)):
            factors.append((seed >> at & WIDE, seed >> at + 2 * WORD & WIDE))
            at += 4 * WORD
        return cls(tuple(seed >> at * WORD & MASK for at in range(count)), tuple(factors))


def compress(key: int, seed: Seed) -> int:
    """u: 36 bits of a key."""
    total = 0
    for at in range(0, len(seed.words), 2):
        first = (key >> at * WORD & MASK) + seed.words[at] & MASK
        second = (key >> (at + 1) * WORD & MASK) + seed.words[at + 1] & MASK
        total += first * second
    return total & WIDE


def _cut(spread, index_bits):
    """f and g from the results of the rows."""
    if len(spread) == 2:
        return tuple(h >> 2 * WORD - index_bits for h in spread)
    both = spread[0] >> 2 * WORD - 2 * index_bits
    return both >> index_bits, both & (1 << index_bits) - 1


def hash_key(key: int, seed: int, index_bits: int, key_bits: int = KEY_BITS) -> tuple[int, int]:
    """f and g of a packed key, for tables of ``2**index_bits`` slots."""
    if not 0 <= key < 1 << key_bits:
        raise ValueError(f"the key is {key:#x}; it must have at most {key_bits} bits")
    parts = Seed.of(seed, index_bits, key_bits)
    u = compress(key, parts)
    spread = [a * (u & MASK) + b * (u >> WORD) & WIDE for a, b in parts.factors]
    return _cut(spread, index_bits)


def hash_keys(
    keys: np.ndarray, seed: int, index_bits: int, key_bits: int = KEY_BITS
) -> tuple[np.ndarray, np.ndarray]:
    """f and g of many keys: ``keys`` holds a row of bytes each, little endian, packed."""
    if keys.dtype != np.uint8 or keys.ndim != 2 or keys.shape[1] != -(-key_bits // 8):
        raise ValueError(
            f"keys are {keys.dtype}{list(keys.shape)}; rows of {-(-key_bits // 8)} uint8 are needed"
        )
    parts = Seed.of(seed, index_bits, key_bits)
    cut = _words(keys, len(parts.words))
    sums = cut + np.array(parts.words, np.uint64) & np.uint64(MASK)
    # No sum or product leaves 64 bits: 36 bits and a few, below 36 + 18 and one.
    u = (sums[:, 0::2] * sums[:, 1::2]).sum(axis=1, dtype=np.uint64) & np.uint64(WIDE)
    low, high = u & np.uint64(MASK), u >> np.uint64(WORD)
    spread = [
        (np.uint64(a) * low + np.uint64(b) * high & np.uint64(WIDE)).astype(np.int64)
        for a, b in parts.factors
    ]
    return _cut(spread, index_bits)


def _words(keys, count):
    """The words of each key, one row each."""
    bits = np.unpackbits(keys, axis=1, bitorder="little")[:, : count * WORD]
    bits = np.pad(bits, ((0, 0), (0, count * WORD - bits.shape[1])))
    weights = np.uint64(1) << np.arange(WORD, dtype=np.uint64)
    return bits.reshape(len(keys), count, WORD).astype(np.uint64) @ weights


def places(f, g, index_bits: int) -> tuple:
    """Where a key is kept in each table; numbers, or arrays of them."""
    doubled = 2 * g ^ (g >> index_bits - 1) * (1 << index_bits | POLYNOMIALS[index_bits])
    return f, f ^ g, f ^ doubled, f ^ doubled ^ g
