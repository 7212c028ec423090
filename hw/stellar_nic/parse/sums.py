"""Stage 3 of the parser: one's complement sums (RFC 1071), of which only the verdict is wanted."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["OnesSum"]


class OnesSum(wiring.Component):
    """Adds 16-bit words and tells whether they sum to 0xffff.

    The carries of one cycle are added in the next, so that no adder waits for its own end.

    Parameters
    ----------
    terms : int
        Words added in a cycle, up to 6.
    start : int
        The sum before the first word.

    Members
    -------
    valid, first : In
        Add ``terms`` now; begin anew with them.
    terms : In
        The words, 16 bits each.
    right : Out(1)
        The sum is 0xffff, one cycle later.

    Timing: latency 1 cycle, every cycle.
    """

    latency = 1

    def __init__(self, *, terms: int, start: int = 0):
        if terms not in range(1, 7):
            raise ValueError(f"terms is {terms!r}; the carry holds 1 to 6")
        self._terms = terms
        self._start = start
        super().__init__(
            {"valid": In(1), "first": In(1), "terms": In(16).array(terms), "right": Out(1)}
        )

    def elaborate(self, platform):
        m = Module()
        total = Signal(16)
        carry = Signal(3)
        before = Mux(self.first, self._start, total)
        result = sum(self.terms[k] for k in range(self._terms)) + before
        result = result + Mux(self.first, 0, carry)
        with m.If(self.valid):
            m.d.sync += Cat(total, carry).eq(result)
        # total + carry folds to 0xffff only as total = 0xffff - carry.
        m.d.comb += self.right.eq(Cat(~total[3:] == 0, ~total[:3] == carry).all())
        return m
