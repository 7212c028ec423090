"""The steps of the walk: from a state and the next words to their labels and the state behind.

``one_step`` reads one word. ``two_steps`` reads the two words of a wide beat at once: what follows
the second is worked out for both cases, that the first ended its header and that it did not, and
picked at the end. So it takes hardly longer than one.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data

from stellar_spec.headers import (
    ACK,
    ADDR,
    ETHERNET,
    IMM,
    INT,
    INT_HOP,
    IPV6,
    STELLAR,
    TCP,
    UDP,
    VLAN,
)

from .decode import FollowsLayout
from .labels import HEADERS, LabelLayout, NextLayout

__all__ = ["OPENING", "StateLayout", "one_step", "two_steps"]

_WORDS = {  # words of the headers of fixed length; Ethernet's first is half a word
    "eth": (ETHERNET.size + 2) // 4,
    "vlan": VLAN.size // 4,
    "ip6": IPV6.size // 4,
    "udp": UDP.size // 4,
    "tcp": TCP.size // 4,
    "base": STELLAR.size // 4,
    "addr": ADDR.size // 4,
    "imm": IMM.size // 4,
    "ack": ACK.size // 4,
    "int": INT.size // 4,
}
_SINGLE = tuple(name for name, words in _WORDS.items() if words == 1)
_LEFT_BITS = 7  # an extension header that is longer than the limit only ever ends the walk

LearntLayout = data.StructLayout(
    {
        "next": NextLayout,  # what follows the IP header; nothing in a later fragment
        "later": 1,  # an IPv4 fragment that is not the first
        "tags": 2,  # VLAN tags read
        "port": 1,  # UDP destination port is StellarTP's
        "follows": FollowsLayout,  # behind the base header and the extensions
        "announced": 4,  # extensions, as their flags stand in the base header
    }
)
"""What has been read about what follows later."""

StateLayout = data.StructLayout(
    {
        "label": LabelLayout,  # of the next word
        "left": _LEFT_BITS,  # words of its header behind it
        "next_last": 1,  # there is one
        "opens_ext": 1,  # the next word opens an extension header
        "learnt": LearntLayout,
    }
)
"""Where the walk is."""

OPENING = {"label": {"header": {"eth": 1}, "opens": 1}, "left": _WORDS["eth"] - 1}
"""The state in front of a frame."""


def _signals(m: Module, name: str, values: dict) -> dict:
    found = {}
    for key, value in values.items():
        found[key] = Signal.like(value, name=f"{name}_{key}")
        m.d.comb += found[key].eq(value)
    return found


def _follow(m: Module, name: str, here: dict, hints, learnt, next_header, port) -> dict:
    """What the next word opens when this one is the last of its header, one signal for each header.

    ``here`` tells which header that is, of those that may be meant.
    """
    none = Signal(name=f"{name}_none")
    here = {header: here.get(header, none) for header in HEADERS}
    typed, network = here["eth"] | here["vlan"], here["ip4"] | here["ip6"] | here["ext"]
    enter = {
        "vlan": (here["eth"] | here["vlan"] & (learnt.tags == 0)) & hints.vlan,
        "ip4": typed & hints.ip4,
        "ip6": typed & hints.ip6,
        **{header: network & next_header[header] for header in ("ext", "udp", "tcp")},
        "base": here["udp"] & port,
        "hops": here["int"] & hints.hops,
    }
    for header, follows in learnt.follows.shape().members.items():
        for extension in follows.members:
            leads = here[header] & learnt.follows[header][extension]
            enter[extension] = enter[extension] | leads if extension in enter else leads
    return _signals(m, name, enter) | {"eth": none}


def _ends_network(label, next_header):
    """The word, if its header's last, ends the IP header and all extension headers."""
    here = label.header
    return label.last & (here.ip4 | here.ip6 | here.ext) & ~next_header.ext


def _any(enter: dict, words: int, hints=None):
    """A header of so many words is entered; ``hints`` are of INT, if hops may be."""
    found = [enter[name] for name, length in _WORDS.items() if length == words]
    if words == INT_HOP.size // 4 and hints is not None:
        found.append(enter["hops"] & hints.one_hop)
    return Cat(*found).any()


def _left(m: Module, name: str, enter: dict, read: int, hops):
    """Words left behind the next one, when ``read`` words of the header entered have been read.

    ``hops`` are INT's, if it is hops that are entered.  What depends on an IP header's or extension
    header's first word is not known here.
    """
    left = Signal(_LEFT_BITS, name=f"{name}_left")
    for bit in range(_LEFT_BITS):
        fixed = [
            enter[header]
            for header, words in _WORDS.items()
            if words > read and words - 1 - read >> bit & 1
        ]
        m.d.comb += left[bit].eq(Cat(*fixed).any())
    with m.If(enter["hops"]):
        m.d.comb += left.eq((hops << 1) - 1 - read)
    return left


def _learn(m: Module, name: str, label, word, before, opens_ext):
    """What has been learnt with ``word``, which has ``label``."""
    here, hints, index = label.header, word.hints, label.index
    after = Signal(LearntLayout, name=f"{name}_learnt")
    m.d.comb += [
        after.next.eq(before.next),
        after.later.eq(Mux(here.ip4 & (index == 1), hints.offset4, before.later)),
        after.port.eq(Mux(here.udp & label.opens, hints.port, before.port)),
        after.announced.eq(Mux(here.base & label.opens, word.data[16:20], before.announced)),
        after.follows.eq(Mux(here.base & label.opens, hints.follows, before.follows)),
        after.tags.eq(before.tags + here.vlan),
    ]
    with m.If(here.ip4 & (index == 2)):
        m.d.comb += [after.next.udp.eq(hints.udp4), after.next.tcp.eq(hints.tcp4)]
    with m.If(here.ip6 & (index == 1)):
        m.d.comb += after.next.eq(hints.next6)
    with m.If(opens_ext):
        m.d.comb += after.next.eq(Mux(label.kind.fragment, hints.next_fragment, hints.next))
    with m.If(here.ip4 & before.later):
        m.d.comb += after.next.eq(0)
    return after


def _extension_left(label, word):
    length = word.data[16:24]
    return Mux(label.kind.fragment, 0, Mux(label.kind.ah, length, length << 1))


def _read_extension(label, word, left, last, next_last):
    """Assignments behind an extension header's first word."""
    return [
        left.eq(_extension_left(label, word)),
        last.eq(label.kind.fragment | word.hints.length0),
        next_last.eq(label.kind.ah & word.hints.length1),
    ]


def one_step(m: Module, state, words):
    """The labels of ``words``, for each if the IP headers end with it, and the new state."""
    word, label, learnt = words[0], state.label, state.learnt
    after = Signal(StateLayout)
    here = {name: label.header[name] for name in HEADERS}
    enter = _follow(m, "enter", here, word.hints, learnt, learnt.next, learnt.port)
    low = word.data[24:28]
    m.d.comb += [
        *(
            after.label.header[name].eq(Mux(label.last, enter[name], here[name]))
            for name in HEADERS
        ),
        after.label.index.eq(Mux(label.last, 0, _behind(label.index, 1))),
        after.label.opens.eq(label.last),
        after.opens_ext.eq(label.last & enter["ext"]),
        after.label.kind.eq(Mux(label.last, learnt.next, label.kind)),
        after.learnt.eq(_learn(m, "word", label, word, learnt, state.opens_ext)),
    ]
    left, last, next_last = after.left, after.label.last, after.next_last
    with m.If(label.last):
        m.d.comb += left.eq(_left(m, "enter", enter, 0, low))
        m.d.comb += [last.eq(_any(enter, 1)), next_last.eq(_any(enter, 2, word.hints))]
    with m.Elif(label.opens & label.header.ip4):
        m.d.comb += left.eq(low - 2)
    with m.Elif(state.opens_ext):
        m.d.comb += _read_extension(label, word, left, last, next_last)
    with m.Else():
        m.d.comb += [
            left.eq(state.left - 1),
            last.eq(state.next_last),
            next_last.eq(state.left == 2),
        ]
    return [label], [_ends_network(label, learnt.next)], after


def _behind(index, words):
    """The index ``words`` behind; from 15 on it goes round from 8."""
    more = index + words
    return Cat(more[:3], more[3] | index[3])


def two_steps(m: Module, state, words):
    """As ``one_step``, for two words that are both there."""
    label, second = state.label, Signal(LabelLayout)
    here = {name: label.header[name] for name in HEADERS}
    before = state.learnt
    learnt = _learn(m, "first", label, words[0], before, state.opens_ext)
    # Ethernet ends in lane 1; only a header of one word is entered in lane 1 and ends there.
    ends = {name: value for name, value in here.items() if name != "eth"}
    first = _follow(m, "first", ends, words[0].hints, before, before.next, before.port)
    single = {name: first[name] for name, length in _WORDS.items() if length == 1}
    longer = {name: value for name, value in here.items() if name not in single}
    entered = _follow(m, "entered", single, words[1].hints, learnt, learnt.next, learnt.port)
    stayed = _follow(m, "stayed", longer, words[1].hints, before, learnt.next, learnt.port)
    m.d.comb += [
        *(second.header[name].eq(Mux(label.last, first[name], here[name])) for name in HEADERS),
        second.index.eq(Mux(label.last, 0, _behind(label.index, 1))),
        second.opens.eq(label.last),
        second.kind.eq(Mux(label.last, before.next, label.kind)),
    ]
    with m.If(label.last):
        m.d.comb += second.last.eq(_any(first, 1))
    with m.Elif(state.opens_ext):
        m.d.comb += second.last.eq(label.kind.fragment | words[0].hints.length0)
    with m.Else():
        m.d.comb += second.last.eq(state.next_last)
    after = Signal(StateLayout)
    enter = {name: Mux(label.last, entered[name], stayed[name]) for name in HEADERS}
    m.d.comb += [
        *(
            after.label.header[name].eq(Mux(second.last, enter[name], second.header[name]))
            for name in HEADERS
        ),
        after.label.index.eq(Mux(second.last, 0, _behind(second.index, 1))),
        after.label.opens.eq(second.last),
        after.opens_ext.eq(second.last & enter["ext"]),
        after.label.kind.eq(Mux(second.last, learnt.next, second.kind)),
        after.learnt.eq(_learn(m, "second", second, words[1], learnt, label.last & first["ext"])),
    ]
    _count_two(m, state, second, after, words, first, _pick(m, enter))
    chain_ends = [_ends_network(label, before.next), _ends_network(second, learnt.next)]
    return [label, second], chain_ends, after


def _pick(m, enter):
    picked = {}
    for name, value in enter.items():
        picked[name] = Signal(name=f"enter_{name}")
        m.d.comb += picked[name].eq(value)
    return picked


def _count_two(m, state, second, after, words, first, enter):
    """Words left behind two words, and whether the next one and the one behind it is the last."""
    label, lows = state.label, [word.data[24:28] for word in words]
    left, last, next_last = after.left, after.label.last, after.next_last
    with m.If(second.last):
        m.d.comb += left.eq(_left(m, "enter", enter, 0, lows[1]))
        m.d.comb += [last.eq(_any(enter, 1)), next_last.eq(_any(enter, 2, words[1].hints))]
    with m.Elif(label.last):
        m.d.comb += left.eq(_left(m, "first", first, 1, lows[0]))
        m.d.comb += [last.eq(_any(first, 2, words[0].hints)), next_last.eq(_any(first, 3))]
        with m.If(first["ip4"]):
            m.d.comb += left.eq(lows[1] - 2)
        with m.If(first["ext"]):
            kind, hints = second.kind, words[1].hints
            m.d.comb += left.eq(_extension_left(second, words[1]))
            m.d.comb += [
                last.eq(kind.fragment | hints.length0),
                next_last.eq(kind.ah & hints.length1),
            ]
    with m.Elif(label.opens & label.header.ip4):
        m.d.comb += left.eq(lows[0] - 3)
    with m.Elif(state.opens_ext):
        kind, hints = label.kind, words[0].hints
        m.d.comb += [
            left.eq(_extension_left(label, words[0]) - 1),
            last.eq(kind.ah & hints.length1),
            next_last.eq(Mux(kind.ah, hints.length2, hints.length1)),
        ]
    with m.Else():
        m.d.comb += [
            left.eq(state.left - 2),
            last.eq(state.left == 2),
            next_last.eq(state.left == 3),
        ]
