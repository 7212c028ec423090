"""Stage 3 of the parser: fields go from labelled words into registers."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.headers import (
    ACK,
    ADDR,
    ETHERNET,
    IMM,
    INT,
    IPV4,
    IPV6,
    IPV6_EXTENSION,
    IPV6_FRAGMENT,
    STELLAR,
    TCP,
    UDP,
)

from .labelled import LabelledWords, pieces
from .walk import WalkedLayout

__all__ = ["Capture", "FieldsLayout"]


def _row(header):
    return data.StructLayout({field.name: field.width for field in header.fields})


FieldsLayout = data.StructLayout(
    {
        "eth_dst": 48,
        "eth_src": 48,
        "eth_type": 16,
        "tpid0": 16,
        "tci0": 16,
        "tpid1": 16,
        "tci1": 16,
        "src": 128,
        "dst": 128,
        "dscp": 6,
        "ecn": 2,
        "ttl": 8,
        "protocol": 8,
        "length": 16,  # IPv4 total length, IPv6 payload length
        "ihl": 4,
        "fragment_offset": 13,  # in units of 8 bytes
        "more_fragments": 1,
        "ext_words": 7,  # words of the extension headers that were walked
        "sport": 16,
        "dport": 16,
        "udp_length": 16,
        "udp_checksum": 16,
        "tcp_flags": 9,
        "tcp_data_offset": 4,
        "base": _row(STELLAR),
        "addr": _row(ADDR),
        "imm": _row(IMM),
        "ack": _row(ACK),
        "int": _row(INT),
    }
)
"""Fields as they were read, shown or not."""

_LEAD = 16  # bits in front of Ethernet in its first word


def _take(word, header, name):
    """The field ``name``, which lies within the first word of ``header``."""
    ((_, word_slice, _),) = pieces(header, name)
    return word[word_slice]


class Capture(wiring.Component):
    """Registers every field of the header record.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    valid, walked : In
        A labelled beat from ``Walk``.
    fields : Out
        The fields, one cycle later.  Fields of layers that were not read hold old values.

    Timing: latency 1 cycle, a beat every cycle.
    """

    latency = 1

    def __init__(self, *, width: int):
        super().__init__(
            {"valid": In(1), "walked": In(WalkedLayout(width)), "fields": Out(FieldsLayout)}
        )

    def elaborate(self, platform):
        m = Module()
        self._fields = Signal(FieldsLayout, reset_less=True)
        m.d.comb += self.fields.eq(self._fields)
        at = LabelledWords(m, self.valid, self.walked.words, self.walked.labels)
        self._ethernet(m, at)
        self._ipv4(m, at)
        self._ipv6(m, at)
        self._extensions(m, at)
        self._transport(m, at)
        return m

    def _ethernet(self, m, at):
        fields = self._fields
        at.capture(fields.eth_dst, "eth", ETHERNET, "dst", _LEAD)
        at.capture(fields.eth_src, "eth", ETHERNET, "src", _LEAD)
        at.capture(fields.eth_type, "eth", ETHERNET, "type", _LEAD)
        with m.If(self.valid & self.walked.beat.first):
            m.d.sync += [fields[tag].eq(0) for tag in ("tpid0", "tci0", "tpid1", "tci1")]
        # The first tag stands in lane 0 whenever both tags share a beat.
        for lane, hit in enumerate(at.hits("vlan")):
            word = at.words[lane]
            with m.If(hit):
                m.d.sync += fields.eth_type.eq(word[:16])
                if lane:
                    m.d.sync += [fields.tpid1.eq(at.words[0][:16]), fields.tci1.eq(word[16:])]
                else:
                    with m.If(fields.tpid0 == 0):
                        m.d.sync += [fields.tpid0.eq(fields.eth_type), fields.tci0.eq(word[16:])]
                    with m.Else():
                        m.d.sync += [fields.tpid1.eq(fields.eth_type), fields.tci1.eq(word[16:])]

    def _ipv4(self, m, at):
        fields = self._fields
        for target, name in (
            (fields.ihl, "ihl"),
            (fields.dscp, "dscp"),
            (fields.ecn, "ecn"),
            (fields.length, "total_length"),
            (fields.more_fragments, "more_fragments"),
            (fields.fragment_offset, "fragment_offset"),
            (fields.ttl, "ttl"),
            (fields.protocol, "protocol"),
            (fields.src[:32], "src"),
            (fields.dst[:32], "dst"),
        ):
            at.capture(target, "ip4", IPV4, name)
        with m.If(at.hit("ip4", 0)):
            m.d.sync += [fields.src[32:].eq(0), fields.dst[32:].eq(0)]

    def _ipv6(self, m, at):
        fields = self._fields
        for target, name in (
            (fields.dscp, "dscp"),
            (fields.ecn, "ecn"),
            (fields.length, "payload_length"),
            (fields.protocol, "next_header"),
            (fields.ttl, "hop_limit"),
            (fields.src, "src"),
            (fields.dst, "dst"),
        ):
            at.capture(target, "ip6", IPV6, name)

    def _extensions(self, m, at):
        """What an extension header says counts once it has been walked whole.

        A header of two words may begin and end in one beat; else its first word was held.  A beat
        may also end one header and begin the next, so the held word is read before it is replaced.
        """
        fields, room = self._fields, self.walked.room
        held = Signal(32, reset_less=True)
        word = Signal(32)
        opens = at.hits("ext", 0)
        m.d.comb += word.eq(Mux(opens[0], at.words[0], held))
        for lane, hit in enumerate(opens):
            with m.If(hit):
                m.d.sync += held.eq(at.words[lane])
        with m.If(at.hit("ip6", 0)):
            m.d.sync += [
                fields.fragment_offset.eq(0),
                fields.more_fragments.eq(0),
            ]
        with m.If(self.valid & self.walked.beat.first):
            m.d.sync += fields.ext_words.eq(0)
        for hit, label in zip(at.hits("ext", last=True), at.labels, strict=True):
            with m.If(hit & ~(opens[0] & (room.short | room.over))):
                m.d.sync += [
                    fields.protocol.eq(_take(word, IPV6_EXTENSION, "next_header")),
                    fields.ext_words.eq(Mux(opens[0], room.ext_words, room.ext_before)),
                ]
                with m.If(label.kind.fragment):
                    m.d.sync += [
                        fields[name].eq(_take(word, IPV6_FRAGMENT, name))
                        for name in ("fragment_offset", "more_fragments")
                    ]

    def _transport(self, m, at):
        fields = self._fields
        for name in ("sport", "dport"):
            at.capture(fields[name], "udp", UDP, name)
            at.capture(fields[name], "tcp", TCP, name)
        at.capture(fields.udp_length, "udp", UDP, "length")
        at.capture(fields.udp_checksum, "udp", UDP, "checksum")
        at.capture(fields.tcp_flags, "tcp", TCP, "flags")
        at.capture(fields.tcp_data_offset, "tcp", TCP, "data_offset")
        for label, header in (
            ("base", STELLAR),
            ("addr", ADDR),
            ("imm", IMM),
            ("ack", ACK),
            ("int", INT),
        ):
            for field in header.fields:
                at.capture(fields[label][field.name], label, header, field.name)
