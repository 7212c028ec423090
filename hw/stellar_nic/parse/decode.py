"""What a word would say in each place where the walk asks: decoded ahead of it, for speed.

Which question matters is found out a stage later, when the word has got its label.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data

from stellar_spec.codes import TPIDS, EtherType, IPv4Option, IPv6Option, Protocol
from stellar_spec.headers import INT, UDP
from stellar_spec.opcodes import INT_HOPS_MAX, StellarFlag

from .labels import NextLayout

__all__ = ["EXTENSIONS", "ByteLayout", "FollowsLayout", "HintsLayout", "decode_byte", "decode_word"]

ByteLayout = data.StructLayout({"value": 8, "next": NextLayout, "route": 1, "home": 1})
"""A byte of the frame, what it leads to if it is an IP protocol number, and options of interest."""

BYTES_MOST = 15

EXTENSIONS = ("addr", "imm", "ack", "int")
"""StellarTP's extensions in the order in which they follow."""

FollowsLayout = data.StructLayout(
    {
        header: data.StructLayout({name: 1 for name in EXTENSIONS[place:]})
        for place, header in enumerate(("base", *EXTENSIONS[:-1]))
    }
)
"""For a base header, ADDR, IMM and ACK: the extension that follows, if one does."""

HintsLayout = data.StructLayout(
    {
        "vlan": 1,  # the lower half is a TPID
        "ip4": 1,  # … is IPv4's EtherType
        "ip6": 1,  # … is IPv6's
        "port": 1,  # … is StellarTP's UDP port
        "four": 1,  # an IPv4 header may begin with this word: version 4, IHL 5 or more
        "six": 1,  # an IPv6 header may begin with this word: version 6
        "offset4": 1,  # the fragment offset of IPv4 is not 0
        "udp4": 1,  # the protocol in an IPv4 header is UDP
        "tcp4": 1,  # … is TCP
        "next6": NextLayout,  # the next header in an IPv6 header
        "next": NextLayout,  # the next header in an extension header
        "next_fragment": NextLayout,  # … in a fragment header, nothing if that is a later one's
        # The upper half, as a UDP length, is at most that of the header and 0, 1, 2 … bytes more.
        "bytes_most": BYTES_MOST,
        "short": 1,  # … less than that of the header
        "long": 1,  # … 256 or more
        "offset6": 1,  # the fragment offset in a fragment header of IPv6 is not 0
        "length0": 1,  # an extension header's length field is 0
        "length1": 1,  # … is 1
        "length2": 1,  # … is 2
        "units": 9,  # an extension header's length field and 1
        "fewer": 8,  # … less 1
        "last_octet": 1,  # the last byte is not 0
        "route": 1,  # some byte is the type of an IPv4 source route option
        "home": 1,  # some byte is the type of the home address option
        "home_behind": 1,  # … of the last two
        "hops": 1,  # INT's hops_reserved is at least 1 and within the limit
        "follows": FollowsLayout,  # in a base header
        "one_hop": 1,  # … is 1 or 0
        "more_hops": 4,  # … less 1
        "excess": 1,  # … is beyond the limit
        "malformed": 1,  # so is INT, for this or another reason
    }
)
"""What a word says, read as any word that it may be."""


def _follows(flags):
    """Members of ``FollowsLayout`` for the flags of a base header."""
    bits = [flags[StellarFlag[name.upper()].bit_length() - 1] for name in EXTENSIONS]
    values = []
    for place in range(len(EXTENSIONS)):
        free = 1
        for bit in bits[place:]:
            values.append(free & bit)
            free &= ~bit
    return Cat(*values)


def _field(word, header, name):
    """The field ``name``, which lies within the first word of ``header``."""
    stop = 32 - header.offset(name)
    return word[stop - header[name].width : stop]


def decode_byte(m: Module, value, name: str):
    """``value`` as a ``ByteLayout``."""
    byte = Signal(ByteLayout, name=name)
    kinds = {
        "ah": value == Protocol.AH,
        "fragment": value == Protocol.FRAGMENT,
        "routing": value == Protocol.ROUTING,
        "destination": value == Protocol.DESTINATION,
    }
    m.d.comb += [
        byte.value.eq(value),
        byte.next.udp.eq(value == Protocol.UDP),
        byte.next.tcp.eq(value == Protocol.TCP),
        byte.next.ext.eq(Cat(*kinds.values()).any() | (value == Protocol.HOP_BY_HOP)),
    ]
    m.d.comb += [
        byte.route.eq(Cat(value == option for option in IPv4Option).any()),
        byte.home.eq(value == IPv6Option.HOME_ADDRESS),
    ]
    m.d.comb += [byte.next[kind].eq(found) for kind, found in kinds.items()]
    return byte


def decode_word(octets, port) -> dict:
    """Members of ``HintsLayout`` for four bytes, the first on the wire first."""
    word = Cat(*(octet.value for octet in reversed(octets)))
    half = word[:16]
    used, hops, zero = (_field(word, INT, name) for name in ("hops_used", "hops_reserved", "zero"))
    excess, offset6 = hops > INT_HOPS_MAX, word[3:16].any()
    return {
        "vlan": Cat(*(half == tpid for tpid in TPIDS)).any(),
        "ip4": half == EtherType.IPV4,
        "ip6": half == EtherType.IPV6,
        "port": half == port,
        "four": (word[28:] == 4) & (word[24:28] >= 5),
        "six": word[28:] == 6,
        "offset4": word[:13].any(),
        "udp4": octets[1].next.udp,
        "tcp4": octets[1].next.tcp,
        "next6": octets[2].next,
        "next": octets[0].next,
        "offset6": offset6,
        "next_fragment": octets[0].next.as_value()
        & ~offset6.replicate(len(octets[0].next.as_value())),
        "follows": _follows(word[16:20]),
        "bytes_most": Cat(
            (word[21:] == 0) & (word[16:21] <= UDP.size + k) for k in range(BYTES_MOST)
        ),
        "short": word[16:] < UDP.size,
        "long": word[24:].any(),
        "units": word[16:24] + 1,
        "fewer": word[16:24] - 1,
        **{f"length{value}": word[16:24] == value for value in range(3)},
        "last_octet": word[:8].any(),
        "route": Cat(octet.route for octet in octets).any(),
        "home": Cat(octet.home for octet in octets).any(),
        "home_behind": Cat(octet.home for octet in octets[2:]).any(),
        "one_hop": hops[1:] == 0,
        "more_hops": hops - 1,
        "hops": (hops != 0) & ~excess,
        "excess": excess,
        "malformed": excess | (used > hops) | zero.any(),
    }
