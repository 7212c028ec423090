"""The numbers of flows that are free."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..memory import OutputRAM

__all__ = ["FlowNumbers"]


class FlowNumbers(wiring.Component):
    """Gives out the numbers that were given to it, the oldest first.

    So a number rests as long as it can before it names another flow.

    Parameters
    ----------
    count : int
        Numbers, a power of two.
    technology : str
        Passed to the memory.

    Members
    -------
    available : Out(1)
        ``number`` is free.
    number : Out(range(count))
        The next one.
    take : In(1)
        Takes it, while ``available`` is high.
    give : In(1)
        ``given`` is free.
    given : In(range(count))
        A number that is not free; each of them is given once before the first is taken.
    forget : In(1)
        None is free, as after reset.

    Timing
    ------
    The next number is there at most 5 cycles after one was taken or given; both may come together.
    """

    def __init__(self, *, count, technology="generic"):
        self._count, self._technology = count, technology
        super().__init__(
            {
                "available": Out(1),
                "number": Out(range(count)),
                "take": In(1),
                "give": In(1),
                "given": In(range(count)),
                "forget": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        bits = len(self.number)
        m.submodules.ram = ram = OutputRAM(
            width=bits, depth=self._count, technology=self._technology
        )
        read = Signal(bits + 1)
        write = Signal(bits + 1)
        gives = Signal()  # the memory is far from who gives
        given = Signal.like(self.given)
        m.d.sync += [gives.eq(self.give), given.eq(self.given)]
        m.d.comb += [
            ram.read_address.eq(read[:bits]),
            ram.write_address.eq(write[:bits]),
            ram.write_data.eq(given),
            ram.write_enable.eq(gives),
        ]
        with m.If(gives):
            m.d.sync += write.eq(write + 1)
        # The address has not changed for so many cycles, and something was there in the first.
        settled = Signal(2)
        m.d.sync += settled.eq((settled << 1) | (read != write))
        with m.If(self.take):
            m.d.sync += [self.available.eq(0), settled.eq(0)]
        with m.Elif(~self.available & settled.all()):
            m.d.sync += [self.available.eq(1), self.number.eq(ram.read_data), settled.eq(0)]
            m.d.sync += read.eq(read + 1)
        with m.If(self.forget):
            for register in (read, write, settled, self.available):
                m.d.sync += register.eq(0)
        return m
