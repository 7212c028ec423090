"""Stage 2 of the parser: where the UDP datagram ends."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.headers import UDP

from .decode import HintsLayout
from .words import word_lanes

__all__ = ["DatagramEnd"]


class DatagramEnd(wiring.Component):
    """Counts beats up to the last byte of the datagram.

    A UDP length below 8 or a header that is not whole is not told apart: no verdict on the payload
    is then wanted, and the outputs mean nothing.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    valid, last, keep : In
        A beat.
    header : In(word_lanes(width))
        The UDP header's last word ends in this beat, as its word in that lane.
    lengths : In(16), one for each lane of words
        The UDP length, if that is so.
    hints : In, one for each lane of words
        What the word says.
    length : Out(16)
        The UDP length in the beat of ``header``, else 0.
    inside : Out(width)
        Lanes that are not behind the datagram's end, if that is in this beat; else all.
    over : Out(1)
        The datagram ended before this beat.
    cut : Out(1)
        The frame ends before the datagram; one cycle behind a last beat.
    pad : Out(range(width))
        Lanes behind the datagram's end in the beat that held it, one cycle behind the header's
        beat and from then on.

    Timing: combinational but for ``cut`` and ``pad``.
    """

    def __init__(self, *, width: int):
        self._width = width
        lanes = word_lanes(width)
        super().__init__(
            {
                "valid": In(1),
                "last": In(1),
                "keep": In(width),
                "header": In(lanes),
                "lengths": In(16).array(lanes),
                "hints": In(HintsLayout).array(lanes),
                "length": Out(16),
                "inside": Out(width),
                "over": Out(1),
                "cut": Out(1),
                "pad": Out(range(max(2, width))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        bits = self._bits = (self._width - 1).bit_length()  # of a lane's number
        begun = Signal()
        ends = Signal()
        over = Signal()  # ends: in this beat
        left = Signal(16, reset_less=True)  # bytes of the datagram behind the beat before, less one
        found = Signal()
        next_ends = Signal()
        m.d.comb += [
            found.eq(self.header.any()),
            self.over.eq(over),
            self.pad.eq(~left[:bits] if bits else 0),
        ]
        self._count(m, found, next_ends, left)
        # The datagram ends in this beat, in this lane or before.
        done = [ends & (left[:bits] <= lane) for lane in range(self._width)]
        for lane in range(self._width):
            done[lane] |= Cat(self._ends_at_once(word, lane) for word in self._words()).any()
        done = self._named(m, "done", done)
        for lane in range(self._width):
            m.d.comb += self.inside[lane].eq(~done[lane - 1] if lane else 1)
        with m.If(self.valid):
            m.d.sync += [
                self.cut.eq(~over & ~(Cat(done) & self.keep).any()),
                begun.eq((begun | found) & ~self.last),
                ends.eq(next_ends & (begun | found) & ~self.last),
                over.eq((over | done[-1]) & ~self.last),
            ]
        return m

    def _named(self, m, name, values):
        signals = [Signal(name=f"{name}{place}") for place in range(len(values))]
        m.d.comb += [signal.eq(value) for signal, value in zip(signals, values, strict=True)]
        return signals

    def _words(self):
        return range(len(self.header))

    def _last_lane(self, word: int) -> int:
        """Lane of the header's last byte, if that is the last of ``word``."""
        return 4 * word + 1 if self._width >= 4 else self._width - 1

    def _ends_at_once(self, word: int, lane: int):
        """The header ends with ``word``, the datagram in the same beat, in ``lane`` or before."""
        more = lane - self._last_lane(word)
        return self.header[word] & self.hints[word].bytes_most[more] if more >= 0 else 0

    def _count(self, m, found, next_ends, left):
        """Bytes of the datagram behind this beat, and whether it ends in the next."""
        width, bits = self._width, self._bits
        start = Signal(16)
        next_left = Signal(16)
        ends_next = []
        for word in self._words():
            behind = UDP.size + width - 1 - self._last_lane(word)  # length at this beat's end
            with m.If(self.header[word]):
                m.d.comb += start.eq(-behind - 1)
            ends_next.append(
                self.header[word] & self.hints[word].bytes_most[behind - UDP.size + width]
            )
        with m.If(~found):
            m.d.comb += start.eq(-width)
        pairs = zip(self.header, self.lengths, strict=True)
        m.d.comb += self.length.eq(reduce(or_, (there.replicate(16) & n for there, n in pairs)))
        m.d.comb += [
            next_left.eq(Mux(found, self.length, left) + start),
            next_ends.eq(Cat(ends_next).any() | ~found & (left[bits:] == 1)),
        ]
        with m.If(self.valid):
            m.d.sync += left[bits:].eq(next_left[bits:])
            with m.If(found):
                m.d.sync += left[:bits].eq(next_left[:bits])
