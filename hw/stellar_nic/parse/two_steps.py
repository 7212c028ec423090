"""Two steps of the walk at once, for the two words of a wide beat.

What follows the second word is worked out for both cases, that the first ended its header and that
it did not, and picked at the end: so it takes hardly longer than one step.  What both words can be
is narrowed down by where headers begin and how long they are:

- Ethernet ends in lane 1; a tag in lane 1 is the second.
- A header that begins and ends in lane 1 has one word: a tag, IMM or INT.
- The word of an IP header that tells what follows is not its last.
- An extension header that ends in lane 1 began in lane 0, or was learnt of in an earlier beat.
"""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal

from .labels import HEADERS, LabelLayout, NextLayout
from .steps import (
    IP_WORDS,
    SINGLE,
    LearntLayout,
    StateLayout,
    Steps,
    either,
    ends_network,
    enters,
    extension_left,
    follow,
    index_behind,
    ip4_left,
    left_behind,
    number_bits,
)

__all__ = ["two_steps"]


def two_steps(m: Module, state, words):
    """As ``one_step``, for two words that are both there."""
    label, before, hints = state.label, state.learnt, [word.hints for word in words]
    here = {name: label.header[name] for name in HEADERS}
    ends = {name: value for name, value in here.items() if name != "eth"}
    stays = {name: value for name, value in here.items() if name not in SINGLE}
    next_stays = _next_in_lane_1(m, state, hints[0])
    first = follow(m, "first", ends, hints[0], before, before.next, before.port)
    single = {name: first[name] for name in SINGLE}
    entered = follow(m, "entered", single, hints[1], before, before.next, before.port)
    stayed = follow(m, "stayed", stays, hints[1], before, next_stays, hints[0].port)
    entered["vlan"] = 0
    enter = _pick(m, label.last, entered, stayed)
    second = _second(m, state, hints[0], first)
    after = Signal(StateLayout)
    m.d.comb += [
        *(
            after.label.header[name].eq(Mux(second.last, enter[name], second.header[name]))
            for name in HEADERS
        ),
        after.label.index.eq(
            Mux(second.last, 0, either(label.last, 1, index_behind(label.index, 2)))
        ),
        after.label.opens.eq(second.last),
        after.opens_ext.eq(second.last & enter["ext"]),
        after.soon.eq(after.label.last | after.next_last),
        after.one6.eq(label.last & first["ip6"]),
        after.near4.eq(label.last & first["ip4"] | here["ip4"] & label.opens),
        after.then4.eq(here["ip4"] & (label.opens | state.near4 & label.index[0])),
        after.at4.eq(here["ip4"] & state.near4),
        after.label.kind.eq(
            Mux(second.last, next_stays, either(label.last, before.next, label.kind))
        ),
        after.learnt.eq(_learn(m, state, words, first)),
    ]
    _count(m, state, second, after, words, first, enter)
    last_1 = ~label.last & _last_in_lane_1(state, hints[0])
    network = here["ip4"] | here["ip6"] | here["ext"]
    return Steps(
        labels=[label, second],
        chain_ends=[ends_network(label, before.next), network & last_1 & ~next_stays.ext],
        opens=[state.opens_ext, label.last & first["ext"]],
        ends=[here["ext"] & label.last, here["ext"] & last_1],
        ip_words={name: _number_bits(label, first, name) for name in IP_WORDS},
        after=after,
    )


def _number_bits(label, first, name):
    """Words of an IP header up to the address are not its last, so lane 1 has the next."""
    bits = number_bits(label, name)
    return [bits, Cat(label.last & first[name], bits[:-1])]


def _next_in_lane_1(m, state, hints):
    """What follows the IP headers, if the last of them ends in lane 1, and does not begin there."""
    opened = Mux(state.label.kind.fragment, hints.next_fragment, hints.next)
    found = Signal(NextLayout, name="next_stays")
    m.d.comb += found.eq(Mux(state.opens_ext, opened, state.learnt.next))
    return found


def _last_in_lane_1(state, hints):
    """Lane 1 has the last word of a header, if lane 0 has not."""
    return Mux(state.opens_ext, state.label.kind.fragment | hints.length0, state.next_last)


def _second(m, state, hints, first):
    """The label of the word in lane 1."""
    label = state.label
    second = Signal(LabelLayout)
    last = Mux(label.last, enters(first, 1), _last_in_lane_1(state, hints))
    m.d.comb += [
        *(
            second.header[name].eq(Mux(label.last, first[name], label.header[name]))
            for name in HEADERS
        ),
        second.index.eq(Mux(label.last, 0, index_behind(label.index, 1))),
        second.opens.eq(label.last),
        second.kind.eq(Mux(label.last, state.learnt.next, label.kind)),
        second.last.eq(last),
    ]
    return second


def _learn(m, state, words, first):
    """What has been learnt with both words."""
    label, before, hints = state.label, state.learnt, [word.hints for word in words]
    here, last = label.header, label.last
    after = Signal(LearntLayout, name="learnt")
    m.d.comb += [
        _learn_next(m, state, hints, first, after.next),
        after.later.eq(before.later),
        after.port.eq(before.port),
        after.announced.eq(before.announced),
        after.follows.eq(before.follows),
        after.tags.eq(before.tags + here.vlan + (last & first["vlan"])),
    ]
    for lane, fragment, udp, base in (
        (0, here.ip4 & state.near4 & label.index[0], here.udp & label.opens, here.base),
        (1, here.ip4 & label.opens, last & first["udp"], last & first["base"]),
    ):
        with m.If(fragment):
            m.d.comb += after.later.eq(hints[lane].offset4)
        with m.If(udp):
            m.d.comb += after.port.eq(hints[lane].port)
        with m.If(base if lane else base & label.opens):
            m.d.comb += after.announced.eq(words[lane].data[16:20])
            m.d.comb += after.follows.eq(hints[lane].follows)
    return after


def _learn_next(m, state, hints, first, target):
    """What follows the IP headers: each source by itself, of which one counts at most."""
    label, before, index = state.label, state.learnt, state.label.index
    here, near = label.header, label.header.ip4 & state.near4
    four = near & ~index[0], near & index[0]  # IPv4's word 2, with the protocol, is in this lane
    later = before.later, hints[0].offset4
    six = here.ip6 & (index == 1), here.ip6 & label.opens
    opens = state.opens_ext, label.last & first["ext"]
    fragment = label.kind.fragment, before.next.fragment
    # Nothing was learnt in front of an IP header, so only extension headers replace anything.
    kept, values = ~(opens[0] | opens[1]), []
    for name in target.shape().members:
        found = [kept & before.next[name]]
        for lane in range(2):
            hint = hints[lane]
            opened = Mux(fragment[lane], hint.next_fragment[name], hint.next[name])
            found += [six[lane] & hint.next6[name], opens[lane] & opened]
            if name in ("udp", "tcp"):
                found.append(four[lane] & ~later[lane] & hint[f"{name}4"])
        values.append(reduce(or_, found))
    return target.eq(Cat(*values))


def _pick(m, last, entered, stayed):
    picked = {}
    for name, value in entered.items():
        picked[name] = Signal(name=f"enter_{name}")
        m.d.comb += picked[name].eq(Mux(last, value, stayed[name]))
    return picked


def _count(m, state, second, after, words, first, enter):
    """Words left behind two words, and whether the next one and the one behind it is the last."""
    last, rows = state.label.last, (after.left, after.label.last, after.next_last)
    hints = words[1].hints
    entered = (
        left_behind(m, "enter", enter, 0, hints),
        enters(enter, 1),
        enters(enter, 2, hints),
    )
    begun, stayed = _count_begun(m, state, words, first), _count_stayed(state, words[0])
    for target, values in zip(rows, zip(entered, begun, stayed, strict=True), strict=True):
        m.d.comb += target.eq(Mux(second.last, values[0], either(last, *values[1:])))


def _count_begun(m, state, words, first):
    """The same, if a header begins in lane 1 and does not end there."""
    kind, hints, ext = state.learnt.next, words[1].hints, first["ext"]
    left = left_behind(m, "first", first, 1, words[0].hints)
    left |= ip4_left(words[1], 2) & first["ip4"].replicate(4)
    return (
        left | extension_left(kind, words[1]) & ext.replicate(9),
        enters(first, 2, words[0].hints) | ext & (kind.fragment | hints.length0),
        enters(first, 3) | ext & kind.ah & hints.length1,
    )


def _count_stayed(state, word):
    """The same, if both words are of one header, and it does not end with them."""
    label, hints, kind = state.label, word.hints, state.label.kind
    opens_ip4 = label.opens & label.header.ip4
    # The extension header's length field is 1 or more.
    opened = Mux(kind.ah, hints.fewer, Cat(1, hints.fewer))
    return (
        Mux(opens_ip4, ip4_left(word, 3), Mux(state.opens_ext, opened, state.left - 2)),
        Mux(state.opens_ext, kind.ah & hints.length1, ~opens_ip4 & (state.left == 2)),
        Mux(
            state.opens_ext,
            Mux(kind.ah, hints.length2, hints.length1),
            ~opens_ip4 & (state.left == 3),
        ),
    )
