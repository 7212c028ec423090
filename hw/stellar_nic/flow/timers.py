"""When the table acts by itself."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["AgeingPace", "Interval"]


class Interval(wiring.Component):
    """Tells whether ``length`` cycles have passed since ``restart``.

    Members
    -------
    length : In(bits)
        In cycles.
    restart : In(1)
        From the next cycle on it counts anew.
    over : Out(1)
        They have passed; also after reset.
    """

    def __init__(self, *, bits):
        super().__init__({"length": In(bits), "restart": In(1), "over": Out(1)})

    def elaborate(self, platform):
        m = Module()
        left = Signal(len(self.length) + 1, init=1 << len(self.length))  # below 0: none is left
        m.d.comb += self.over.eq(left[-1])
        with m.If(self.restart):
            m.d.sync += left.eq(self.length)
        with m.Elif(~self.over):
            m.d.sync += left.eq(left - 1)
        return m


class AgeingPace(wiring.Component):
    """Which slot's age is looked at next, and when.

    Parameters
    ----------
    places : int
        Slots and stash.
    every : int
        Cycles from one to the next, at least 2.

    Members
    -------
    due : Out(1)
        ``place`` is to be looked at.
    place : Out(range(places))
        A slot's number; the stash is the last.
    passed : In(1)
        It has been looked at.
    """

    def __init__(self, *, places, every):
        self._places, self._every = places, every
        super().__init__({"due": Out(1), "place": Out(range(places)), "passed": In(1)})

    def elaborate(self, platform):
        m = Module()
        count = Signal(range(self._every))
        m.d.sync += count.eq(count + 1)
        with m.If(self.passed):
            m.d.sync += [self.due.eq(0), self.place.eq(self.place + 1)]
            with m.If(self.place == self._places - 1):
                m.d.sync += self.place.eq(0)
        with m.If(count == self._every - 1):
            m.d.sync += [count.eq(0), self.due.eq(1)]
        return m
