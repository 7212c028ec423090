"""stub"""
from amaranth.hdl import *
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
__all__ = ["OutputRAM", "PipelinedMultiplier"]

class OutputRAM(wiring.Component):
    LATENCY = 2
    def __init__(self, *, width, depth, technology="generic"):
        self._w, self._d = width, depth
        super().__init__({"write_enable": In(1), "write_address": In(range(depth)), "write_data": In(width),
            "read_address": In(range(depth)), "read_clear": In(1), "read_data": Out(width)})
    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = mem = memory.Memory(shape=self._w, depth=self._d, init=[])
        w = mem.write_port(); r = mem.read_port()
        m.d.comb += [w.en.eq(self.write_enable), w.addr.eq(self.write_address), w.data.eq(self.write_data), r.addr.eq(self.read_address), r.en.eq(1)]
        m.d.sync += self.read_data.eq(Mux(self.read_clear, 0, r.data))
        return m

class PipelinedMultiplier(wiring.Component):
    LATENCY = 3
    def __init__(self, *, technology="generic"):
        super().__init__({"a": In(18), "b": In(18), "product": Out(36)})
    def elaborate(self, platform):
        m = Module()
        a = Signal(18); b = Signal(18); p = Signal(36)
        m.d.sync += [a.eq(self.a), b.eq(self.b), p.eq(a*b), self.product.eq(p)]
        return m
