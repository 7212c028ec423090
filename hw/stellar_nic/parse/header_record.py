"""Stage 4 of the parser: the header record, from fields and judgements."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.codes import KeyKind, Layer
from stellar_spec.headers import ACK, ADDR, ETHERNET, IMM, IPV6, STELLAR, TCP, UDP

from .capture import FieldsLayout
from .facts import FactsLayout
from .judge import JudgementLayout
from .labels import LabelLayout
from .layouts import HEADER_LAYOUT, INGRESS_LAYOUT
from .tables import lookup

__all__ = ["HeaderRecord"]

_WORD = 4
_LEAD = ETHERNET.size % _WORD  # bytes in front of the words


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
        shown = {
            layer: (judged if layer >= Layer.STELLAR else self.facts)[layer.name.lower()]
            for layer in Layer
        }
        m.d.comb += [
            record.meta.eq(self.meta),
            record.state.layers.eq(Cat(shown[layer] for layer in Layer)),
            record.state.candidate.eq(judged.candidate),
        ]
        self._copies(m)
        ip_words = self._network(m)
        self._offsets(m, ip_words)
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
        """Returns the words of the IP header and the extension headers walked, 0 without IP."""
        ip, fields, six = self.record.ip, self.fields, self.facts.six
        own, words = Signal(4), Signal(7)
        m.d.comb += [
            own.eq(Mux(six, IPV6.size // _WORD, fields.ihl)),
            words.eq(fields.ext_words + Mux(self.facts.ip, own, 0)),
            ip.version.eq(Mux(six, 6, 4)),
            ip.src.eq(fields.src),
            ip.dst.eq(fields.dst),
            ip.dscp.eq(fields.dscp),
            ip.ecn.eq(fields.ecn),
            ip.ttl.eq(fields.ttl),
            ip.protocol.eq(fields.protocol),
            ip.header_length.eq(words << 2),
            ip.total_length.eq(self.judgement.total_length),
            ip.fragment_offset.eq(fields.fragment_offset << 3),
            ip.more_fragments.eq(fields.more_fragments),
        ]
        return words

    def _offsets(self, m, ip_words):
        """All of them are two bytes more than a number of words.

        ``reached``: up to the IP payload, or to where the walk stopped before it.  ``fixed``: the
        transport header, and up to INT if StellarTP is shown.  ``stack``: INT.
        """
        offsets, judged, facts = self.record.offsets, self.judgement, self.facts
        network, shown = Signal(3), Signal(4)
        reached, behind, end = Signal(7), Signal(7), Signal(7)
        fixed, stack = Signal(4), Signal(5)
        m.d.comb += [
            network.eq(lookup(self.tags, lambda tags: ETHERNET.size // _WORD + tags, 3)),
            reached.eq(network + ip_words),
            shown.eq(Cat(judged.stellar, judged.addr, judged.imm, judged.ack)),
            fixed.eq(
                Mux(
                    facts.tcp,
                    lookup(self.fields.tcp_data_offset, lambda k: max(k, TCP.size // _WORD), 4),
                    lookup(shown, self._fixed, 4)
                    | Mux(facts.udp & ~judged.stellar, UDP.size // _WORD, 0),
                )
            ),
            stack.eq(Cat(judged.int, judged.hops)),
            behind.eq(reached + fixed),
            end.eq(behind + stack),
        ]
        for offset, words, there in (
            (offsets.l3, network, facts.eth & ~facts.depth & ~self.pending.header.vlan),
            (offsets.l4, reached, facts.reached),
            (offsets.int, behind, judged.int),
            (offsets.payload, end, facts.eth),
        ):
            m.d.comb += offset.eq(Mux(there, Cat(Const(_LEAD, 2), words), 0))

    @staticmethod
    def _fixed(shown):
        """Words of UDP and StellarTP headers in front of INT, for the bits of ``shown``."""
        headers = [header for bit, header in enumerate((ADDR, IMM, ACK)) if shown >> bit + 1 & 1]
        return sum(header.size for header in (UDP, STELLAR, *headers)) // _WORD if shown & 1 else 0

    def _key(self, m):
        key, fields, judged, facts = self.record.key, self.fields, self.judgement, self.facts
        ports = (facts.udp | facts.tcp) & ~judged.stellar
        five = Mux(facts.six, KeyKind.IPV6_5TUPLE, KeyKind.IPV4_5TUPLE)
        flow = Mux(facts.six, KeyKind.IPV6_STELLAR, KeyKind.IPV4_STELLAR)
        m.d.comb += [
            key.kind.eq(Mux(facts.ip, Mux(judged.stellar, flow, five), KeyKind.NONE)),
            key.protocol.eq(Mux(facts.ip & ~judged.stellar, fields.protocol, 0)),
            key.sport.eq(Mux(ports, fields.sport, 0)),
            key.dport.eq(Mux(ports, fields.dport, 0)),
            key.flow.eq(Mux(judged.stellar, fields.base.flow, 0)),
        ]
