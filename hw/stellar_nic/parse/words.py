"""Stage 1 of the parser: beats become 32-bit words.

Every header behind Ethernet starts a multiple of four bytes behind byte 2 of the frame, so words
of bytes 2-5, 6-9, … hold each header whole::

    byte      0 1 2 3 4 5 6 7 8 9 ...
    word      -0- --1---- --2---- ...        (the upper half of word 0 is not part of the frame)

A beat of 8 bytes completes two words, a beat of 4 bytes one; a word takes two beats of 2 bytes or
four of 1.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_nic.stream import PacketLayout

from .decode import ByteLayout, HintsLayout, decode_byte, decode_word
from .layouts import INGRESS_LAYOUT

__all__ = ["BeatLayout", "WordLayout", "Words", "word_lanes"]

WordLayout = data.StructLayout({"data": 32, "there": 1, "hints": HintsLayout})
"""One word: ``data`` with the first byte on the wire in the top bits; ``there``: complete."""


def word_lanes(width: int) -> int:
    """Words that a beat of ``width`` bytes completes at most."""
    return max(1, width // 4)


class BeatLayout(data.StructLayout):
    """A beat inside the parser: the packet stream's payload and what its position tells.

    ``first`` marks a frame's first beat.  ``low``, only in beats of less than a word: it holds
    bytes of the lower half of one.  On a last beat, ``tail`` is the first byte of the word that the
    frame's end cuts, and ``tail_there`` tells whether the frame has that byte.
    """

    def __init__(self, width: int):
        fields = {"packet": PacketLayout(width, INGRESS_LAYOUT), "first": 1}
        fields |= {"tail": 8, "tail_there": 1}
        super().__init__(fields | ({"low": 1} if width < 4 else {}))


class Words(wiring.Component):
    """Registers a beat and shows the words that it completes.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    i_valid, i : In
        A beat that is taken now.
    port : In(16)
        UDP destination port of StellarTP.
    valid, beat, words : Out
        That beat one cycle later, and its words.

    Timing: latency 1 cycle, a beat every cycle, no back-pressure.
    """

    latency = 1

    def __init__(self, *, width: int):
        self._width = width
        super().__init__(
            {
                "i_valid": In(1),
                "i": In(PacketLayout(width, INGRESS_LAYOUT)),
                "port": In(16),
                "valid": Out(1),
                "beat": Out(BeatLayout(width)),
                "words": Out(data.ArrayLayout(WordLayout, word_lanes(width))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = self._width
        packet = Signal(PacketLayout(width, INGRESS_LAYOUT), reset_less=True)
        # The bytes in front of the beat, latest on top.
        before = Signal(data.ArrayLayout(ByteLayout, 3), reset_less=True)
        last_bytes = Signal(data.ArrayLayout(ByteLayout, 3), reset_less=True)  # up to the beat
        known = Signal(data.ArrayLayout(HintsLayout, len(self.words)), reset_less=True)
        first = Signal()
        ended = Signal(init=1)
        coming = [
            decode_byte(m, self.i.data.word_select(lane, 8), f"byte{lane}") for lane in range(width)
        ]
        line = [*last_bytes, *coming]
        hints = self._hints(line)
        m.d.sync += self.valid.eq(self.i_valid)
        with m.If(self.i_valid):
            m.d.sync += [
                packet.eq(self.i),
                before.eq(last_bytes),
                first.eq(ended),
                ended.eq(self.i.last),
            ]
            m.d.sync += [old.eq(new) for old, new in zip(last_bytes, line[-3:], strict=True)]
            for word, found in zip(known, hints, strict=True):
                m.d.sync += [word[name].eq(value) for name, value in found.items()]
        m.d.comb += [word.hints.eq(found) for word, found in zip(self.words, known, strict=True)]
        m.d.comb += [self.beat.packet.eq(packet), self.beat.first.eq(first)]
        line = [byte.value for byte in before]
        line += [packet.data.word_select(lane, 8) for lane in range(width)]
        if width >= 4:
            self._whole_words(m, packet.keep, line)
        else:
            self._part_words(m, packet.keep, line, ended)
        return m

    def _hints(self, line):
        """For each word of the beat that comes: what it says."""
        if self._width < 4:
            return [decode_word(line[-4:], self.port)]
        starts = range(1, self._width, 4)
        return [decode_word(line[start : start + 4], self.port) for start in starts]

    def _whole_words(self, m, keep, line):
        """Word k of a beat ends with the beat's byte 4k + 1, which stands at ``line[4k + 4]``."""
        for k in range(word_lanes(self._width)):
            m.d.comb += [
                self.words[k].data.eq(Cat(*reversed(line[4 * k + 1 : 4 * k + 5]))),
                self.words[k].there.eq(keep[4 * k + 1]),
            ]
        # The cut word is the first that is not there; the first of all began a beat earlier.
        m.d.comb += [self.beat.tail.eq(line[1]), self.beat.tail_there.eq(1)]
        for start in range(2, self._width, 4):
            with m.If(keep[start - 1]):
                m.d.comb += [
                    self.beat.tail.eq(line[3 + start]),
                    self.beat.tail_there.eq(keep[start]),
                ]

    def _part_words(self, m, keep, line, ended):
        """A word takes several beats; ``position`` is the beat's place in the frame modulo 4."""
        width = self._width
        position = Signal(2)
        with m.If(self.i_valid):
            m.d.sync += position.eq(Mux(ended, 0, position + width))
        low = ~position[1]
        complete = Signal()
        m.d.comb += [
            complete.eq(low & keep[-1] & (position[0] if width == 1 else 1)),
            self.beat.low.eq(low),
            self.words[0].there.eq(complete),
            self.words[0].data.eq(Cat(*reversed(line[-4:]))),
            self.beat.tail_there.eq(~complete),
        ]
        # The cut word began at place 2, which is `position - 2` modulo 4 bytes ago.
        for place in range(0, 4, width):
            with m.If(position == place):
                m.d.comb += self.beat.tail.eq(line[3 - (place - 2) % 4])
