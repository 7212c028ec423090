"""Stage 4 of the parser: the two records, from fields and judgements."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.codes import Flag, KeyKind, Layer, Reason, Verdict
from stellar_spec.headers import ACK, ADDR, ETHERNET, IMM, INT, INT_HOP, IPV6, STELLAR, TCP, UDP

from .capture import FieldsLayout
from .facts import EventsLayout, FactsLayout
from .judge import JudgementLayout
from .labels import LabelLayout
from .layouts import HEADER_LAYOUT, INGRESS_LAYOUT, TRAILER_LAYOUT

__all__ = ["HeaderRecord", "TrailerRecord"]

_WORD = 4


class HeaderRecord(wiring.Component):
    """Writes the header record.

    Members
    -------
    facts, pending, fields, judgement, tags, meta : In
        What is known of the frame.
    record : Out
        The record.  A layer that ``record.state.layers`` does not show may hold anything; it is
        cleared where the record is registered.

    Timing: combinational.
    """

    def __init__(self):
        super().__init__(
            {
                "facts": In(FactsLayout),
                "pending": In(LabelLayout),
                "fields": In(FieldsLayout),
                "judgement": In(JudgementLayout),
                "tags": In(2),
                "meta": In(INGRESS_LAYOUT),
                "record": Out(HEADER_LAYOUT),
            }
        )

    def elaborate(self, platform):
        m = Module()
        record, judged = self.record, self.judgement
        shown = {layer: judged[layer.name.lower()] for layer in Layer}
        m.d.comb += [
            record.meta.eq(self.meta),
            record.state.layers.eq(Cat(shown[layer] for layer in Layer)),
            record.state.candidate.eq(judged.candidate),
        ]
        self._copies(m)
        header_length = self._network(m)
        self._offsets(m, header_length)
        self._key(m)
        return m

    def _copies(self, m):
        record, fields = self.record, self.fields
        m.d.comb += [
            record.eth.dst.eq(fields.eth_dst),
            record.eth.src.eq(fields.eth_src),
            record.eth.type.eq(fields.eth_type),
            record.eth.vlan_count.eq(self.tags),
            record.eth.vlan0_tpid.eq(fields.tpid0),
            Cat(record.eth.vlan0_vid, record.eth.vlan0_dei, record.eth.vlan0_pcp).eq(fields.tci0),
            record.eth.vlan1_tpid.eq(fields.tpid1),
            Cat(record.eth.vlan1_vid, record.eth.vlan1_dei, record.eth.vlan1_pcp).eq(fields.tci1),
            record.udp.sport.eq(fields.sport),
            record.udp.dport.eq(fields.dport),
            record.udp.length.eq(fields.udp_length),
            record.udp.checksum.eq(fields.udp_checksum),
            record.tcp.sport.eq(fields.sport),
            record.tcp.dport.eq(fields.dport),
            record.tcp.flags.eq(fields.tcp_flags),
            record.tcp.data_offset.eq(fields.tcp_data_offset),
            record.stellar.eq(fields.base),
            record.addr.eq(fields.addr),
            record.imm.eq(fields.imm),
            record.ack.eq(fields.ack),
            record.int.eq(fields.int),
        ]

    def _network(self, m):
        ip, fields, six = self.record.ip, self.fields, self.facts.six
        header_length = Signal(9)
        m.d.comb += [
            header_length.eq(Mux(six, (fields.ext_words << 2) + IPV6.size, fields.ihl << 2)),
            ip.version.eq(Mux(six, 6, 4)),
            ip.src.eq(fields.src),
            ip.dst.eq(fields.dst),
            ip.dscp.eq(fields.dscp),
            ip.ecn.eq(fields.ecn),
            ip.ttl.eq(fields.ttl),
            ip.protocol.eq(fields.protocol),
            ip.header_length.eq(header_length),
            ip.total_length.eq(fields.length + Mux(six, IPV6.size, 0)),
            ip.fragment_offset.eq(fields.fragment_offset << 3),
            ip.more_fragments.eq(fields.more_fragments),
        ]
        return header_length

    def _offsets(self, m, header_length):
        offsets, judged, facts = self.record.offsets, self.judgement, self.facts
        network, transport = Signal(5), Signal(9)
        fixed, stack, skipped = Signal(4), Signal(5), Signal(6)
        data_offset = self.fields.tcp_data_offset
        least = TCP.size // _WORD
        m.d.comb += [
            network.eq(ETHERNET.size + (self.tags << 2)),
            transport.eq(network + header_length),
            fixed.eq(
                Mux(judged.addr, ADDR.size // _WORD, 0)
                + Mux(judged.imm, IMM.size // _WORD, 0)
                + Mux(judged.ack, ACK.size // _WORD, 0)
            ),
            stack.eq(Mux(judged.int, INT.size // _WORD + judged.hops * (INT_HOP.size // _WORD), 0)),
        ]
        with m.If(judged.tcp):
            m.d.comb += skipped.eq(Mux(data_offset < least, least, data_offset))
        with m.Elif(judged.stellar):
            m.d.comb += skipped.eq((UDP.size + STELLAR.size) // _WORD + fixed + stack)
        with m.Elif(judged.udp):
            m.d.comb += skipped.eq(UDP.size // _WORD)
        with m.If(judged.eth & ~facts.depth & ~self.pending.header.vlan):
            m.d.comb += offsets.l3.eq(network)
        with m.If(facts.reached):
            m.d.comb += offsets.l4.eq(transport)
        with m.If(judged.int):
            behind = (UDP.size + STELLAR.size) + (fixed << 2)
            m.d.comb += offsets.int.eq(transport + behind)
        with m.If(judged.eth):
            m.d.comb += offsets.payload.eq(Mux(judged.ip, transport, network) + (skipped << 2))

    def _key(self, m):
        key, fields, judged = self.record.key, self.fields, self.judgement
        with m.If(judged.ip):
            kind = Mux(
                self.facts.six,
                Mux(judged.stellar, KeyKind.IPV6_STELLAR, KeyKind.IPV6_5TUPLE),
                Mux(judged.stellar, KeyKind.IPV4_STELLAR, KeyKind.IPV4_5TUPLE),
            )
            m.d.comb += key.kind.eq(kind)
            with m.If(judged.stellar):
                m.d.comb += key.flow.eq(fields.base.flow)
            with m.Else():
                m.d.comb += key.protocol.eq(fields.protocol)
                with m.If(judged.udp | judged.tcp):
                    m.d.comb += [key.sport.eq(fields.sport), key.dport.eq(fields.dport)]


class TrailerRecord(wiring.Component):
    """Writes the trailer record (steps 9 and 10 of docs/parser.md).

    Members
    -------
    events, facts, pending, fields, judgement, tags, length : In
        What is known of the frame at its last beat.
    cut : In(1)
        The frame's end cut off a part of the UDP datagram.
    ip_sum_right, udp_sum_right, check_right : In(1)
        The sums' and the end-to-end check's verdicts.
    max_length, check_flag, stellar_port : In
        Settings.
    record : Out
        The record.

    Timing: combinational, but for the end of the IP packet, which is registered: it is known beats
    before the frame's end.
    """

    def __init__(self):
        super().__init__(
            {
                "events": In(EventsLayout),
                "facts": In(FactsLayout),
                "pending": In(LabelLayout),
                "fields": In(FieldsLayout),
                "judgement": In(JudgementLayout),
                "tags": In(2),
                "length": In(17),
                "cut": In(1),
                "ip_sum_right": In(1),
                "udp_sum_right": In(1),
                "check_right": In(1),
                "max_length": In(17),
                "check_flag": In(1),
                "stellar_port": In(16),
                "record": Out(TRAILER_LAYOUT),
            }
        )

    def elaborate(self, platform):
        m = Module()
        flags = {flag: Signal(name=flag.name.lower()) for flag in Flag}
        candidate = self._lengths(m, flags)
        self._network(m, flags)
        self._sums(m, flags, candidate)
        m.d.comb += [
            self.record.flags.eq(Cat(flags[flag] for flag in Flag)),
            self.record.length.eq(self.length),
            self.record.candidate.eq(candidate),
        ]
        self._verdict(m, flags, candidate)
        return m

    def _lengths(self, m, flags):
        facts, fields, judged = self.facts, self.fields, self.judgement
        end = Signal(17)
        beyond, within, candidate = Signal(), Signal(), Signal()
        start = ETHERNET.size + (self.tags << 2)
        m.d.sync += end.eq(start + fields.length + Mux(facts.six, IPV6.size, 0))
        known = facts.ip & ~facts.jumbogram
        m.d.comb += [
            beyond.eq(known & (end > self.length)),
            within.eq(known & (end < self.length)),
            flags[Flag.OVERSIZE].eq(self.length > self.max_length),
            flags[Flag.IP_LENGTH].eq(beyond | facts.short),
            flags[Flag.PADDED].eq(within & ~facts.short),
            candidate.eq(judged.candidate & (judged.trimmed | ~beyond)),
        ]
        return candidate

    def _network(self, m, flags):
        facts, judged, cut = self.facts, self.judgement, self.pending.header
        four = facts.ip & ~facts.six
        m.d.comb += [
            flags[Flag.ETH_TRUNCATED].eq(cut.eth | cut.vlan),
            flags[Flag.VLAN_DEPTH].eq(facts.depth),
            flags[Flag.IP_TRUNCATED].eq(cut.ip4 | cut.ip6 | cut.ext),
            flags[Flag.IP_VERSION].eq(facts.bad_version),
            flags[Flag.IPV4_IHL].eq(facts.bad_ihl),
            flags[Flag.IPV4_OPTIONS].eq(four & (self.fields.ihl > 5)),
            flags[Flag.IPV4_CHECKSUM].eq(four & ~self.ip_sum_right),
            flags[Flag.FRAGMENT].eq(judged.fragment),
            flags[Flag.IPV6_EXTENSIONS].eq(facts.extensions),
            flags[Flag.EXT_LIMIT].eq(facts.over),
            flags[Flag.L4_TRUNCATED].eq(facts.no_room | cut.udp | cut.tcp),
        ]

    def _sums(self, m, flags, candidate):
        facts, fields, judged = self.facts, self.fields, self.judgement
        zero = fields.udp_checksum == 0
        absent = zero & (~facts.six | (fields.dport == self.stellar_port))
        present = facts.udp & ~judged.udp_length & ~absent
        hidden = Cat(
            judged.fragment,
            facts.source_route,
            facts.segments_left,
            facts.home_address,
            facts.jumbogram,
            judged.trimmed,
            self.cut,
        ).any()
        unjudged = judged.trimmed | judged.other_version | judged.truncated
        m.d.comb += [
            flags[Flag.UDP_LENGTH].eq(judged.udp_length),
            flags[Flag.UDP_CHECKSUM].eq(present & (zero | ~hidden & ~self.udp_sum_right)),
            flags[Flag.UNVERIFIED].eq(present & ~zero & hidden),
            flags[Flag.TRIMMED].eq(candidate & judged.trimmed),
            flags[Flag.STELLAR_VERSION].eq(candidate & judged.other_version),
            flags[Flag.STELLAR_CHECK].eq(candidate & ~unjudged & ~self.check_right),
        ]

    def _verdict(self, m, flags, candidate):
        judged, record = self.judgement, self.record
        drops = (
            (flags[Flag.UDP_CHECKSUM], Reason.UDP_CHECKSUM),
            (judged.truncated, Reason.STELLAR_TRUNCATED),
            (judged.bad_opcode, Reason.STELLAR_OPCODE),
            (judged.bad_extension, Reason.STELLAR_EXTENSION),
            (flags[Flag.STELLAR_CHECK] & ~self.check_flag, Reason.STELLAR_CHECK),
        )
        m.d.comb += record.verdict.eq(Verdict.STELLAR)
        for condition, reason in reversed(drops):
            with m.If(condition):
                m.d.comb += [record.verdict.eq(Verdict.DROP), record.reason.eq(reason)]
        with m.If(~candidate | judged.other_version):
            m.d.comb += [record.verdict.eq(Verdict.HOST), record.reason.eq(Reason.NONE)]
        with m.If(self.events.error):
            m.d.comb += [record.verdict.eq(Verdict.DROP), record.reason.eq(Reason.MAC_ERROR)]
