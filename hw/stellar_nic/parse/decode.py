"""What a word would say in each place where the walk asks: decoded ahead of it, for speed.

Which question matters is found out a stage later, when the word has got its label.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data

from stellar_spec.codes import TPIDS, EtherType, Protocol
from stellar_spec.opcodes import INT_HOPS_MAX

from .labels import NextLayout

__all__ = ["ByteLayout", "HintsLayout", "decode_byte", "decode_word"]

ByteLayout = data.StructLayout({"value": 8, "next": NextLayout})
"""A byte of the frame, and what it leads to if it is an IP protocol number."""

HintsLayout = data.StructLayout(
    {
        "vlan": 1,  # the lower half is a TPID
        "ip4": 1,  # … is IPv4's EtherType
        "ip6": 1,  # … is IPv6's
        "port": 1,  # … is StellarTP's UDP port
        "four": 1,  # an IPv4 header may begin with this word: version 4, IHL 5 or more
        "six": 1,  # an IPv6 header may begin with this word: version 6
        "offset4": 1,  # the fragment offset of IPv4 is not 0
        "offset6": 1,  # that of a fragment header is not 0
        "next4": NextLayout,  # the protocol in an IPv4 header
        "next6": NextLayout,  # the next header in an IPv6 header
        "next": NextLayout,  # the next header in an extension header
        "short": 1,  # an extension header's length field is 0
        "hops": 1,  # INT's hops_reserved is at least 1 and within the limit
    }
)
"""What a word says, read as any word that it may be."""


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
    m.d.comb += [byte.next[kind].eq(found) for kind, found in kinds.items()]
    return byte


def decode_word(octets, port) -> dict:
    """Members of ``HintsLayout`` for four bytes, the first on the wire first."""
    word = Cat(*(octet.value for octet in reversed(octets)))
    half = word[:16]
    hops = word[24:28]
    return {
        "vlan": Cat(*(half == tpid for tpid in TPIDS)).any(),
        "ip4": half == EtherType.IPV4,
        "ip6": half == EtherType.IPV6,
        "port": half == port,
        "four": (word[28:] == 4) & (word[24:28] >= 5),
        "six": word[28:] == 6,
        "offset4": word[:13].any(),
        "offset6": word[3:16].any(),
        "next4": octets[1].next,
        "next6": octets[2].next,
        "next": octets[0].next,
        "short": word[16:24] == 0,
        "hops": (hops != 0) & (hops <= INT_HOPS_MAX),
    }
