"""A multiplier with registers at its inputs, inside, and at its output."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from . import ecp5
from .technology import check_technology

__all__ = ["PipelinedMultiplier"]

WIDTH = 18


class PipelinedMultiplier(wiring.Component):
    """Product of two unsigned numbers of 18 bits, one in every cycle.

    Parameters
    ----------
    technology : str
        ``generic`` (default) or ``ecp5``; the same in every cycle.

    Members
    -------
    a, b : In(18)
        The factors, unsigned.
    product : Out(36)
        ``a`` times ``b`` of three cycles ago.

    Timing
    ------
    Latency: 3 cycles: a register at the inputs, one inside, one at the output.
    Reset: none; 0 at power-up, until the first product arrives.

    Raises ``ValueError`` for an unknown technology.
    """

    def __init__(self, *, technology="generic"):
        self._technology = check_technology(technology)
        super().__init__({"a": In(WIDTH), "b": In(WIDTH), "product": Out(2 * WIDTH)})

    @property
    def technology(self):
        """What it is made for."""
        return self._technology

    @property
    def latency(self):
        """Cycles from the factors to their product."""
        return 3

    def elaborate(self, platform):
        m = Module()
        if self._technology == "ecp5":
            ecp5.add_multiplier(m, self)
        else:
            self._add_generic(m)
        return m

    def _add_generic(self, m):
        a, b = (Signal(WIDTH, name=name, reset_less=True) for name in ("a_input", "b_input"))
        inside = Signal(2 * WIDTH, reset_less=True)
        output = Signal(2 * WIDTH, reset_less=True)
        m.d.sync += [a.eq(self.a), b.eq(self.b), inside.eq(a * b), output.eq(inside)]
        m.d.comb += self.product.eq(output)
