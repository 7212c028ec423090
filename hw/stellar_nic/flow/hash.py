# Ref: Black, Halevi, Krawczyk, Krovetz, Rogaway: "UMAC: Fast and Secure Message Authentication",
#      CRYPTO 1999 (NH)
# Ref: Lemire, Kaser: "Strongly universal string hashing is fast", 2014 (multilinear)
"""The keyed hash of the flow table."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.flow import POLYNOMIALS, WORD, rows, seed_bits, words

from ..memory import PipelinedMultiplier
from ..params import check_int

__all__ = ["FlowHash", "place", "times"]

MULTIPLY = 3
"""Cycles of a multiplier."""


def place(f, g, table, bits):
    """The index in ``table`` that f and g lead to: f + table · g, ``bits`` bits."""
    return f[:bits] ^ times(table, g, bits)


def times(factor, g, bits):
    """``factor``, a number or a signal of two bits, by g in the field of 2**bits elements."""
    factor, carry = Value.cast(factor), Mux(g[bits - 1], POLYNOMIALS[bits], 0)
    doubled = (Cat(0, g[: bits - 1]) ^ carry)[:bits]
    return Mux(factor[0], g[:bits], 0) ^ (Mux(factor[1], doubled, 0) if len(factor) > 1 else 0)


def _sum3(a, b, c):
    """a + b + c with one carry chain: a sum and a carry word first."""
    return (a ^ b ^ c) + (((a & b) | (a & c) | (b & c)) << 1)


class FlowHash(wiring.Component):
    """Two indices from a key and a seed, as docs/flow-table.md has it.

    Parameters
    ----------
    key_bits : int
        Bits of the key.
    index_bits : int
        Bits of f and of g, from 1 to 18.
    technology : str
        Passed to the multipliers.

    Members
    -------
    key : In(key_bits)
        The key; a new one in every cycle.
    seed : In(seed_bits)
        Constant while keys are under way.
    f, g : Out(index_bits)
        Of the key that was there ``latency`` cycles ago.

    Timing
    ------
    Latency: ``latency`` cycles, 10 for keys of 109 to 324 bits. Throughput: one key per cycle.
    Reset: none is needed, nothing is kept.
    """

    def __init__(self, *, key_bits, index_bits, technology="generic"):
        self._key_bits = check_int("key_bits", key_bits, low=WORD)
        self._index_bits = check_int("index_bits", index_bits, low=1, high=WORD)
        self._technology = technology
        super().__init__(
            {
                "key": In(key_bits),
                "seed": In(self.seed_bits),
                "f": Out(index_bits),
                "g": Out(index_bits),
            }
        )

    @property
    def seed_bits(self):
        """Bits of the seed."""
        return seed_bits(self._key_bits, self._index_bits)

    @property
    def latency(self):
        """Cycles from a key to its f and g."""
        pairs, levels = words(self._key_bits) // 2, 0
        while pairs > 3:
            pairs, levels = -(-pairs // 3), levels + 1
        return 2 * MULTIPLY + levels + 3

    def elaborate(self, platform):
        m = Module()
        count = words(self._key_bits)
        padded = Cat(self.key, Const(0, count * WORD - self._key_bits))
        digest = self._compress(m, padded, count)
        per_row = 4 * WORD
        row_seeds = [
            self.seed[count * WORD + per_row * row :][:per_row]
            for row in range(rows(self._index_bits))
        ]
        hashes = [self._spread(m, digest, seed, f"row{row}") for row, seed in enumerate(row_seeds)]
        bits = self._index_bits
        if len(hashes) == 1:
            found = hashes[0][2 * WORD - 2 * bits :]
            m.d.sync += [self.g.eq(found[:bits]), self.f.eq(found[bits:])]
        else:
            m.d.sync += [
                out.eq(found[2 * WORD - bits :])
                for out, found in zip((self.f, self.g), hashes, strict=True)
            ]
        return m

    def _multiply(self, m, name, a, b):
        m.submodules[name] = multiplier = PipelinedMultiplier(technology=self._technology)
        m.d.comb += [multiplier.a.eq(a), multiplier.b.eq(b)]
        return multiplier.product

    def _compress(self, m, padded, count):
        """NH: 36 bits that two keys share for hardly any seed."""
        sums = []
        for at in range(count):
            total = Signal(WORD, name=f"sum{at}")
            m.d.comb += total.eq(padded.word_select(at, WORD) + self.seed.word_select(at, WORD))
            sums.append(total)
        terms = [
            self._multiply(m, f"nh{pair}", sums[2 * pair], sums[2 * pair + 1])
            for pair in range(count // 2)
        ]
        while len(terms) > 3:
            terms = [self._add(m, terms[at : at + 3]) for at in range(0, len(terms), 3)]
        return self._add(m, terms)

    @staticmethod
    def _add(m, terms):
        """The sum of one to three terms, mod 2**36, a cycle later."""
        total = Signal(2 * WORD)
        terms = [*terms, *[Const(0, 2 * WORD)] * (3 - len(terms))]
        m.d.sync += total.eq(_sum3(*terms))
        return total

    def _spread(self, m, digest, seed, name):
        """Multilinear: 36 bits of which the upper 19 are good."""
        low, high = Signal(2 * WORD, name=f"{name}_low"), Signal(WORD, name=f"{name}_high")
        products = []
        for at in range(4):
            word, factor = digest.word_select(at // 2, WORD), seed.word_select(at, WORD)
            products.append(self._multiply(m, f"{name}_{at}", word, factor))
        m.d.sync += [
            low.eq(products[0] + products[2]),
            high.eq(products[1][:WORD] + products[3][:WORD]),
        ]
        return Cat(low[:WORD], (low[WORD:] + high)[:WORD])
