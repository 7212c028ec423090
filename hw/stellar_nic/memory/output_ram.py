"""A RAM that is read through an output register."""

from amaranth.hdl import Module, Signal, unsigned
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..params import check_int, check_power_of_two
from . import ecp5
from .technology import check_technology

__all__ = ["OutputRAM"]

LOWEST_DEPTH, HIGHEST_DEPTH = 2, 1 << 16


class OutputRAM(wiring.Component):
    """RAM with one write port, one read port and one clock, read through an output register.

    Block RAM alone gives its data late in the cycle; behind the register that it also has, they
    come as early as those of a flip-flop.

    Parameters
    ----------
    width : int
        Bits of a word, at least 1.
    depth : int
        Words, a power of two from 2 to 65,536.
    technology : str
        ``generic`` (default) or ``ecp5``; the same in every cycle.

    Members
    -------
    write_enable : In(1)
        Writes ``write_data`` to ``write_address`` at the end of this cycle.
    write_address : In(range(depth))
        Where to.
    write_data : In(width)
        The word.
    read_address : In(range(depth))
        Which word is read, in cycle 0.
    read_data : Out(width)
        The word, in cycle 2.

    Timing
    ------
    Latency: 2 cycles from ``read_address`` to ``read_data``; one word can be written and one read
    in every cycle. A word is read as it is from the cycle after it was written.
    Read during write: the word of an address that is written in the cycle in which it is read is
    unspecified, and may differ between technologies; what is stored is right.
    Reset: none, neither of the content nor of the output; all words are 0 at power-up.

    Raises
    ------
    TypeError, ValueError
        For a parameter that is out of its range; the message says what would be right.
    """

    def __init__(self, *, width, depth, technology="generic"):
        self._width = check_int("width", width, low=1)
        self._depth = check_power_of_two("depth", depth, low=LOWEST_DEPTH)
        check_int("depth", depth, low=LOWEST_DEPTH, high=HIGHEST_DEPTH)
        self._technology = check_technology(technology)
        super().__init__(
            {
                "write_enable": In(1),
                "write_address": In(range(depth)),
                "write_data": In(width),
                "read_address": In(range(depth)),
                "read_data": Out(width),
            }
        )

    @property
    def width(self):
        """Bits of a word."""
        return self._width

    @property
    def depth(self):
        """Words."""
        return self._depth

    @property
    def technology(self):
        """What it is made for."""
        return self._technology

    @property
    def latency(self):
        """Cycles from ``read_address`` to ``read_data``."""
        return 2

    def elaborate(self, platform):
        m = Module()
        if self._technology == "ecp5":
            ecp5.add_ram(m, self)
        else:
            self._add_generic(m)
        return m

    def _add_generic(self, m):
        # What is read during a write is unspecified: synthesis need not add logic that defines it.
        attributes = {"no_rw_check": 1}
        m.submodules.memory = memory = Memory(
            shape=unsigned(self._width), depth=self._depth, init=[], attrs=attributes
        )
        write, read = memory.write_port(), memory.read_port()
        output = Signal(self._width, reset_less=True)
        m.d.comb += [
            write.en.eq(self.write_enable),
            write.addr.eq(self.write_address),
            write.data.eq(self.write_data),
            read.addr.eq(self.read_address),
            self.read_data.eq(output),
        ]
        m.d.sync += output.eq(read.data)
