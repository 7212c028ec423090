"""Stage 2 of the parser: what the sums and the end-to-end check are to add.

Bytes are looked at in their lanes; a lane's byte belongs to the word that its part of the beat
belongs to (8 bytes: lanes 0-1 end word 0, 2-5 are word 1, 6-7 begin word 2).
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .ahead import Ahead
from .datagram import DatagramEnd
from .steps import StateLayout
from .words import BeatLayout, WordLayout, word_lanes

__all__ = ["Cover", "term_bits"]


def term_bits(width: int) -> int:
    """Bits of a term of the sums: bytes are added one by one if they come so."""
    return 8 if width == 1 else 16


class Cover(wiring.Component):
    """Registers each beat's bytes for the sums and for the check, with zeros for all others.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    valid, beat, words : In
        A beat from ``Words``.
    state : In
        The state of the walk in front of it.
    ip_terms : Out
        Terms of the IPv4 header's sum.
    ip_clear : Out(1)
        There is a beat, in front of the IP header.
    udp_terms : Out
        Terms of the UDP sum: addresses and datagram, and the UDP length once more.
    checked : Out(8 * width)
        Bytes of the end-to-end check: addresses and datagram without UDP checksum and INT.
    clear : Out(1)
        There is a beat, in front of the addresses.
    late : Out(1), if ``width`` is 8
        The addresses begin in lane 6 of this beat, not in lane 2 of the next.
    going : Out(1)
        There is a beat, and the datagram has not ended before it.
    cut : Out(1)
        The frame ends before the datagram; behind a last beat, one cycle later than the rest.
    pad : Out(range(width))
        Lanes behind the datagram's end in the beat that held it, when that has passed.

    Timing: latency 1 cycle, a beat every cycle.
    """

    latency = 1

    def __init__(self, *, width: int):
        self._width = width
        lanes = word_lanes(width)
        late = {"late": Out(1)} if width > 4 else {}
        term = Out(term_bits(width))
        super().__init__(
            {
                "valid": In(1),
                "beat": In(BeatLayout(width)),
                "words": In(data.ArrayLayout(WordLayout, lanes)),
                "state": In(StateLayout),
                "ip_terms": term.array(2 * lanes if width >= 4 else 1),
                "ip_clear": Out(1),
                "udp_terms": term.array(max(1, width // 2) + 1),
                "checked": Out(8 * width),
                "clear": Out(1),
                "going": Out(1),
                "cut": Out(1),
                "pad": Out(range(max(2, width))),
            }
            | late
        )

    def elaborate(self, platform):
        m = Module()
        width, here = self._width, self.state.label.header
        m.submodules.end = end = DatagramEnd(width=width)
        ahead = Ahead(m, self.state, [word.hints for word in self.words])
        parts = range(self._part(width - 1) + 1)
        second = [ahead.udp_second(part) for part in parts[:2]]
        self._follow(m, end, second)
        self._masks(m, ahead, parts, second, end.inside)
        self._again(m, end, second[0])
        self._ip_header(m)
        m.d.sync += [
            self.going.eq(self.valid & ~end.over),
            self.ip_clear.eq(self.valid & here.eth),
            self.clear.eq(self.valid & ahead.before_addresses(parts[-1])),
            self.cut.eq(end.cut),
        ]
        if width > 4:
            m.d.sync += self.late.eq(ahead.opens_addresses(parts[-1]))
        m.d.comb += self.pad.eq(end.pad)
        return m

    def _part(self, lane: int) -> int:
        """Number of the word to which the byte in ``lane`` belongs."""
        return (lane + 2) // 4 if self._width >= 4 else 0

    def _low(self, lane: int):
        """The byte in ``lane`` is of the lower half of its word."""
        return lane % 4 < 2 if self._width >= 4 else self.beat.low

    def _follow(self, m, end, second):
        """UDP's second word ends in this beat: so begins its payload, of known length."""
        m.d.comb += [
            end.valid.eq(self.valid),
            end.last.eq(self.beat.packet.last),
            end.keep.eq(self.beat.packet.keep),
        ]
        for lane, word in enumerate(self.words):
            there = 1 if self._width >= 4 else word.there
            m.d.comb += [
                end.header[lane].eq(second[lane] & there),
                end.lengths[lane].eq(word.data[16:]),
                end.hints[lane].eq(word.hints),
            ]

    def _masks(self, m, ahead, parts, second, inside):
        outside = [ahead.outside(part) for part in parts]
        telemetry = [ahead.telemetry(part) for part in parts]
        summed = Signal(8 * self._width, reset_less=True)
        checked = Signal(8 * self._width, reset_less=True)
        for lane in range(self._width):
            part, byte = self._part(lane), self.beat.packet.data.word_select(lane, 8)
            passed = telemetry[part]
            if part < len(second):
                passed |= second[part] & self._low(lane)
            sinks = [bits.word_select(lane, 8) for bits in (summed, checked)]
            self._mask(m, sinks, byte, outside[part], inside[lane], passed)
        m.d.comb += self.checked.eq(checked)
        for term in range(len(self.udp_terms) - 1):
            pair = [summed.word_select(lane, 8) for lane in range(2 * term, 2 * term + 2)]
            m.d.comb += self.udp_terms[term].eq(Cat(*reversed(pair)) if self._width > 1 else summed)

    def _again(self, m, end, second):
        """The UDP length once more: as it passes if bytes are added, else behind the header."""
        again = Signal(term_bits(self._width), reset_less=True)
        if self._width == 1:
            self._register(m, again, self.beat.packet.data, ~second | self.beat.low)
        else:
            m.d.sync += again.eq(end.length)
        m.d.comb += self.udp_terms[len(self.udp_terms) - 1].eq(again)

    def _ip_header(self, m):
        """Words of the IPv4 header; of less than words the bytes as they come."""
        here, last = self.state.label.header, self.state.label.last
        if self._width < 4:
            octets = [self.beat.packet.data.word_select(k, 8) for k in range(self._width)]
            rows = [(Cat(*reversed(octets)), ~here.ip4)]
        else:
            rows = [(self.words[0].data, ~here.ip4)]
        if self._width > 4:  # it begins in lane 1 behind one tag, and may end in lane 0
            inside = here.vlan & ~self.words[0].hints.vlan | here.ip4 & ~last
            rows.append((self.words[1].data, ~inside))
        bits = term_bits(self._width)
        for row, (value, off) in enumerate(rows):
            term = Signal.like(value, name=f"ip_row{row}", reset_less=True)
            self._register(m, term, value, off)
            for k in range(len(value) // bits):
                place = row * len(value) // bits + k
                m.d.comb += self.ip_terms[place].eq(term.word_select(k, bits))

    def _mask(self, m, sinks, byte, outside, inside, passed):
        """Registers ``byte`` for the sum and for the check, or 0.

        In beats of two words by gates: the registers' reset would come too late, as it has to wait
        for the enable, too.
        """
        summed, checked = sinks
        if len(self.words) == 1:
            self._register(m, summed, byte, outside | ~inside)
            self._register(m, checked, byte, outside | ~inside | passed)
            return
        unpassed = Signal()
        covered = ~outside.replicate(8) & inside.replicate(8) & byte
        m.d.comb += unpassed.eq(~passed)
        m.d.sync += [summed.eq(covered), checked.eq(covered & unpassed.replicate(8))]

    @staticmethod
    def _register(m, target, value, off):
        """By the register's reset, which costs nothing."""
        m.d.sync += target.eq(value)
        with m.If(off):
            m.d.sync += target.eq(0)
