"""Stage 2 of the parser: the walk gives every word its label, "word 2 of an IPv4 header".

One step a word::

    ETH ─► VLAN ×0–2 ─► IP4 ──────────────► UDP ─► BASE ─► ADDR ─► IMM ─► ACK ─► INT ─► HOPS
                     └► IP6 ─► EXT ×0–n ─┘└► TCP          (each only if announced)
    any of them ─► rest, where nothing is looked for and no label's bit is set

The walk goes on as long as the types lead on and does not judge what it reads: whether a packet is
a candidate is found out behind it.  Lengths and bad first words do end it, as ``Facts`` finds them.
"""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .labels import HeaderLayout, LabelLayout
from .steps import IP_WORDS, OPENING, StateLayout, one_step
from .two_steps import two_steps
from .words import BeatLayout, WordLayout, word_lanes

__all__ = ["SIZE_BITS", "Walk", "WalkedLayout"]


_LEAST = 2  # words of the shortest extension headers
SIZE_BITS = 10
"""Words of an extension header: up to 255 * 2 + 2."""


def _extension_layout(lanes: int):
    return data.StructLayout(
        {
            "opens": lanes,  # one opens with the word in the lane
            "opened": 1,  # in some lane
            "ends": 1,  # one ends
            "both": 1,  # one opens and ends; it has two words
            "fragment": 1,  # the one that ends is a fragment header
            "size": SIZE_BITS,  # words of the one that opens
            "one_more": 1,  # and one more
        }
    )


class WalkedLayout(data.StructLayout):
    """A beat whose words are labelled.

    ``labels`` are those of its words, there or not, and ``found`` the headers of the words that are
    there; it is 0 without a beat.  ``ip4_words`` and ``ip6_words`` likewise: bit n for word n of
    the header.  ``pending`` is the label of the first word that the beat did not complete.
    ``chain_end``: the IP header ended in it, with all its extension headers; ``odd``: in
    lane 0 (of two), so that what follows began in lane 1.  ``state`` is where the walk is if all
    words were there.  ``starts``: there is a beat, a frame's first.  ``extension``: of an IPv6
    extension header; nothing opens or ends in it without a beat.
    """

    def __init__(self, width: int):
        lanes = word_lanes(width)
        super().__init__(
            {
                "beat": BeatLayout(width),
                "words": data.ArrayLayout(WordLayout, lanes),
                "labels": data.ArrayLayout(LabelLayout, lanes),
                "found": data.ArrayLayout(HeaderLayout, lanes),
                **{f"{name}_words": data.ArrayLayout(n, lanes) for name, n in IP_WORDS.items()},
                "pending": LabelLayout,
                "chain_end": 1,
                "odd": 1,
                "starts": 1,
                "extension": _extension_layout(lanes),
                "state": StateLayout,
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
        The frame's walk has ended for another reason than its types.
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
        state = Signal(StateLayout, init=StateLayout.const(OPENING))
        m.d.comb += self.state.eq(state)
        step = two_steps if len(self.words) == 2 else one_step
        steps = step(m, state, self.words)
        # A word takes several narrow beats. Of a wide one only a frame's last has words missing.
        with m.If(self.valid & (self.words[0].there if self._width < 4 else 1)):
            m.d.sync += state.eq(steps.after)
        with m.If(self.stop):
            m.d.sync += [state.label.header.eq(0), state.opens_ext.eq(0)]
        with m.If(self.valid & self.beat.packet.last):
            m.d.sync += state.eq(StateLayout.const(OPENING))
        self._output(m, steps)
        return m

    def _output(self, m, steps):
        """Registers the beat; what it left is picked behind the registers."""
        o = Signal(WalkedLayout(self._width), reset_less=True)
        # What makes the stages behind act on its own; so no frame from before a reset does.
        found = Signal.like(o.found)
        extension = Signal.like(o.extension)
        ip_words = {name: Signal.like(o[f"{name}_words"]) for name in IP_WORDS}
        labels, ends = steps.labels, steps.chain_ends
        starts = Signal()
        chain_end = Signal()
        there = [word.there for word in self.words]
        m.d.comb += [
            self.o.eq(o),
            self.o.found.eq(found),
            self.o.extension.eq(extension),
            *(self.o[f"{name}_words"].eq(bits) for name, bits in ip_words.items()),
            self.o.starts.eq(starts),
            self.o.chain_end.eq(chain_end),
        ]
        m.d.sync += [self.o_valid.eq(self.valid), o.beat.eq(self.beat), o.words.eq(self.words)]
        for lane, label in enumerate(labels):
            with m.If(self.valid):
                m.d.sync += o.labels[lane].eq(label)
            m.d.sync += found[lane].eq(label.header)
            with m.If(~self.valid | ~there[lane] | self.stop):
                m.d.sync += found[lane].eq(0)
            for name, bits in ip_words.items():
                # Behind a stop the header is not shown, whatever is read of it.
                taken = (self.valid & there[lane]).replicate(IP_WORDS[name])
                m.d.sync += bits[lane].eq(steps.ip_words[name][lane] & taken)
        with m.If(self.valid):
            m.d.sync += o.state.eq(steps.after)
            if len(ends) == 2:
                m.d.sync += o.odd.eq(~ends[1] & (ends[0] | o.odd))
        ended = Cat(e & t for e, t in zip(ends, there, strict=True)).any()
        m.d.sync += [starts.eq(self.valid & self.beat.first), chain_end.eq(self.valid & ended)]
        self._extension(m, extension, steps, there)
        pending = o.state.label
        for lane in reversed(range(len(labels))):
            pending = Mux(o.words[lane].there, pending, o.labels[lane])
        m.d.comb += self.o.pending.eq(pending)

    def _extension(self, m, extension, steps, there):
        """Told apart here since there is time; the lengths have to be judged in the next stage."""
        opens, ends, there = Cat(steps.opens), Cat(steps.ends), Cat(there)
        labels = steps.labels
        both = opens[0] & ends[-1] if len(labels) == 2 else Const(0)
        fragment = Cat(label.kind.fragment for label in labels)
        # Behind a stop nothing is taken from what ``Room`` has left, so there is no need to wait.
        m.d.sync += [
            extension.opens.eq(opens & there & self.valid.replicate(len(there))),
            extension.opened.eq((opens & there).any() & self.valid),
            extension.ends.eq((ends & there).any() & self.valid),
            extension.both.eq(both & there[-1] & self.valid),
            extension.fragment.eq((ends & there & fragment).any() & self.valid),
        ]
        size = Signal(SIZE_BITS)
        one_more = Signal()
        for lane, label in enumerate(labels):
            # At most one opens, as they have two words.
            with m.If(steps.opens[lane] if lane else 1):
                kind, units = label.kind, self.words[lane].hints.units
                m.d.comb += [size.eq(Mux(kind.ah, units, units << 1)), one_more.eq(kind.ah)]
                with m.If(kind.fragment):
                    m.d.comb += size.eq(_LEAST)
        m.d.sync += [extension.size.eq(size), extension.one_more.eq(one_more)]
