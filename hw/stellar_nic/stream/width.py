"""Width converter between packet streams."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.streams import PACKET_WIDTHS

from ..params import check_choice
from .packet import PacketLayout, PacketSignature
from .slice import RegisterSlice

__all__ = ["WidthConverter"]


class WidthConverter(wiring.Component):
    """Repacks the bytes of each packet into beats of another width.

    Parameters
    ----------
    width_in : int
        Bytes per beat at the input.
    width_out : int
        Bytes per beat at the output: larger, smaller or the same.
    meta : shape-like, optional
        Shape of the packet's side information.

    Members
    -------
    i : In(PacketSignature(width_in, meta))
        Input stream.
    o : Out(PacketSignature(width_out, meta))
        Output stream: the same packets, with the same ``error`` and ``meta``. No beat holds bytes
        of two packets.

    Timing
    ------
    Latency: 1 cycle from the transfer of the input beat that completes an output beat to
    ``o.valid``, if ``width_out >= width_in``; otherwise 2 cycles from the transfer of an input beat
    to ``o.valid`` for its first part.
    Throughput: the narrow side moves one beat per cycle, with no bubble between beats or packets.
    A short last beat takes as many narrow beats as it has bytes for.
    Back-pressure: ``i.ready`` depends on registers only. Drops: none.
    Reset: empties it; ``i.ready`` is high.
    """

    def __init__(self, *, width_in, width_out, meta=None):
        for name, width in (("width_in", width_in), ("width_out", width_out)):
            check_choice(name, width, PACKET_WIDTHS)
        self._width_in = width_in
        self._width_out = width_out
        self._meta = PacketLayout(width_in, meta).meta
        super().__init__(
            {
                "i": In(PacketSignature(width_in, meta)),
                "o": Out(PacketSignature(width_out, meta)),
            }
        )

    @property
    def width_in(self):
        """Bytes per beat at the input."""
        return self._width_in

    @property
    def width_out(self):
        """Bytes per beat at the output."""
        return self._width_out

    @property
    def meta(self):
        """Shape of the packet's side information."""
        return self._meta

    @property
    def latency(self):
        """Cycles from the input beat that completes an output beat, to ``o.valid``."""
        return 1 if self._width_out >= self._width_in else 2

    def elaborate(self, platform):
        m = Module()
        if self._width_out > self._width_in:
            self._elaborate_up(m)
        else:
            m.submodules.slice = slice_ = RegisterSlice(shape=self.o.payload.shape())
            wiring.connect(m, slice_.o, wiring.flipped(self.o))
            if self._width_out == self._width_in:
                wiring.connect(m, wiring.flipped(self.i), slice_.i)
            else:
                self._elaborate_down(m, slice_.i)
        return m

    def _elaborate_up(self, m):
        """Fill ``word`` lane by lane; whole, it goes to the output or waits for it."""
        ratio = self._width_out // self._width_in
        word = Signal(self.o.payload.shape(), reset_less=True)  # what has been gathered
        word_full = Signal()  # it is whole, and the output was taken
        index = Signal(range(ratio))
        filled = Signal.like(word)  # word and the beat at the input
        output = Signal.like(word)
        accept = Signal()
        whole = Signal()
        m.d.comb += [
            self.i.ready.eq(~word_full),
            self.o.payload.eq(output),
            accept.eq(self.i.valid & self.i.ready),
            whole.eq(accept & (self.i.p.last | (index == ratio - 1))),
            filled.eq(word),
            filled.last.eq(self.i.p.last),
            filled.error.eq(self.i.p.error),
            filled.meta.eq(self.i.p.meta),
        ]
        with m.If(index == 0):
            m.d.comb += filled.keep.eq(0)
        m.d.comb += [
            filled.data.word_select(index, 8 * self._width_in).eq(self.i.p.data),
            filled.keep.word_select(index, self._width_in).eq(self.i.p.keep),
        ]
        with m.If(accept):
            m.d.sync += [word.eq(filled), index.eq(index + 1)]
            with m.If(whole):
                m.d.sync += index.eq(0)
        with m.If(self.o.ready | ~self.o.valid):
            m.d.sync += [self.o.valid.eq(whole | word_full), word_full.eq(0)]
            with m.If(word_full):
                m.d.sync += output.eq(word)
            with m.Else():
                m.d.sync += output.eq(filled)
        with m.Elif(whole):
            m.d.sync += word_full.eq(1)

    def _elaborate_down(self, m, narrow):
        """Shift ``word`` down by one narrow beat per cycle until no byte is left."""
        word = Signal(self.i.payload.shape(), reset_less=True)
        busy = Signal()
        final = Signal()  # what is in the lowest lanes is all that is left
        m.d.comb += [
            final.eq(~word.keep[self._width_out]),
            narrow.valid.eq(busy),
            narrow.p.data.eq(word.data),
            narrow.p.keep.eq(word.keep),
            narrow.p.last.eq(word.last & final),
            narrow.p.error.eq(word.error),
            narrow.p.meta.eq(word.meta),
            self.i.ready.eq(~busy | (final & narrow.ready)),
        ]
        with m.If(self.i.ready):
            m.d.sync += [word.eq(self.i.payload), busy.eq(self.i.valid)]
        with m.Elif(narrow.ready):
            m.d.sync += [
                word.data.eq(word.data >> (8 * self._width_out)),
                word.keep.eq(word.keep >> self._width_out),
            ]
