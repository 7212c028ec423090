"""The parser's stages without handshakes: one beat in every cycle in which they are enabled."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_nic.stream import PacketLayout
from stellar_spec.codes import Protocol

from .capture import Capture
from .cover import Cover
from .crc import MaskedCrc32
from .facts import Facts
from .header_record import HeaderRecord
from .judge import Judge
from .labelled import LabelledWords
from .layouts import HEADER_LAYOUT, INGRESS_LAYOUT, SETTINGS_LAYOUT, TRAILER_LAYOUT
from .room import Room
from .sums import OnesSum
from .trailer_record import TrailerRecord
from .walk import Walk
from .words import Words, word_lanes

__all__ = ["Pipeline"]


class Pipeline(wiring.Component):
    """Words, labels, facts, judgement, records.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    i_valid, i : In
        A beat that is taken now.
    settings : In
        The parser's settings.
    header_due, header : Out
        The header record is ready; layers that are not shown hold anything.
    trailer_due, trailer : Out
        The trailer record is ready.

    Timing: ``latency`` cycles from a beat to the records that it completes; a beat every cycle.
    """

    latency = Words.latency + Walk.latency + Facts.latency

    def __init__(self, *, width: int):
        self._width = width
        super().__init__(
            {
                "i_valid": In(1),
                "i": In(PacketLayout(width, INGRESS_LAYOUT)),
                "settings": In(SETTINGS_LAYOUT),
                "header_due": Out(1),
                "header": Out(HEADER_LAYOUT),
                "trailer_due": Out(1),
                "trailer": Out(TRAILER_LAYOUT),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = self._width
        m.submodules.words = words = Words(width=width)
        m.submodules.walk = walk = Walk(width=width)
        m.submodules.room = room = Room(width=width)
        m.submodules.capture = capture = Capture(width=width)
        m.submodules.facts = facts = Facts(width=width)
        m.submodules.cover = cover = Cover(width=width)
        m.submodules.ip_sum = ip_sum = OnesSum(terms=2 * word_lanes(width))
        m.submodules.udp_sum = udp_sum = OnesSum(
            terms=max(1, width // 2) + 1, start=int(Protocol.UDP)
        )
        m.submodules.check = check = MaskedCrc32(width=width)
        m.submodules.judge = judge = Judge()
        m.submodules.header_record = header = HeaderRecord()
        m.submodules.trailer_record = trailer = TrailerRecord()
        m.d.comb += [
            words.i_valid.eq(self.i_valid),
            words.i.eq(self.i),
            walk.valid.eq(words.valid),
            walk.beat.eq(words.beat),
            walk.words.eq(words.words),
            words.port.eq(self.settings.stellar_port),
            walk.stop.eq(facts.stop),
            room.valid.eq(walk.o_valid),
            room.walked.eq(walk.o),
            room.length.eq(capture.fields.length),
            room.ihl.eq(capture.fields.ihl),
            room.six.eq(facts.facts.six),
            room.protocol.eq(capture.fields.protocol),
            room.ended.eq(facts.ended),
            capture.room.eq(room.room),
            facts.room.eq(room.room),
        ]
        for block in (capture, facts, cover):
            m.d.comb += [block.valid.eq(walk.o_valid), block.walked.eq(walk.o)]
        self._ip_sum(m, walk, ip_sum)
        self._udp_sum(m, walk, cover, udp_sum)
        self._check(m, walk, cover, check)
        for block in (judge, trailer):
            m.d.comb += [
                block.valid.eq(facts.o_valid),
                block.events.eq(facts.events),
                block.port.eq(facts.port),
                block.ip_sum_right.eq(ip_sum.right),
            ]
        for block in (judge, header, trailer):
            m.d.comb += [
                block.facts.eq(facts.facts),
                block.pending.eq(facts.pending),
                block.fields.eq(capture.fields),
            ]
        for block in (header, trailer):
            m.d.comb += [block.judgement.eq(judge.judgement), block.tags.eq(facts.tags)]
        meta = Signal(INGRESS_LAYOUT, reset_less=True)
        m.d.sync += meta.eq(walk.o.beat.packet.meta)
        m.d.comb += [
            judge.ip_words.eq(room.room.left),
            judge.settings.eq(self.settings),
            header.meta.eq(meta),
            trailer.length.eq(facts.length),
            trailer.kept.eq(facts.kept),
            trailer.datagram_left.eq(cover.left),
            trailer.udp_sum_right.eq(udp_sum.right),
            trailer.check_right.eq(check.right),
            trailer.max_length.eq(self.settings.max_length),
            trailer.check_flag.eq(self.settings.check_flag),
            self.header_due.eq(judge.due),
            self.header.eq(header.record),
            self.trailer_due.eq(facts.o_valid & facts.events.last),
            self.trailer.eq(trailer.record),
        ]
        return m

    def _ip_sum(self, m, walk, ip_sum):
        """The words of an IPv4 header, halved."""
        at = LabelledWords(m, walk.o)
        hits = at.hits("ip4")
        for lane, word in enumerate(at.words):
            for half in range(2):
                term = Mux(hits[lane], word.word_select(half, 16), 0)
                m.d.comb += ip_sum.terms[2 * lane + half].eq(term)
        m.d.comb += [ip_sum.valid.eq(walk.o_valid), ip_sum.first.eq(walk.o.beat.first)]

    def _udp_sum(self, m, walk, cover, udp_sum):
        """The covered bytes as 16-bit words, which begin at even bytes of the frame."""
        beat = walk.o.beat
        covered = [
            Mux(cover.sum[lane], beat.packet.data.word_select(lane, 8), 0)
            for lane in range(self._width)
        ]
        if self._width == 1:
            odd = Signal()
            with m.If(walk.o_valid):
                m.d.sync += odd.eq(beat.first | ~odd)
            m.d.comb += udp_sum.terms[0].eq(covered[0] << Mux(odd & ~beat.first, 0, 8))
        for half in range(self._width // 2):
            term = covered[2 * half] << 8 | covered[2 * half + 1]
            m.d.comb += udp_sum.terms[half].eq(term)
        m.d.comb += [
            udp_sum.valid.eq(walk.o_valid),
            udp_sum.first.eq(beat.first),
            udp_sum.terms[len(udp_sum.terms) - 1].eq(cover.length_again),
        ]

    def _check(self, m, walk, cover, check):
        m.d.comb += [
            check.valid.eq(walk.o_valid & ~cover.over),
            check.first.eq(walk.o.beat.first),
            check.data.eq(walk.o.beat.packet.data),
            check.mask.eq(cover.check),
            check.invert.eq(cover.invert),
            check.pad.eq(cover.pad),
        ]
