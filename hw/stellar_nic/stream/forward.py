"""Forward register: cuts the path of a stream's payload and ``valid`` between two blocks."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..params import check_shape

__all__ = ["ForwardRegister"]


class ForwardRegister(wiring.Component):
    """Registers ``valid`` and the payload of a stream; ``ready`` passes through.

    Half of a :class:`RegisterSlice`: no spare register, and no multiplexer in front of the payload.

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
    Back-pressure: ``i.ready`` follows ``o.ready`` in the same cycle, and is high while the register
    is empty. Nothing else is combinational.
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
        m.d.comb += [self.i.ready.eq(self.o.ready | ~self.o.valid), self.o.payload.eq(payload)]
        with m.If(self.i.ready):
            m.d.sync += [self.o.valid.eq(self.i.valid), payload.eq(self.i.payload)]
        return m
