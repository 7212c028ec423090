"""The steps of the walk: from a state and the next words to their labels and the state behind.

``one_step`` reads one word; ``two_steps``, in a file of its own, the two of a wide beat.
"""

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data

from stellar_spec.headers import INT_HOP

from .decode import FollowsLayout
from .labels import HEADERS, WORDS, LabelLayout, NextLayout
from .tables import lookup

__all__ = [
    "IP_WORDS",
    "OPENING",
    "SINGLE",
    "LearntLayout",
    "StateLayout",
    "Steps",
    "either",
    "ends_network",
    "enters",
    "extension_left",
    "follow",
    "index_behind",
    "ip4_left",
    "left_behind",
    "number_bits",
    "one_step",
]

SINGLE = tuple(name for name, words in WORDS.items() if words == 1)
"""Headers of one word."""

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
        "soon": 1,  # there is one or none
        "one6": 1,  # in an IPv6 header: the next word is number 1
        "near4": 1,  # in an IPv4 header: the next word is number 1 or 2
        "then4": 1,  # … number 2 or 3
        "at4": 1,  # … number 3 or 4: the addresses
        "opens_ext": 1,  # the next word opens an extension header
        "learnt": LearntLayout,
    }
)
"""Where the walk is."""

OPENING = {"label": {"header": {"eth": 1}, "opens": 1}, "left": WORDS["eth"] - 1}
"""The state in front of a frame."""


IP_WORDS = {"ip4": 5, "ip6": WORDS["ip6"]}
"""Words of the IP headers that are looked at one by one."""


@dataclass(frozen=True)
class Steps:
    """What one or two steps find; lists have an entry for each word.

    ``labels``; ``chain_ends``: the IP headers end with it; ``opens``, ``ends``: it opens, ends an
    extension header; ``ip_words``: header of ``IP_WORDS`` → bit n: it is its word n; ``after``: the
    state behind all.
    """

    labels: list
    chain_ends: list
    opens: list
    ends: list
    ip_words: dict
    after: Signal


def either(choice, one, other):
    """``Mux``, as gates: else synthesis finds registers that keep their value, and makes an enable
    of the choice, which comes later than data.
    """
    one, other = Value.cast(one), Value.cast(other)
    bits = max(len(one), len(other))
    return choice.replicate(bits) & one | ~choice.replicate(bits) & other


def _signals(m: Module, name: str, values: dict) -> dict:
    found = {}
    for key, value in values.items():
        found[key] = Signal.like(value, name=f"{name}_{key}")
        m.d.comb += found[key].eq(value)
    return found


def follow(m: Module, name: str, here: dict, hints, learnt, next_header, port) -> dict:
    """What the next word opens when this one is the last of its header, one signal for each header.

    ``here`` tells which header that is, of those that may be meant; ``hints`` what the word says,
    ``next_header`` what follows the IP headers, ``port`` whether the UDP port is StellarTP's.
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


def ends_network(label, next_header):
    """The word, if its header's last, ends the IP header and all extension headers."""
    here = label.header
    return label.last & (here.ip4 | here.ip6 | here.ext) & ~next_header.ext


def enters(enter: dict, words: int, hints=None):
    """A header of so many words is entered; ``hints`` are of INT, if hops may be."""
    found = [enter[name] for name, length in WORDS.items() if length == words]
    if words == INT_HOP.size // 4 and hints is not None:
        found.append(enter["hops"] & hints.one_hop)
    return Cat(*found).any()


def left_behind(m: Module, name: str, enter: dict, read: int, hints):
    """Words left behind the next one, when ``read`` words of the header entered have been read.

    ``hints`` are of INT, if it is hops that are entered.  What depends on the first word of an IP
    header or extension header is not known here.
    """
    left = Signal(_LEFT_BITS, name=f"{name}_left")
    for bit in range(_LEFT_BITS):
        fixed = [
            enter[header]
            for header, words in WORDS.items()
            if words > read and words - 1 - read >> bit & 1
        ]
        hop = Cat(1 - read, hints.more_hops, Const(0, _LEFT_BITS))[bit]  # two words each
        m.d.comb += left[bit].eq(Cat(*fixed, enter["hops"] & hop).any())
    return left


def _learn(m: Module, name: str, label, word, before, opens_ext):
    """What has been learnt with ``word``, which has ``label``."""
    here, hints, index = label.header, word.hints, label.index
    after = Signal(LearntLayout, name=f"{name}_learnt")
    m.d.comb += [
        after.next.eq(before.next),
        after.later.eq(either(here.ip4 & (index == 1), hints.offset4, before.later)),
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


def ip4_left(word, read: int):
    """Words left of an IPv4 header behind the next one, ``read`` words of it being known.

    ``word`` is its first.  An IHL that is too small ends the walk.
    """
    return lookup(word.data[24:28], lambda ihl: max(ihl - read, 0), 4)


def extension_left(kind, word):
    """Words left of an extension header of ``kind`` behind the next one; ``word`` is its first."""
    length = word.data[16:24]
    return Mux(kind.fragment, 0, Mux(kind.ah, length, length << 1))


def _read_extension(label, word, left, last, next_last):
    """Assignments behind an extension header's first word."""
    return [
        left.eq(extension_left(label.kind, word)),
        last.eq(label.kind.fragment | word.hints.length0),
        next_last.eq(label.kind.ah & word.hints.length1),
    ]


def one_step(m: Module, state, words):
    """The step over ``words``, which is one: ``Steps``."""
    word, label, learnt = words[0], state.label, state.learnt
    after = Signal(StateLayout)
    here = {name: label.header[name] for name in HEADERS}
    enter = follow(m, "enter", here, word.hints, learnt, learnt.next, learnt.port)
    m.d.comb += [
        *(
            after.label.header[name].eq(Mux(label.last, enter[name], here[name]))
            for name in HEADERS
        ),
        after.label.index.eq(Mux(label.last, 0, index_behind(label.index, 1))),
        after.label.opens.eq(label.last),
        after.opens_ext.eq(label.last & enter["ext"]),
        after.soon.eq(after.label.last | after.next_last),
        after.one6.eq(here["ip6"] & label.opens),
        after.near4.eq(here["ip4"] & label.index.matches(0, 1)),
        after.then4.eq(here["ip4"] & label.index.matches(1, 2)),
        after.at4.eq(here["ip4"] & label.index.matches(2, 3)),
        after.label.kind.eq(Mux(label.last, learnt.next, label.kind)),
        after.learnt.eq(_learn(m, "word", label, word, learnt, state.opens_ext)),
    ]
    left, last, next_last = after.left, after.label.last, after.next_last
    with m.If(label.last):
        m.d.comb += left.eq(left_behind(m, "enter", enter, 0, word.hints))
        m.d.comb += [last.eq(enters(enter, 1)), next_last.eq(enters(enter, 2, word.hints))]
    with m.Elif(label.opens & label.header.ip4):
        m.d.comb += left.eq(ip4_left(word, 2))
    with m.Elif(state.opens_ext):
        m.d.comb += _read_extension(label, word, left, last, next_last)
    with m.Else():
        m.d.comb += [
            left.eq(state.left - 1),
            last.eq(state.next_last),
            next_last.eq(state.left == 2),
        ]
    return Steps(
        labels=[label],
        chain_ends=[ends_network(label, learnt.next)],
        opens=[state.opens_ext],
        ends=[label.header.ext & label.last],
        ip_words={name: [number_bits(label, name)] for name in IP_WORDS},
        after=after,
    )


def number_bits(label, name):
    """For each of ``IP_WORDS`` of the header ``name``: it has the ``label``."""
    return Cat(label.header[name] & (label.index == k) for k in range(IP_WORDS[name]))


def index_behind(index, words):
    """The index ``words`` behind; from 15 on it goes round from 8."""
    more = index + words
    return Cat(more[:3], more[3] | index[3])
