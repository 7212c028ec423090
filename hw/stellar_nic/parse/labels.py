"""What a word of a frame can be: the labels that the walk gives and the stages behind it read."""

from amaranth.hdl import Cat
from amaranth.lib import data

from stellar_spec.codes import Protocol

__all__ = ["HEADERS", "HeaderLayout", "LabelLayout", "NextLayout", "classify", "header"]

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
    "rest",
)
"""What a word can belong to."""

HeaderLayout = data.StructLayout({name: 1 for name in HEADERS})
"""One bit for each of ``HEADERS``, one of them set."""

NextLayout = data.StructLayout(
    {"udp": 1, "tcp": 1, "ext": 1, "ah": 1, "fragment": 1, "routing": 1, "destination": 1}
)
"""What an IP protocol number leads to: ``ext`` for all extension headers, and which of them."""

LabelLayout = data.StructLayout(
    {
        "header": HeaderLayout,
        "index": 4,  # word of the header, saturating
        "last": 1,  # the header's last word
        "kind": NextLayout,  # of the extension header that the word belongs to
    }
)
"""What a word is."""


def header(name: str) -> int:
    """Value of ``HeaderLayout`` for the header ``name``."""
    return 1 << HEADERS.index(name)


def classify(protocol) -> dict:
    """Members of ``NextLayout`` for an IP protocol number."""
    kinds = {
        "ah": protocol == Protocol.AH,
        "fragment": protocol == Protocol.FRAGMENT,
        "routing": protocol == Protocol.ROUTING,
        "destination": protocol == Protocol.DESTINATION,
    }
    return {
        "udp": protocol == Protocol.UDP,
        "tcp": protocol == Protocol.TCP,
        "ext": Cat(*kinds.values()).any() | (protocol == Protocol.HOP_BY_HOP),
        **kinds,
    }
