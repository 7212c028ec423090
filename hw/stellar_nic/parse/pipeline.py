"""The parser's stages without handshakes: one beat in every cycle in which they are enabled."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_nic.stream import PacketLayout
from stellar_spec.codes import Protocol

from .capture import Capture
from .cover import Cover, term_bits
from .crc import MaskedCrc32
from .datagrams import UdpLength
from .facts import Facts
from .header_record import HeaderRecord
from .judge import Judge
from .layouts import HEADER_LAYOUT, INGRESS_LAYOUT, SETTINGS_LAYOUT, TRAILER_LAYOUT
from .places import Places
from .room import Room
from .rule import Rule
from .sums import OnesSum
from .trailer_record import TrailerRecord
from .walk import Walk
from .words import Words

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
    starts, opens : Out(1)
        A frame's first beat is one stage in front of the records; is at the records.
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
                "starts": Out(1),
                "opens": Out(1),
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
        m.submodules.ip_sum = ip_sum = OnesSum(terms=len(cover.ip_terms), bits=term_bits(width))
        m.submodules.udp_sum = udp_sum = OnesSum(
            terms=len(cover.udp_terms), bits=term_bits(width), start=int(Protocol.UDP)
        )
        m.submodules.check = check = MaskedCrc32(width=width)
        m.submodules.places = places = Places(width=width)
        m.submodules.udp_length = udp_length = UdpLength(width=width)
        m.submodules.rule = rule = Rule(width=width)
        m.submodules.judge = judge = Judge()
        m.submodules.header_record = header = HeaderRecord(width=width)
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
            room.ihl.eq(capture.fields.ihl),
            room.protocol.eq(capture.fields.protocol),
        ]
        for block in (capture, facts, places, udp_length, rule):
            m.d.comb += [block.valid.eq(walk.o_valid), block.walked.eq(walk.o)]
        for block in (capture, facts, places, udp_length):
            m.d.comb += block.room.eq(room.room)
        for block in (room, places, udp_length, rule):
            m.d.comb += block.ended.eq(facts.ended)
        for block in (room, places):
            m.d.comb += [block.length.eq(capture.fields.length), block.six.eq(facts.facts.six)]
        self._payload(m, words, walk, cover, (ip_sum, udp_sum, check))
        for block in (judge, trailer):
            m.d.comb += [
                block.events.eq(facts.events),
                block.lengths.eq(udp_length.lengths),
                block.ip_sum_right.eq(ip_sum.right),
            ]
        for block in (judge, header, trailer):
            m.d.comb += [block.facts.eq(facts.facts), block.fields.eq(capture.fields)]
        for block in (header, trailer):
            m.d.comb += [
                block.pending.eq(facts.pending),
                block.judgement.eq(judge.judgement),
                block.places.eq(places.places),
            ]
        meta = Signal(INGRESS_LAYOUT, reset_less=True)
        m.d.sync += meta.eq(walk.o.beat.packet.meta)
        m.d.comb += [
            judge.valid.eq(facts.o_valid),
            judge.rule.eq(rule.rule),
            places.tags.eq(facts.tags),
            udp_length.odd_bytes.eq(capture.fields.length[:2]),
            udp_length.trimmed.eq(judge.trimmed),
            header.tags.eq(facts.tags),
            trailer.port.eq(facts.port),
            judge.settings.eq(self.settings),
            header.meta.eq(meta),
            trailer.cut.eq(cover.cut),
            trailer.udp_sum_right.eq(udp_sum.right),
            trailer.check_right.eq(check.right),
            trailer.max_length.eq(self.settings.max_length),
            trailer.check_flag.eq(self.settings.check_flag),
            self.starts.eq(walk.o.starts),
            self.opens.eq(facts.opens),
            self.header_due.eq(judge.due),
            self.header.eq(header.record),
            self.trailer_due.eq(facts.o_valid & facts.events.last),
            self.trailer.eq(trailer.record),
        ]
        return m

    @staticmethod
    def _payload(m, words, walk, cover, sums):
        """What is added up: IPv4 header, UDP datagram, and the end-to-end check's bytes."""
        ip_sum, udp_sum, check = sums
        m.d.comb += [
            cover.valid.eq(words.valid),
            cover.beat.eq(words.beat),
            cover.words.eq(words.words),
            cover.state.eq(walk.state),
            ip_sum.valid.eq(walk.o_valid),
            ip_sum.clear.eq(cover.ip_clear),
            check.data.eq(cover.checked),
            check.pad.eq(cover.pad),
        ]
        for block in (udp_sum, check):
            m.d.comb += [block.valid.eq(cover.going), block.clear.eq(cover.clear)]
        for block, terms in ((ip_sum, cover.ip_terms), (udp_sum, cover.udp_terms)):
            for target, term in zip(block.terms, terms, strict=True):
                m.d.comb += target.eq(term)
        if "late" in check.signature.members:
            m.d.comb += check.late.eq(cover.late)
