"""What a word of a frame can be: the labels that the walk gives and the stages behind it read."""

from amaranth.lib import data

from stellar_spec.headers import (
    ACK,
    ADDR,
    ETHERNET,
    IMM,
    INT,
    IPV6,
    STELLAR,
    TCP,
    UDP,
    VLAN,
)

__all__ = ["HEADERS", "WORDS", "HeaderLayout", "LabelLayout", "NextLayout"]

HEADERS = (
    "eth",
    "vlan",
    "ip4",
    "ip6",
    "ext",
    "udp",
    "tcp",
    "base",
    "addr",
    "imm",
    "ack",
    "int",
    "hops",
)
"""What a word can belong to."""

WORDS = {  # Ethernet's first is half a word
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
"""Words of the headers of fixed length."""

HeaderLayout = data.StructLayout({name: 1 for name in HEADERS})
"""One bit for each of ``HEADERS``.  One is set, or none where nothing is looked for any more."""

NextLayout = data.StructLayout(
    {"udp": 1, "tcp": 1, "ext": 1, "ah": 1, "fragment": 1, "routing": 1, "destination": 1}
)
"""What an IP protocol number leads to: ``ext`` for all extension headers, and which of them."""

LabelLayout = data.StructLayout(
    {
        "header": HeaderLayout,
        "index": 4,  # word of the header; behind 15 it goes on at 8
        "opens": 1,  # the header's first word
        "last": 1,  # the header's last word
        "kind": NextLayout,  # of the extension header that the word belongs to
    }
)
"""What a word is."""
