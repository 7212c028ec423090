"""FIFO of payloads in a memory."""

from amaranth.hdl import Module, Shape, Value
from amaranth.lib import stream, wiring
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from ..params import check_int, check_shape

__all__ = ["StreamFIFO"]


class StreamFIFO(wiring.Component):
    """Queue of payloads: :class:`amaranth.lib.fifo.SyncFIFOBuffered` with stream ports.

    Parameters
    ----------
    shape : shape-like
        Shape of the payload.
    depth : int
        Payloads that it holds, at least 3. (For two, :class:`RegisterSlice` does.)

    Members
    -------
    i : In(stream.Signature(shape))
        Input stream.
    o : Out(stream.Signature(shape))
        Output stream: the same payloads in the same order.
    level : Out(range(depth + 1))
        Payloads held, the one that is offered at ``o`` included.

    Timing
    ------
    Latency: 2 cycles, from the transfer at ``i`` to ``o.valid``, if it was empty.
    Throughput: one payload per cycle, also while it is being filled and emptied at once.
    Back-pressure: ``i.ready`` falls when ``depth - 1`` payloads wait behind the output; it depends
    on registers only. ``o.payload`` comes from the memory's read port: with block RAM, put a
    :class:`RegisterSlice` in front of deep logic.
    Drops: none. Reset: empties it; ``i.ready`` is high.
    """

    def __init__(self, *, shape, depth):
        self._shape = check_shape("shape", shape)
        # The library's FIFO has one place in its output register and the others in its memory; a
        # memory of one word could not be read and written in turn without a bubble.
        self._depth = check_int("depth", depth, low=3)
        super().__init__(
            {
                "i": In(stream.Signature(shape)),
                "o": Out(stream.Signature(shape)),
                "level": Out(range(depth + 1)),
            }
        )

    @property
    def shape(self):
        """Shape of the payload."""
        return self._shape

    @property
    def depth(self):
        """Payloads that it holds."""
        return self._depth

    @property
    def latency(self):
        """Cycles from a transfer at ``i`` to ``o.valid``, if it was empty."""
        return 2

    def elaborate(self, platform):
        m = Module()
        width = Shape.cast(self._shape).width
        m.submodules.fifo = fifo = SyncFIFOBuffered(width=width, depth=self._depth)
        m.d.comb += [
            fifo.w_data.eq(Value.cast(self.i.payload)),
            fifo.w_en.eq(self.i.valid),
            self.i.ready.eq(fifo.w_rdy),
            Value.cast(self.o.payload).eq(fifo.r_data),
            self.o.valid.eq(fifo.r_rdy),
            fifo.r_en.eq(self.o.ready),
            self.level.eq(fifo.level),
        ]
        return m
