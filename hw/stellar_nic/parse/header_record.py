"""Stage 4 of the parser: the header record, from fields and judgements."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.codes import KeyKind, Layer
from stellar_spec.headers import ETHERNET, TCP

from .capture import FieldsLayout
from .facts import FactsLayout
from .judge import JudgementLayout
from .labels import LabelLayout
from .layouts import HEADER_LAYOUT, INGRESS_LAYOUT
from .places import PLACE_BITS, PlacesLayout
from .tables import lookup

__all__ = ["HeaderRecord"]

_WORD = 4
_LEAD = ETHERNET.size % _WORD  # bytes in front of the words


class HeaderRecord(wiring.Component):
    """Writes the header record.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    facts, pending, fields, judgement, tags, places, meta : In
        What is known of the frame.
    record : Out
        The record.  A layer that ``record.state.layers`` does not show may hold anything; it is
        cleared where the record is registered.

    Timing: combinational.
    """

    def __init__(self, *, width: int):
        self._width = width
        super().__init__(
            {
                "facts": In(FactsLayout),
                "pending": In(LabelLayout),
                "fields": In(FieldsLayout),
                "judgement": In(JudgementLayout),
                "tags": In(2),
                "places": In(PlacesLayout),
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
        self._network(m)
        self._offsets(m)
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
        m.d.comb += [
            ip.version.eq(Mux(six, 6, 4)),
            ip.src.eq(fields.src),
            ip.dst.eq(fields.dst),
            ip.dscp.eq(fields.dscp),
            ip.ecn.eq(fields.ecn),
            ip.ttl.eq(fields.ttl),
            ip.protocol.eq(fields.protocol),
            ip.header_length.eq(Mux(six, fields.header_words, fields.ihl) << 2),
            ip.total_length.eq(self.judgement.total_length),
            ip.fragment_offset.eq(fields.fragment_offset << 3),
            ip.more_fragments.eq(fields.more_fragments),
        ]

    def _offsets(self, m):
        """All of them are two bytes more than a number of words.

        Behind TCP and INT, whose lengths stand in them, they must be added up: for both, since
        which it is, is known late.
        """
        offsets, judged, facts, places = (
            self.record.offsets,
            self.judgement,
            self.facts,
            self.places,
        )
        network = Signal(3)
        last = Signal(PLACE_BITS)
        tcp = Signal(PLACE_BITS)
        telemetry = Signal(PLACE_BITS)
        words = lookup(self.fields.tcp_data_offset, lambda k: max(k, TCP.size // _WORD), 4)
        m.d.comb += [
            network.eq(lookup(self.tags, lambda tags: ETHERNET.size // _WORD + tags, 3)),
            tcp.eq(places.chain + words),
            telemetry.eq(places.telemetry + Cat(1, judged.hops)),
            last.eq(Mux(judged.stellar, places.base, places.network)),
        ]
        with m.If(judged.addr | judged.imm | judged.ack):
            m.d.comb += last.eq(places.extension)
        with m.If(facts.tcp):
            m.d.comb += last.eq(tcp)
        with m.If(judged.int):
            m.d.comb += last.eq(telemetry)
        for offset, words, there in (
            (offsets.l3, network, facts.eth & ~facts.depth & ~self.pending.header.vlan),
            (offsets.l4, places.chain, facts.reached),
            (offsets.int, places.telemetry, judged.int),
            (offsets.payload, last, facts.eth),
        ):
            value = Cat(Const(_LEAD, 2), words)
            # A choice of 0 becomes a reset, which costs less, but is too late in wide beats.
            masked = value & there.replicate(len(offset))
            m.d.comb += offset.eq(masked if self._width > 4 else Mux(there, value, 0))

    def _key(self, m):
        key, fields, judged, facts = self.record.key, self.fields, self.judgement, self.facts
        ports = facts.ports & ~judged.stellar
        five = Mux(facts.six, KeyKind.IPV6_5TUPLE, KeyKind.IPV4_5TUPLE)
        flow = Mux(facts.six, KeyKind.IPV6_STELLAR, KeyKind.IPV4_STELLAR)
        m.d.comb += [
            key.kind.eq(Mux(facts.ip, Mux(judged.stellar, flow, five), KeyKind.NONE)),
            key.protocol.eq(Mux(facts.ip & ~judged.stellar, fields.protocol, 0)),
            key.sport.eq(Mux(ports, fields.sport, 0)),
            key.dport.eq(Mux(ports, fields.dport, 0)),
            key.flow.eq(Mux(judged.stellar, fields.base.flow, 0)),
        ]
