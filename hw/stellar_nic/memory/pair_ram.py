"""Two memories in one RAM, which are read together, or one of them for somebody else."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..params import check_choice, check_int, check_power_of_two
from . import ecp5
from .output_ram import HIGHEST_DEPTH, LOWEST_DEPTH, OutputRAM
from .technology import check_technology

__all__ = ["PairRAM"]


class PairRAM(wiring.Component):
    """A lower and an upper half of ``depth`` words, read through output registers.

    Two tables that are looked up together are the halves: the first port reads the lower, the
    second the upper one.  When nobody looks up, the first port reads or writes any word, so that
    what is read so comes out of one place and not of two.

    With three ports the lower half has one of its own as well, and the first port need not wait;
    that takes a RAM for each half, of which each is as wide as that of a pair unless it is deep.

    Parameters
    ----------
    width : int
        Bits of a word, at least 1.
    depth : int
        Words of a half, a power of two from 2 to 65,536.
    ports : int
        2 (default) or 3.
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
        Two cycles later: the word there; unspecified if ``address`` was in the upper half, with
        three ports only if that word was being written.
    lower_address : In(range(depth)); lower_data : Out(width)
        With three ports: the same of a third port, in the lower half.

    Timing
    ------
    Latency: 2 cycles.  Reset: none; all words are 0 at power-up.
    On ECP5: block RAMs of two ports, 1,024 words of 18 bits and so on; with two ports halves of
    more than 8,192 words are RAMs of their own, with a multiplexer behind them.

    Raises
    ------
    TypeError, ValueError
        For a parameter that is out of its range; the message says what would be right.
    """

    def __init__(self, *, width, depth, ports=2, technology="generic"):
        self._width = check_int("width", width, low=1)
        self._depth = check_power_of_two("depth", depth, low=LOWEST_DEPTH)
        check_int("depth", depth, low=LOWEST_DEPTH, high=HIGHEST_DEPTH)
        self._ports = check_choice("ports", ports, (2, 3))
        self._technology = check_technology(technology)
        lower = {"lower_address": In(range(depth)), "lower_data": Out(width)}
        super().__init__(
            {
                "address": In(range(2 * depth)),
                "write_enable": In(1),
                "write_data": In(width),
                "read_data": Out(width),
                "upper_address": In(range(depth)),
                "upper_data": Out(width),
                **(lower if ports == 3 else {}),
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
    def ports(self):
        """Ports."""
        return self._ports

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
        elif self._ports == 3:
            self._add_two_ports_each(m)
        elif 2 * self._depth <= ecp5.DEEPEST:
            words = self._two_ports(m, "ram", self.write_enable, self.address, self._upper())
            m.d.comb += [self.read_data.eq(words[0]), self.upper_data.eq(words[1])]
        else:
            self._add_halves(m)
        return m

    def _upper(self):
        return Cat(self.upper_address, Const(1, 1))

    def _two_ports(self, m, name, write_enable, *addresses):
        return ecp5.add_two_port_ram(
            m,
            name=name,
            depth=1 << len(addresses[0]),
            write_enable=write_enable,
            write_data=self.write_data,
            addresses=addresses,
        )

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
        ports = [(self.address, self.read_data), (self._upper(), self.upper_data)]
        if self._ports == 3:
            ports.append((Cat(self.lower_address, Const(0, 1)), self.lower_data))
        for address, data in ports:
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
        lower, upper = (ram.read_data for ram in rams)
        m.d.comb += [self.read_data.eq(self._of_half(m, lower, upper)), self.upper_data.eq(upper)]

    def _of_half(self, m, lower, upper):
        """The word of the half in which ``address`` was two cycles ago."""
        first, second = (Signal(name=f"half_{n}", reset_less=True) for n in (1, 2))
        m.d.sync += [first.eq(self.address[-1]), second.eq(first)]
        return Mux(second, upper, lower)

    def _add_two_ports_each(self, m):
        """A RAM for each half, whose second port is the half's own."""
        within, half, own = self.address[:-1], self.address[-1], []
        others = (self.lower_address, self.lower_data), (self.upper_address, self.upper_data)
        for number, (address, data) in enumerate(others):
            write = self.write_enable & (half == number)
            words = self._two_ports(m, f"ram{number}", write, within, address)
            m.d.comb += data.eq(words[1])
            own.append(words[0])
        m.d.comb += self.read_data.eq(self._of_half(m, *own))
