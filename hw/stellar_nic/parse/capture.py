"""Stage 3 of the parser: fields go from labelled words into registers."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
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

from .labelled import LabelledWords, SortedWords, pieces, register, telemetry_words
from .room import RoomLayout
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
        "fragmented": 1,  # one of both is not 0
        "header_words": 7,  # words of the IPv6 header and the extension headers that were walked
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
    room : In
        What ``Room`` says of it.
    fields : Out
        The fields, one cycle later.  Fields of layers that were not read hold old values.

    Timing: latency 1 cycle, a beat every cycle.
    """

    latency = 1

    def __init__(self, *, width: int):
        super().__init__(
            {
                "valid": In(1),
                "walked": In(WalkedLayout(width)),
                "room": In(RoomLayout),
                "fields": Out(FieldsLayout),
            }
        )

    def elaborate(self, platform):
        m = Module()
        self._fields = Signal(FieldsLayout, reset_less=True)
        m.d.comb += self.fields.eq(self._fields)
        self._ethernet(m)
        self._network(m)
        self._transport(m)
        return m

    def _ethernet(self, m):
        """Ethernet and its tags begin in the same lane of every frame."""
        fields, walked = self._fields, self.walked
        at = SortedWords(m, walked, "eth", {"eth": 0}, Const(0))
        first, second = walked.found[0].vlan, walked.found[-1].vlan
        previous = walked.words[0].data[:16]  # in front of the second tag
        if len(walked.words) == 1:
            first, second = (
                first & (walked.state.learnt.tags == 1),
                first & (walked.state.learnt.tags == 2),
            )
            previous = fields.eth_type
        words = [walked.words[0].data, walked.words[-1].data]
        types = [
            (slice(0, 16), second, words[1][:16]),
            (slice(0, 16), first & ~second, words[0][:16]),
        ]
        register(m, fields.eth_dst, at.sources("eth", ETHERNET, "dst", _LEAD))
        register(m, fields.eth_src, at.sources("eth", ETHERNET, "src", _LEAD))
        register(m, fields.eth_type, at.sources("eth", ETHERNET, "type", _LEAD), types)
        with m.If(first):
            m.d.sync += [fields.tpid0.eq(fields.eth_type), fields.tci0.eq(words[0][16:])]
        with m.If(second):
            m.d.sync += [fields.tpid1.eq(previous), fields.tci1.eq(words[1][16:])]
        with m.If(walked.starts):
            m.d.sync += [fields[tag].eq(0) for tag in ("tpid0", "tci0", "tpid1", "tci1")]
            m.d.sync += fields.header_words.eq(IPV6.size // 4)

    def _network(self, m):
        fields = self._fields
        at = SortedWords(
            m, self.walked, "ip", {"ip4": 0, "ip6": 0}, self.walked.state.learnt.tags[0]
        )
        walked, extension, offset = self._extension(m)
        fragment = self.room.fragment
        for name, four, six, *more in (
            ("dscp", "dscp", "dscp"),
            ("ecn", "ecn", "ecn"),
            ("ttl", "ttl", "hop_limit"),
            ("length", "total_length", "payload_length"),
            ("src", "src", "src"),
            ("dst", "dst", "dst"),
            ("protocol", "protocol", "next_header", (walked, IPV6_EXTENSION, "next_header")),
            ("ihl", "ihl", None),
            (
                "fragment_offset",
                "fragment_offset",
                None,
                (fragment, IPV6_FRAGMENT, "fragment_offset"),
            ),
            ("more_fragments", "more_fragments", None, (fragment, IPV6_FRAGMENT, "more_fragments")),
        ):
            sources = [at.sources("ip4", IPV4, four)]
            if six is not None:
                sources.append(at.sources("ip6", IPV6, six))
            for hit, header, field in more:
                sources.append(
                    [(slice(0, len(fields[name])), hit, _take(extension, header, field))]
                )
            register(m, fields[name], *sources)
        self._fragmented(m, fragment, offset)
        # What only one of both IP headers brings.
        with m.If(self.walked.starts):
            m.d.sync += fields.fragmented.eq(0)
            m.d.sync += [fields.src[32:].eq(0), fields.dst[32:].eq(0)]
            m.d.sync += [fields.fragment_offset.eq(0), fields.more_fragments.eq(0)]

    def _fragmented(self, m, fragment, offset):
        """A fragment, by IPv4's word 1 or by a fragment header that was walked."""
        at = LabelledWords(m, self.walked)
        ((_, place, _),) = pieces(IPV4, "more_fragments")
        four = at.hits("ip4", 1)
        with m.If(four.any() | fragment):
            parts = [at.hints[lane].offset4 | at.words[lane][place] for lane in at.lanes]
            part = Cat(hit & bit for hit, bit in zip(four, parts, strict=True)).any()
            m.d.sync += self._fields.fragmented.eq(Mux(four.any(), part, offset))

    def _extension(self, m):
        """What an extension header says counts once it has been walked whole.

        A header of two words may begin and end in one beat; else its first word was held.  A beat
        may also end one header and begin the next, so the held word is read before it is replaced.

        Returns when one has been walked, its first word, and whether that is of a fragment, if it
        is a fragment header.
        """
        at = LabelledWords(m, self.walked)
        held = Signal(32, reset_less=True)
        word = Signal(32)
        opens, walked = at.hits("ext", 0), self.room.whole
        # Of a fragment header the word says whether anything is set in it.
        ((_, more, _),) = pieces(IPV6_FRAGMENT, "more_fragments")
        parts = [hints.offset6 | text[more] for hints, text in zip(at.hints, at.words, strict=True)]
        held_part = Signal(reset_less=True)
        m.d.comb += word.eq(Mux(opens[0], at.words[0], held))
        with m.If(opens.any()):
            m.d.sync += held.eq(Mux(opens[-1], at.words[-1], at.words[0]))
            m.d.sync += held_part.eq(Mux(opens[-1], parts[-1], parts[0]))
        with m.If(walked):
            m.d.sync += self._fields.header_words.eq(self.room.header_words)
        return walked, word, Mux(opens[0], parts[0], held_part)

    def _transport(self, m):
        """Which line a word is on depends on the extensions in front of it: ADDR has four words."""
        fields, walked = self._fields, self.walked
        parity = {"udp": 0, "tcp": 0, "base": 0, "addr": 1, "imm": 1}
        at = SortedWords(m, walked, "l4", parity, walked.odd)
        behind = telemetry_words(m, walked)
        for name in ("sport", "dport"):
            register(m, fields[name], at.sources("udp", UDP, name), at.sources("tcp", TCP, name))
        register(m, fields.udp_length, at.sources("udp", UDP, "length"))
        register(m, fields.udp_checksum, at.sources("udp", UDP, "checksum"))
        register(m, fields.tcp_flags, at.sources("tcp", TCP, "flags"))
        register(m, fields.tcp_data_offset, at.sources("tcp", TCP, "data_offset"))
        for label, header, words in (
            ("base", STELLAR, at),
            ("addr", ADDR, at),
            ("imm", IMM, at),
            ("ack", ACK, behind),
            ("int", INT, behind),
        ):
            for field in header.fields:
                register(m, fields[label][field.name], words.sources(label, header, field.name))
