"""Two memories in one RAM, which are read together, or one of them for somebody else."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..params import check_int, check_power_of_two
from . import ecp5
from .output_ram import HIGHEST_DEPTH, LOWEST_DEPTH, OutputRAM
from .technology import check_technology

__all__ = ["PairRAM"]


class PairRAM(wiring.Component):
    """A lower and an upper half of ``depth`` words, read through output registers.

    Two tables that are looked up together are the halves: the first port reads the lower, the
    second the upper one.  When nobody looks up, the first port reads or writes any word, so that
    what is read so comes out of one place and not of two.

    Parameters
    ----------
    width : int
        Bits of a word, at least 1.
    depth : int
        Words of a half, a power of two from 2 to 65,536.
    technology : str
        ``generic`` (default) or ``ecp5``; the same in every cycle.

    Members
    -------
    address : In(range(2 * depth))
        Of the first port; the highest bit is the half.
    write_enable : In(1)
        Writes ``write_data`` there, at the end of this cycle.
    write_data : In(width)
        The word.
    read_data : Out(width)
        Two cycles behind ``address``: the word there; unspecified if it was being written.
    upper_address : In(range(depth))
        Of the second port, in the upper half.
    upper_data : Out(width)
        Two cycles later: the word there; unspecified if ``address`` was in the upper half.

    Timing
    ------
    Latency: 2 cycles.  Reset: none; all words are 0 at power-up.
    On ECP5: block RAMs of two ports, 1,024 words of 18 bits and so on; halves of more than 8,192
    words are RAMs of their own, with a multiplexer behind them.

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
                "address": In(range(2 * depth)),
                "write_enable": In(1),
                "write_data": In(width),
                "read_data": Out(width),
                "upper_address": In(range(depth)),
                "upper_data": Out(width),
            }
        )

    @property
    def width(self):
        """Bits of a word."""
        return self._width

    @property
    def depth(self):
        """Words of a half."""
        return self._depth

    @property
    def technology(self):
        """What it is made for."""
        return self._technology

    @property
    def latency(self):
        """Cycles from an address to its word."""
        return 2

    def elaborate(self, platform):
        m = Module()
        if self._technology != "ecp5":
            self._add_generic(m)
        elif 2 * self._depth <= ecp5.DEEPEST:
            ecp5.add_pair_ram(m, self)
        else:
            self._add_halves(m)
        return m

    def _add_generic(self, m):
        m.submodules.memory = memory = Memory(
            shape=unsigned(self._width),
            depth=2 * self._depth,
            init=[],
            attrs={"no_rw_check": 1},  # what is read during a write is unspecified
        )
        write = memory.write_port()
        m.d.comb += [
            write.en.eq(self.write_enable),
            write.addr.eq(self.address),
            write.data.eq(self.write_data),
        ]
        upper = Cat(self.upper_address, Const(1, 1))
        for address, data in ((self.address, self.read_data), (upper, self.upper_data)):
            read = memory.read_port()
            output = Signal(self._width, reset_less=True)
            m.d.comb += [read.addr.eq(address), data.eq(output)]
            m.d.sync += output.eq(read.data)

    def _add_halves(self, m):
        """A RAM for each half."""
        within, half = self.address[:-1], self.address[-1]
        rams = [
            OutputRAM(width=self._width, depth=self._depth, technology=self._technology)
            for _ in range(2)
        ]
        m.submodules.lower, m.submodules.upper = rams
        addresses = within, Mux(half, within, self.upper_address)
        for number, (ram, address) in enumerate(zip(rams, addresses, strict=True)):
            m.d.comb += [
                ram.write_enable.eq(self.write_enable & (half == number)),
                ram.write_address.eq(within),
                ram.write_data.eq(self.write_data),
                ram.read_address.eq(address),
            ]
        first, second = (Signal(name=f"half_{n}", reset_less=True) for n in (1, 2))
        m.d.sync += [first.eq(half), second.eq(first)]
        lower, upper = (ram.read_data for ram in rams)
        m.d.comb += [self.read_data.eq(Mux(second, upper, lower)), self.upper_data.eq(upper)]
