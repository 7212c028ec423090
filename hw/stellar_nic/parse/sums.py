"""Stage 3 of the parser: one's complement sums (RFC 1071), of which only the verdict is wanted."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .tables import lookup

__all__ = ["OnesSum"]

_TERMS_MAX = 6
_ADDED = 4  # words that a tree of adders takes in one cycle; more are compressed first


class OnesSum(wiring.Component):
    """Adds 16-bit words, or the bytes of such, and tells whether the words sum to 0xffff.

    Every adder keeps its carry for the next cycle, when it is carried in at the other end: so no
    adder waits for its own end, and none is wider than a term.  More than three words and the
    total are first compressed to so many, three to two, by gates alone.

    Bytes are added with the first of a word as the lower, and the total turns by a byte every
    time: the sum's bytes change places with those of the words (RFC 1071 section 2, "byte order
    independence"), and 0xffff is the same either way round.

    Parameters
    ----------
    terms : int
        Terms added in a cycle, 1 to 6.
    bits : int
        Bits of a term: 16, or 8 for bytes.
    start : int
        The sum before the first word.

    Members
    -------
    valid, terms : In
        Add ``terms`` now.
    clear : In(1)
        Begin anew; the terms of this cycle are not added.  The next byte is the first of a word.
    right : Out(1)
        The sum is 0xffff, one cycle later.

    Timing: latency 1 cycle, every cycle.

    Raises ``ValueError`` for other parameters.
    """

    latency = 1

    def __init__(self, *, terms: int, bits: int = 16, start: int = 0):
        if terms not in range(1, _TERMS_MAX + 1):
            raise ValueError(f"terms is {terms!r}; 1 to {_TERMS_MAX} can be added")
        if bits not in (8, 16):
            raise ValueError(f"bits is {bits!r}; a term has 8 or 16")
        self._terms = terms
        self._bits = bits
        self._start = start
        super().__init__(
            {"valid": In(1), "clear": In(1), "terms": In(bits).array(terms), "right": Out(1)}
        )

    def elaborate(self, platform):
        m = Module()
        start = self._start
        if self._bits == 8:
            start = start >> 8 | (start & 0xFF) << 8
        # A flip-flop begins with the value that clears it, else it would be kept inverted.
        total = Signal(16, reset_less=True, init=start)
        adders = min(self._terms, _ADDED - 1)
        carries = Signal(adders, reset_less=True)
        left_over = Signal(range(adders + 1))
        sums = [*self.terms, total[: self._bits]]
        while len(sums) > _ADDED and self._bits == 16:
            sums = [*sums[3:], *self._compress(m, *sums[:3])]
        carried = []
        while len(sums) > 1:  # a tree, of which the last sum goes into the total
            result = self._add(m, sums.pop(0), sums.pop(0), carries[len(carried)])
            sums.append(result[: self._bits])
            carried.append(result[self._bits])
        with m.If(self.valid):
            m.d.sync += [total.eq(Cat(total[self._bits :], sums[0])), carries.eq(Cat(*carried))]
        with m.If(self.clear):
            m.d.sync += [total.eq(start), carries.eq(0)]
        m.d.comb += left_over.eq(lookup(carries, int.bit_count, len(left_over)))
        # The total and the carries fold to 0xffff only as total = 0xffff - carries.
        low = len(left_over)
        m.d.comb += self.right.eq(total[low:].all() & (~total[:low] == left_over))
        return m

    @staticmethod
    def _compress(m, a, b, c):
        """Three words to two of the same sum, without a carry chain: that turns round the end."""
        partial, carry = Signal(16, name="partial"), Signal(16, name="carry")
        m.d.comb += [partial.eq(a ^ b ^ c), carry.eq((a & b | (a | b) & c).rotate_left(1))]
        return partial, carry

    @staticmethod
    def _add(m, a, b, carry):
        """``a`` + ``b`` + ``carry``; the place below the lowest carries in."""
        result = Signal(len(a) + 2, name="sum")
        m.d.comb += result.eq(Cat(Const(1, 1), a) + Cat(carry, b))
        return result[1:]
