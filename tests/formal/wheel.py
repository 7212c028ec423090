"""A small design with its proof, for the tests of the runner."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_formal import Proof, Twin

__all__ = ["PROOF", "TWIN", "Wheel", "no_wrap"]


class Wheel(wiring.Component):
    """Counts 0 to 5 while ``step`` is high."""

    def __init__(self):
        super().__init__({"step": In(1), "count": Out(3)})

    def elaborate(self, platform):
        m = Module()
        wrap = Signal()
        m.d.comb += wrap.eq(self.count == 5)
        with m.If(self.step):
            m.d.sync += self.count.eq(self.count + 1)
            with m.If(wrap):
                m.d.sync += self.count.eq(0)
        return m


def build(top):
    dut = Wheel()
    top.design(dut)
    top.prove(dut.count <= 5, "never above five")
    top.cover(dut.count == 5, "five")


def no_wrap(m, s):
    m.d.comb += s.wrap.eq(0)


TWIN = Twin("does not wrap", no_wrap)
PROOF = Proof(name="wheel.range", about="a wheel", build=build, twins=(TWIN,))
