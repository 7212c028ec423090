"""Stage 2 of the parser: the walk gives every word its label, "word 2 of an IPv4 header".

One step a word::

    ETH ─► VLAN ×0–2 ─► IP4 ──────────────► UDP ─► BASE ─► ADDR ─► IMM ─► ACK ─► INT ─► HOPS
                     └► IP6 ─► EXT ×0–n ─┘└► TCP          (each only if announced)
    any of them ─► REST, where nothing is looked for

The walk goes on as long as the types lead on and does not judge what it reads: whether a packet is
a candidate is found out behind it.  Lengths do end it, as ``Room`` measures them.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.codes import TPIDS, VLAN_LIMIT, EtherType
from stellar_spec.headers import ACK, ADDR, IMM, IPV6, STELLAR, TCP, UDP
from stellar_spec.opcodes import INT_HOPS_MAX, StellarFlag

from .labels import LabelLayout, NextLayout, classify, header
from .room import Room, RoomLayout
from .words import BeatLayout, WordLayout, word_lanes

__all__ = ["Walk", "WalkedLayout"]

StateLayout = data.StructLayout(
    {
        "label": LabelLayout,  # of the next word
        "left": 7,  # words of its header behind it
        "next": NextLayout,  # what follows the IP header
        "tags": 2,  # VLAN tags read
        "later": 1,  # a fragment that is not the first
        "port": 1,  # UDP destination port is StellarTP's
        "announced": 4,  # extensions still to come, as their flags stand in the header
    }
)
"""Where the walk is."""

_WORDS = {  # words of the headers of fixed length, the first half word of Ethernet included
    "eth": 4,
    "vlan": 1,
    "ip6": IPV6.size // 4,
    "udp": UDP.size // 4,
    "tcp": TCP.size // 4,
    "base": STELLAR.size // 4,
    "addr": ADDR.size // 4,
    "imm": IMM.size // 4,
    "ack": ACK.size // 4,
    "int": 1,
}


class WalkedLayout(data.StructLayout):
    """A beat whose words are labelled.

    ``pending`` is the label of the first word that the beat did not complete, ``state`` where the
    walk is.  ``began_at_rest``: the walk had ended before this beat.  ``chain_end``: the IP header
    ended in it, with all its extension headers.
    """

    def __init__(self, width: int):
        lanes = word_lanes(width)
        super().__init__(
            {
                "beat": BeatLayout(width),
                "words": data.ArrayLayout(WordLayout, lanes),
                "labels": data.ArrayLayout(LabelLayout, lanes),
                "pending": LabelLayout,
                "state": StateLayout,
                "began_at_rest": 1,
                "chain_end": 1,
                "room": RoomLayout,
            }
        )


class Walk(wiring.Component):
    """Labels words.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    valid, beat, words : In
        A beat from ``Words``.
    port : In(16)
        UDP destination port of StellarTP.
    o_valid, o : Out
        The beat, labelled.

    Timing: latency 1 cycle, a beat every cycle.
    """

    latency = 1

    def __init__(self, *, width: int):
        self._width = width
        super().__init__(
            {
                "valid": In(1),
                "beat": In(BeatLayout(width)),
                "words": In(data.ArrayLayout(WordLayout, word_lanes(width))),
                "port": In(16),
                "o_valid": Out(1),
                "o": Out(WalkedLayout(width)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        at = self._resume(m)
        labels = Signal(data.ArrayLayout(LabelLayout, len(self.words)))
        m.d.sync += self.o.began_at_rest.eq(at.label.header.rest)
        chain_ends = []
        for lane in range(len(self.words)):
            m.d.comb += labels[lane].eq(at.label)
            at, chain_end = self._step(m, lane, at)
            chain_ends.append(chain_end)
        beat = Signal.like(self.beat, reset_less=True)
        words = Signal.like(self.words, reset_less=True)
        m.d.comb += [self.o.beat.eq(beat), self.o.words.eq(words)]
        m.d.sync += [
            self.o_valid.eq(self.valid),
            beat.eq(self.beat),
            words.eq(self.words),
            self.o.labels.eq(labels),
            self.o.chain_end.eq(Cat(*chain_ends).any()),
        ]
        with m.If(self.valid):
            m.d.sync += self.o.state.eq(at)
        self._measure(m, labels)
        return m

    def _resume(self, m):
        """The state at a beat's first word.

        A length that was found short in the very beat that ended the header before takes effect
        here, ahead of the first word behind it.
        """
        header_now, room = self.o.state.label.header, self.o.room
        pending, at = self.o.pending, Signal(StateLayout)
        m.d.comb += pending.eq(self.o.state.label)
        with m.If(
            (room.short | room.over) & (header_now.ext | header_now.udp | header_now.tcp)
            | header_now.udp & ~room.udp
            | header_now.tcp & ~room.tcp
        ):
            m.d.comb += pending.header.eq(header("rest"))
        m.d.comb += [at.eq(self.o.state), at.label.eq(pending)]
        with m.If(self.beat.first):
            opening = {"label": {"header": {"eth": 1}}, "left": _WORDS["eth"] - 1}
            m.d.comb += at.eq(StateLayout.const(opening))
        return at

    def _measure(self, m, labels):
        m.submodules.room = room = Room(width=self._width)
        m.d.comb += [
            room.valid.eq(self.valid),
            room.first.eq(self.beat.first),
            room.words.eq(self.words),
            room.labels.eq(labels),
            room.o_valid.eq(self.o_valid),
            room.o_words.eq(self.o.words),
            room.o_labels.eq(self.o.labels),
            self.o.room.eq(room.room),
        ]

    def _step(self, m, lane, at):
        """The state behind the word in ``lane``, and whether the IP headers end with it.

        ``seen`` is the state once the word has been read, ``after`` adds where that leads.
        """
        word = self.words[lane]
        seen = Signal(StateLayout, name=f"seen{lane}")
        after = Signal(StateLayout, name=f"after{lane}")
        chain_end = Signal(name=f"chain_end{lane}")
        m.d.comb += [seen.eq(at), after.eq(seen)]
        with m.If(word.there):
            m.d.comb += [
                seen.left.eq(at.left - 1),
                seen.label.last.eq(at.left == 1),
                seen.label.index.eq(at.label.index + (at.label.index != 15)),
            ]
            for name in ("ip4", "ip6", "ext", "udp", "base", "vlan"):
                with m.If(at.label.header[name]):
                    getattr(self, f"_read_{name}")(m, at, seen, word.data)
            with m.If((at.label.index == 0) & self._no_ip_header(at, word.data)):
                self._enter(m, after, "rest")
            with m.If(at.label.last):
                self._leave(m, at, seen, after, word.data, chain_end)
        return after, chain_end

    @staticmethod
    def _no_ip_header(at, word):
        four = (word[28:32] != 4) | (word[24:28] < 5)
        six = word[28:32] != 6
        return at.label.header.ip4 & four | at.label.header.ip6 & six

    def _read_vlan(self, m, at, seen, word):
        m.d.comb += seen.tags.eq(at.tags + 1)

    def _read_ip4(self, m, at, seen, word):
        with m.If(at.label.index == 0):
            m.d.comb += [seen.left.eq(word[24:28] - 2), seen.label.last.eq(0)]
        with m.If(at.label.index == 1):
            m.d.comb += seen.later.eq(word[:13].any())
        with m.If(at.label.index == 2):
            kind = classify(word[16:24])
            m.d.comb += [seen.next[name].eq(kind[name]) for name in ("udp", "tcp")]

    def _read_ip6(self, m, at, seen, word):
        with m.If(at.label.index == 1):
            m.d.comb += [seen.next[name].eq(bit) for name, bit in classify(word[8:16]).items()]

    def _read_ext(self, m, at, seen, word):
        kind, length = at.label.kind, word[16:24]
        with m.If(at.label.index == 0):
            m.d.comb += [
                # Seven bits: what is longer than the limit only ever ends the walk.
                seen.left.eq(Mux(kind.fragment, 0, Mux(kind.ah, length, length << 1))),
                seen.label.last.eq(kind.fragment | (length == 0)),
                seen.later.eq(kind.fragment & word[3:16].any()),
            ]
            m.d.comb += [seen.next[name].eq(bit) for name, bit in classify(word[24:32]).items()]

    def _read_udp(self, m, at, seen, word):
        with m.If(at.label.index == 0):
            m.d.comb += seen.port.eq(word[:16] == self.port)

    def _read_base(self, m, at, seen, word):
        with m.If(at.label.index == 0):
            m.d.comb += seen.announced.eq(word[16:20])

    def _leave(self, m, at, seen, after, word, chain_end):
        """The word is its header's last: what does the next word open?"""
        here = at.label.header
        self._enter(m, after, "rest")
        with m.If(here.eth | here.vlan):
            self._enter_type(m, seen, after, word[:16])
        with m.If(here.ip4 | here.ip6 | here.ext):
            self._enter_payload(m, seen, after)
            m.d.comb += chain_end.eq(seen.later | ~seen.next.ext)
        with m.If(here.udp & seen.port):
            self._enter(m, after, "base")
        with m.If(here.base | here.addr | here.imm | here.ack):
            self._enter_extension(m, seen, after)
        with m.If(here.int):
            self._enter_hops(m, after, word[24:28])

    def _enter(self, m, after, name):
        words = _WORDS.get(name)
        m.d.comb += [
            after.label.header.eq(header(name)),
            after.label.index.eq(0),
            after.label.last.eq(words == 1),
        ]
        if words is not None:
            m.d.comb += after.left.eq(words - 1)

    def _enter_type(self, m, seen, after, kind):
        with m.If(Cat(*(kind == tpid for tpid in TPIDS)).any() & (seen.tags != VLAN_LIMIT)):
            self._enter(m, after, "vlan")
        with m.If(kind == EtherType.IPV4):
            self._enter(m, after, "ip4")
        with m.If(kind == EtherType.IPV6):
            self._enter(m, after, "ip6")

    def _enter_payload(self, m, seen, after):
        room = self.o.room
        stop = seen.later | room.short | room.over
        with m.If(~stop & seen.next.ext):
            self._enter(m, after, "ext")
            m.d.comb += after.label.kind.eq(seen.next)
        with m.If(~stop & seen.next.udp & room.udp):
            self._enter(m, after, "udp")
        with m.If(~stop & seen.next.tcp & room.tcp):
            self._enter(m, after, "tcp")

    def _enter_extension(self, m, seen, after):
        """The first extension that is still to come."""
        for name in ("int", "ack", "imm", "addr"):  # a later one here goes first
            bit = StellarFlag[name.upper()].bit_length() - 1
            with m.If(seen.announced[bit]):
                self._enter(m, after, name)
                m.d.comb += after.announced.eq(seen.announced & (1 << bit) - 1)

    def _enter_hops(self, m, after, hops):
        with m.If((hops != 0) & (hops <= INT_HOPS_MAX)):
            self._enter(m, after, "hops")
            m.d.comb += after.left.eq((hops << 1) - 1)
