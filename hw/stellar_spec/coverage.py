"""What the end-to-end check covers: for every field of every header, whether it is fed as it
stands, fed as zero, or not fed at all, and why.

The check is a CRC-32 as Ethernet's FCS (IEEE 802.3, clause 3.2.9) over a row of bytes, the *check
sequence*, which follows the wire from the IP source address to the last byte of the payload.
"""

from dataclasses import dataclass
from enum import Enum

from .fields import Header
from .headers import (
    ACK,
    ADDR,
    AH,
    ETHERNET,
    IMM,
    INT,
    INT_HOP,
    IPV4,
    IPV6,
    IPV6_EXTENSION,
    IPV6_FRAGMENT,
    IPV6_ROUTING,
    STELLAR,
    TCP,
    UDP,
    VLAN,
)

__all__ = ["BYTES_COVERAGE", "COVERAGE", "BytesCoverage", "Coverage", "Treatment", "treatment"]


class Treatment(Enum):
    """What happens to a field in the check sequence."""

    COVERED = "covered"
    ZERO = "taken as zero"
    OUTSIDE = "not in the sequence"


@dataclass(frozen=True)
class Coverage:
    """Fields of one header that are treated alike, and the reason."""

    header: Header
    fields: tuple[str, ...]
    treatment: Treatment
    reason: str


@dataclass(frozen=True)
class BytesCoverage:
    """Bytes that belong to no declared field, such as options and payload."""

    name: str
    treatment: Treatment
    reason: str


def _all(header: Header, treatment: Treatment, reason: str) -> Coverage:
    return Coverage(header, tuple(field.name for field in header.fields), treatment, reason)


_COVERED, _ZERO, _OUTSIDE = Treatment.COVERED, Treatment.ZERO, Treatment.OUTSIDE
_LINK = "of one link; every router writes its own"
_SWITCHED = "switches add, remove and rewrite tags"
_EXTENSION = "lies between addresses and UDP; options may be rewritten on the way"

COVERAGE: tuple[Coverage, ...] = (
    Coverage(ETHERNET, ("dst", "src"), _OUTSIDE, _LINK),
    Coverage(ETHERNET, ("type",), _OUTSIDE, _SWITCHED),
    _all(VLAN, _OUTSIDE, _SWITCHED),
    Coverage(IPV4, ("version", "ihl"), _OUTSIDE, "judged by the parser, which finds UDP by them"),
    Coverage(IPV4, ("dscp", "ecn"), _OUTSIDE, "switches mark congestion and change classes"),
    Coverage(IPV4, ("total_length",), _OUTSIDE, "bounds the UDP length, which is covered"),
    Coverage(
        IPV4,
        ("identification", "evil", "dont_fragment", "more_fragments", "fragment_offset"),
        _OUTSIDE,
        "fragmentation; a fragment is no candidate",
    ),
    Coverage(IPV4, ("ttl",), _OUTSIDE, "every router counts it down"),
    Coverage(IPV4, ("protocol",), _OUTSIDE, "17, or the packet is no candidate"),
    Coverage(IPV4, ("checksum",), _OUTSIDE, "changes with the TTL; verified by itself"),
    Coverage(IPV4, ("src", "dst"), _COVERED, "a packet for another host must not be placed"),
    Coverage(IPV6, ("version",), _OUTSIDE, "judged by the parser, which finds UDP by it"),
    Coverage(IPV6, ("dscp", "ecn"), _OUTSIDE, "switches mark congestion and change classes"),
    Coverage(IPV6, ("flow_label",), _OUTSIDE, "mutable in RFC 4302; some networks set it"),
    Coverage(IPV6, ("payload_length",), _OUTSIDE, "bounds the UDP length, which is covered"),
    Coverage(IPV6, ("next_header",), _OUTSIDE, "leads to UDP, or the packet is no candidate"),
    Coverage(IPV6, ("hop_limit",), _OUTSIDE, "every router counts it down"),
    Coverage(IPV6, ("src", "dst"), _COVERED, "a packet for another host must not be placed"),
    _all(IPV6_EXTENSION, _ZERO, _EXTENSION),
    _all(IPV6_ROUTING, _ZERO, _EXTENSION),
    _all(IPV6_FRAGMENT, _ZERO, _EXTENSION),
    _all(AH, _ZERO, _EXTENSION),
    Coverage(UDP, ("sport", "dport"), _COVERED, "the path that is echoed, and the protocol"),
    Coverage(UDP, ("length",), _COVERED, "says where payload and check end"),
    Coverage(UDP, ("checksum",), _ZERO, "a middlebox may fill it in; INT changes it at each hop"),
    _all(TCP, _OUTSIDE, "never in a StellarTP packet"),
    _all(STELLAR, _COVERED, "written by the sender alone"),
    _all(ADDR, _COVERED, "written by the sender alone"),
    _all(IMM, _COVERED, "written by the sender alone"),
    _all(ACK, _COVERED, "written by the sender alone"),
    Coverage(INT, ("hops_used", "exceeded"), _ZERO, "each hop writes them"),
    Coverage(INT, ("hops_reserved", "zero"), _ZERO, "the extension is masked as a whole"),
    _all(INT_HOP, _ZERO, "each hop writes one entry"),
)
"""Every field of every header exactly once."""

BYTES_COVERAGE: tuple[BytesCoverage, ...] = (
    BytesCoverage("IPv4 options", _ZERO, _EXTENSION),
    BytesCoverage("bodies of IPv6 extension headers", _ZERO, _EXTENSION),
    BytesCoverage("payload (the opcode's body included)", _COVERED, "what the check is for"),
    BytesCoverage("the check itself", _OUTSIDE, "it ends the UDP payload"),
    BytesCoverage("Ethernet padding and FCS", _OUTSIDE, "behind the IP packet; of one link"),
)
"""What stands between and behind the headers."""


def treatment(header: Header, name: str) -> Treatment:
    """How the check treats the field ``name`` of ``header``.

    Raises ``KeyError`` for a field that is declared nowhere in ``COVERAGE``.
    """
    for entry in COVERAGE:
        if entry.header is header and name in entry.fields:
            return entry.treatment
    raise KeyError(f"the coverage of field {name!r} of header {header.name!r} is not declared")
