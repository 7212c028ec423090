"""Are two wide words the same?"""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..params import check_int
from . import ecp5
from .technology import check_technology

__all__ = ["WideEqual"]


class WideEqual(wiring.Component):
    """Compares two words in one cycle.

    Of look-up tables of four inputs that takes one for two bits, and a tree that joins them.  A
    carry chain joins them by itself, but holds all of them in one row: the wires to a long one are
    long, so compare a word of many bits in parts.

    Parameters
    ----------
    width : int
        Bits of a word, at least 1.
    technology : str
        ``generic`` (default) or ``ecp5``; the same in every cycle.

    Members
    -------
    a, b : In(width)
        The words.
    equal : Out(1)
        They are the same.

    Timing
    ------
    Latency: none, all is combinational.

    Raises
    ------
    TypeError, ValueError
        For a parameter that is out of its range; the message says what would be right.
    """

    def __init__(self, *, width, technology="generic"):
        self._width = check_int("width", width, low=1)
        self._technology = check_technology(technology)
        super().__init__({"a": In(width), "b": In(width), "equal": Out(1)})

    @property
    def width(self):
        """Bits of a word."""
        return self._width

    @property
    def technology(self):
        """What it is made for."""
        return self._technology

    def elaborate(self, platform):
        m = Module()
        if self._technology == "ecp5":
            ecp5.add_wide_equal(m, self)
        else:
            m.d.comb += self.equal.eq(self.a == self.b)
        return m
