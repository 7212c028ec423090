"""Stage 2 of the parser: the walk gives every word its label, "word 2 of an IPv4 header".

One step a word::

    ETH ─► VLAN ×0–2 ─► IP4 ──────────────► UDP ─► BASE ─► ADDR ─► IMM ─► ACK ─► INT ─► HOPS
                     └► IP6 ─► EXT ×0–n ─┘└► TCP          (each only if announced)
    any of them ─► rest, where nothing is looked for and no label's bit is set

The walk goes on as long as the types lead on and does not judge what it reads: whether a packet is
a candidate is found out behind it.  Lengths do end it, as ``Room`` measures them.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.headers import ACK, ADDR, ETHERNET, IMM, INT, IPV6, STELLAR, TCP, UDP, VLAN
from stellar_spec.opcodes import StellarFlag

from .labels import HEADERS, HeaderLayout, LabelLayout, NextLayout
from .words import BeatLayout, WordLayout, word_lanes

__all__ = ["Walk", "WalkedLayout"]

_WORDS = {  # words of the headers of fixed length; Ethernet's first is half a word
    "eth": (ETHERNET.size + 2) // 4,
    **{name: header.size // 4 for name, header in (("vlan", VLAN), ("ip6", IPV6), ("udp", UDP))},
    **{name: header.size // 4 for name, header in (("tcp", TCP), ("base", STELLAR))},
    **{name: header.size // 4 for name, header in (("addr", ADDR), ("imm", IMM), ("ack", ACK))},
    "int": INT.size // 4,
}
_EXTENSIONS = ("addr", "imm", "ack", "int")  # in the order in which they follow

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

_OPENING = {"label": {"header": {"eth": 1}, "opens": 1}, "left": _WORDS["eth"] - 1}
"""The state in front of a frame."""


class WalkedLayout(data.StructLayout):
    """A beat whose words are labelled.

    ``found`` is the header of each word that is there, and nothing without a beat.  ``odd``: the
    header behind IP began in lane 1.
    ``pending`` is the label of the first word that the beat did not complete, unless ``Room`` says
    that the walk ends; ``state`` is where the walk is.  ``began_at_rest``: the walk had ended before this beat.  ``chain_end``: the IP header
    ended in it, with all its extension headers.
    """

    def __init__(self, width: int):
        lanes = word_lanes(width)
        super().__init__(
            {
                "beat": BeatLayout(width),
                "words": data.ArrayLayout(WordLayout, lanes),
                "labels": data.ArrayLayout(LabelLayout, lanes),
                "found": data.ArrayLayout(HeaderLayout, lanes),
                "odd": 1,
                "pending": LabelLayout,
                "state": StateLayout,
                "began_at_rest": 1,
                "chain_end": 1,
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
    stop : In(1)
        The lengths end the walk behind the beat at ``o``.
    state : Out
        The state in front of ``beat``.
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
                "stop": In(1),
                "state": Out(StateLayout),
                "o_valid": Out(1),
                "o": Out(WalkedLayout(width)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        self._state = state = Signal(StateLayout, init=StateLayout.const(_OPENING))
        m.d.comb += self.state.eq(state)
        labels = Signal(data.ArrayLayout(LabelLayout, len(self.words)), reset_less=True)
        after = Signal(StateLayout, reset_less=True)  # `state`, but not renewed behind a frame
        found = Signal(data.ArrayLayout(HeaderLayout, len(self.words)))
        m.d.comb += self.o.found.eq(found)
        at, chain_ends = state, []
        for lane in range(len(self.words)):
            with m.If(self.valid):
                m.d.sync += labels[lane].eq(at.label)
            m.d.sync += found[lane].eq(at.label.header)
            with m.If(~self.valid | ~self.words[lane].there):
                m.d.sync += found[lane].eq(0)
            at, chain_end = self._step(m, lane, at)
            chain_ends.append(chain_end)
        with m.If(self.valid):
            m.d.sync += [
                state.eq(at),
                after.eq(at),
                self.o.began_at_rest.eq(~state.label.header.as_value().any()),
                self.o.chain_end.eq(Cat(*chain_ends).any()),
            ]
            for lane, chain_end in enumerate(chain_ends):
                with m.If(chain_end):
                    m.d.sync += self.o.odd.eq((lane + 1) % 2)
        with m.If(self.stop & ~self.o.beat.packet.last):
            m.d.sync += [label.header.eq(0) for label in (*labels, state.label, after.label)]
            m.d.sync += found.eq(0)
            m.d.sync += [self.o.chain_end.eq(0), self.o.began_at_rest.eq(1)]
        with m.If(self.valid & self.beat.packet.last):
            m.d.sync += state.eq(StateLayout.const(_OPENING))
        self._output(m, labels, after)
        return m

    def _output(self, m, labels, after):
        beat = Signal.like(self.beat, reset_less=True)
        words = Signal.like(self.words, reset_less=True)
        m.d.sync += [self.o_valid.eq(self.valid), beat.eq(self.beat), words.eq(self.words)]
        m.d.comb += [
            self.o.beat.eq(beat),
            self.o.words.eq(words),
            self.o.labels.eq(labels),
            self.o.state.eq(after),
            self.o.pending.eq(after.label),
        ]

    def _step(self, m, lane, at):
        """The state behind the word in ``lane``, and whether the IP headers end with it."""
        word = self.words[lane]
        label, here, hints = at.label, at.label.header, word.hints
        after = Signal(StateLayout, name=f"after{lane}")
        leave, opens = Signal(name=f"leave{lane}"), Signal(name=f"opens{lane}")
        abort = Signal(name=f"abort{lane}")
        m.d.comb += [
            leave.eq(word.there & label.last),
            opens.eq(word.there & label.opens),
            abort.eq(opens & (here.ip4 & ~hints.four | here.ip6 & ~hints.six)),
            after.tags.eq(at.tags + (word.there & here.vlan)),
        ]
        self._read(m, lane, at, after, opens)
        enter, chain_end = self._enter(m, lane, at, after)
        for name in HEADERS:
            stays = here[name] & ~abort if name in ("ip4", "ip6") else here[name]
            m.d.comb += after.label.header[name].eq(Mux(leave, enter.get(name, 0), stays))
        index = label.index + word.there
        m.d.comb += [
            after.label.index.eq(Mux(leave, 0, Cat(index[:3], index[3] | label.index[3]))),
            after.label.opens.eq(leave | label.opens & ~word.there),
            after.label.kind.eq(Mux(leave, after.next, label.kind)),
        ]
        self._count(m, at, after, word, leave, enter)
        return after, leave & chain_end

    def _read(self, m, lane, at, after, opens):
        """What the word tells about what follows later."""
        word, here, index = self.words[lane], at.label.header, at.label.index
        hints, there = word.hints, word.there
        m.d.comb += [after[name].eq(at[name]) for name in ("next", "later", "port", "announced")]
        with m.If(there & here.ip4 & (index == 1)):
            m.d.comb += after.later.eq(hints.offset4)
        with m.If(there & here.ip4 & (index == 2)):
            m.d.comb += [after.next[name].eq(hints.next4[name]) for name in ("udp", "tcp")]
        with m.If(there & here.ip6 & (index == 1)):
            m.d.comb += after.next.eq(hints.next6)
        with m.If(opens & here.ext):
            m.d.comb += after.next.eq(hints.next)
            m.d.comb += after.later.eq(at.label.kind.fragment & hints.offset6)
        with m.If(opens & here.udp):
            m.d.comb += after.port.eq(hints.port)
        with m.If(opens & here.base):
            m.d.comb += after.announced.eq(word.data[16:20])

    def _enter(self, m, lane, at, after):
        """If the word is its header's last: what the next word opens, and the end of the IP headers.

        ``after`` holds what has been read, this word included.
        """
        here, hints = at.label.header, self.words[lane].hints
        network, typed = Signal(name=f"network{lane}"), Signal(name=f"typed{lane}")
        m.d.comb += [
            typed.eq(here.eth | here.vlan),
            network.eq(here.ip4 | here.ip6 | here.ext),
        ]
        enter = {
            "vlan": (here.eth | here.vlan & (at.tags == 0)) & hints.vlan,
            "ip4": typed & hints.ip4,
            "ip6": typed & hints.ip6,
            **{name: network & ~after.later & after.next[name] for name in ("ext", "udp", "tcp")},
            "base": here.udp & after.port,
            "hops": here.int & hints.hops,
        }
        behind = here.base  # what may be followed by the next extension, if that is announced
        for name in _EXTENSIONS:
            announced = self._state.announced[StellarFlag[name.upper()].bit_length() - 1]
            enter[name] = behind & announced
            behind = behind & ~announced | here[name]
        for name, condition in enter.items():
            enter[name] = Signal(name=f"enter_{name}{lane}")
            m.d.comb += enter[name].eq(condition)
        return enter, network & (after.later | ~after.next.ext)

    def _count(self, m, at, after, word, leave, enter):
        """How many words are left of the header, and whether the next is its last."""
        here, label, hints = at.label.header, at.label, word.hints
        octet, low = word.data[16:24], word.data[24:28]
        left, last, first_left = after.left, after.label.last, Signal(7)
        for bit in range(7):
            fixed = [enter[n] for n, words in _WORDS.items() if n in enter and words - 1 >> bit & 1]
            if fixed:
                m.d.comb += first_left[bit].eq(Cat(*fixed).any())
        with m.If(here.int):
            m.d.comb += first_left.eq((low << 1) - 1)
        m.d.comb += [left.eq(at.left - word.there), last.eq(label.last)]
        with m.If(word.there):
            m.d.comb += last.eq(at.left == 1)
        with m.If(word.there & label.opens & here.ext):
            # Seven bits: what is longer than the limit only ever ends the walk.
            m.d.comb += left.eq(Mux(label.kind.fragment, 0, Mux(label.kind.ah, octet, octet << 1)))
            m.d.comb += last.eq(label.kind.fragment | hints.short)
        with m.If(word.there & label.opens & here.ip4):
            m.d.comb += [left.eq(low - 2), last.eq(0)]
        with m.If(leave):
            single = [enter[n] for n, words in _WORDS.items() if n in enter and words == 1]
            m.d.comb += [left.eq(first_left), last.eq(Cat(*single).any())]
