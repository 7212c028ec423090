"""Register slice: cuts every combinational path between two blocks."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..params import check_shape

__all__ = ["RegisterSlice"]


class RegisterSlice(wiring.Component):
    """Registers a stream in both directions.

    Parameters
    ----------
    shape : shape-like
        Shape of the payload.

    Members
    -------
    i : In(stream.Signature(shape))
        Input stream.
    o : Out(stream.Signature(shape))
        Output stream: the same payloads in the same order.

    Timing
    ------
    Latency: 1 cycle, from the transfer at ``i`` to ``o.valid``.
    Throughput: one payload per cycle.
    Back-pressure: ``i.ready`` falls one cycle after ``o`` stalls; a spare register holds what was
    accepted meanwhile. All outputs are registers, so no input reaches an output in the same cycle.
    Drops: none. Reset: empties it; ``i.ready`` is high.
    """

    def __init__(self, *, shape):
        self._shape = check_shape("shape", shape)
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    @property
    def shape(self):
        """Shape of the payload."""
        return self._shape

    @property
    def latency(self):
        """Cycles from a transfer at ``i`` to ``o.valid``."""
        return 1

    def elaborate(self, platform):
        m = Module()
        payload = Signal(self._shape, reset_less=True)
        spare = Signal(self._shape, reset_less=True)
        spare_full = Signal()
        m.d.comb += [self.i.ready.eq(~spare_full), self.o.payload.eq(payload)]
        with m.If(self.o.ready | ~self.o.valid):
            m.d.sync += [
                self.o.valid.eq(self.i.valid | spare_full),
                spare_full.eq(0),
            ]
            with m.If(spare_full):
                m.d.sync += payload.eq(spare)
            with m.Else():
                m.d.sync += payload.eq(self.i.payload)
        with m.Elif(self.i.valid & ~spare_full):
            m.d.sync += [spare.eq(self.i.payload), spare_full.eq(1)]
        return m
