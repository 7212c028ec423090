"""A function of one variable by pieces of straight lines."""

from itertools import pairwise

from amaranth.hdl import Module, Signal, unsigned
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..memory import PipelinedMultiplier
from .delay import delayed

__all__ = ["StraightPieces"]


class StraightPieces(wiring.Component):
    """``y`` on the straight line between the two nodes around ``x``, towards the one in front.

    Parameters
    ----------
    nodes : list of int
        The function where a piece begins, and where the last one ends: one more than a power of
        two. They all rise or all fall, or stay.
    rest_bits : int
        Bits of ``x`` inside a piece; those above are the piece's number.
    technology : str
        Passed to the multiplier.

    Members
    -------
    x : In
        The argument.
    y : Out
        Of the argument ``latency`` cycles ago.

    Timing
    ------
    Latency: ``latency`` cycles: the table 2, the product, the sum.  Throughput: one a cycle.
    Reset: none.
    """

    def __init__(self, *, nodes, rest_bits, technology="generic"):
        self._nodes, self._rest_bits = nodes, rest_bits
        self._multiplier = PipelinedMultiplier(technology=technology)
        self._bits = max(nodes).bit_length()
        size = rest_bits + (len(nodes) - 2).bit_length()
        super().__init__({"x": In(size), "y": Out(self._bits)})

    @property
    def latency(self):
        """Cycles from ``x`` to ``y``."""
        return 2 + self._multiplier.latency + 1

    def elaborate(self, platform):
        m = Module()
        base, way = self._table(m, self.x[self._rest_bits :])
        rest = delayed(m, self.x[: self._rest_bits], 2, "rest")
        m.submodules.multiplier = multiplier = self._multiplier
        m.d.comb += [multiplier.a.eq(way), multiplier.b.eq(rest)]
        base = delayed(m, base, multiplier.latency, "base")
        part = multiplier.product >> self._rest_bits
        rises = self._nodes[0] < self._nodes[-1]
        m.d.sync += self.y.eq(base + part if rises else base - part)
        return m

    def _table(self, m, piece):
        """The node in front, and how far it is to the next, two cycles later."""
        ways = [abs(after - before) for before, after in pairwise(self._nodes)]
        bits = self._bits + max(ways).bit_length()
        words = [node | way << self._bits for node, way in zip(self._nodes[:-1], ways, strict=True)]
        m.submodules.table = table = Memory(shape=unsigned(bits), depth=len(words), init=words)
        port = table.read_port()
        word = Signal.like(port.data, name="word", reset_less=True)
        m.d.comb += port.addr.eq(piece)
        m.d.sync += word.eq(port.data)
        return word[: self._bits], word[self._bits :]
