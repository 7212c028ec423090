"""Stage 2 of the parser: where the UDP datagram ends."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.headers import UDP

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
    length : Out(16)
        The UDP length in the beat of ``header``.
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
                "length": Out(16),
                "inside": Out(width),
                "over": Out(1),
                "cut": Out(1),
                "pad": Out(range(max(2, width))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = self._width
        bits = (width - 1).bit_length()  # of a lane's number
        begun, over, reached = Signal(), Signal(), Signal()
        length = Signal(16, reset_less=True)
        lane, held_lane = Signal(bits), Signal(bits, reset_less=True)  # of the last byte
        found, short = Signal(), Signal()
        header_lane, borrow = self._header(m, bits, short)
        m.d.comb += [
            found.eq(self.header.any()),
            # Beats behind the header's, and those that the length's upper bits take for granted.
            reached.eq(Mux(begun, self._count(m, found, borrow) == length[bits:], found & short)),
            lane.eq(Mux(begun, held_lane, header_lane)),
            self.over.eq(over),
            self.pad.eq(~held_lane if bits else 0),
        ]
        for k in range(width):
            behind = lane.matches(*range(k)) if k else 0
            m.d.comb += self.inside[k].eq(~(reached & behind))
        with m.If(self.valid):
            m.d.sync += [
                self.cut.eq(~over & ~(reached & Array(self.keep)[lane])),
                begun.eq((begun | found) & ~self.last),
                over.eq((over | reached) & ~self.last),
            ]
            with m.If(found):
                m.d.sync += [length.eq(self.length), held_lane.eq(header_lane)]
        return m

    def _before(self, word: int) -> int:
        """UDP length of a datagram whose last byte is in lane 0 of the header's beat."""
        end = 4 * word + 1 if self._width >= 4 else self._width - 1  # the header's last lane
        return UDP.size - end

    def _header(self, m, bits, short):
        """From the header's beat: the last byte's lane, and the beats' borrow from the length."""
        width, length = self._width, self.length
        lane, borrow = Signal(bits, name="header_lane"), Signal()
        words = range(len(self.header))
        for word in words:
            before = self._before(word)
            chosen = self.header[word] if word == 0 and len(words) > 1 else 1
            with m.If(chosen) if word == 0 else m.Else():
                m.d.comb += [
                    length.eq(self.lengths[word]),
                    lane.eq(length[:bits] - before % width),
                    borrow.eq(length[:bits].matches(*range(before % width)) if bits else 0),
                    short.eq((length[4:] == 0) & length[:4].matches(*range(before + width))),
                ]
        return lane, borrow

    def _count(self, m, found, borrow):
        """Number of the beat, to be compared with the length's."""
        start = 1 + self._before(0) // self._width
        count = Signal(16 - (self._width - 1).bit_length(), reset_less=True)
        with m.If(self.valid):
            m.d.sync += count.eq(count + 1)
            with m.If(found):
                m.d.sync += count.eq(Mux(borrow, start + 1, start))
        return count
