"""Steps 4 to 6 of docs/parser.md: IPv4, and IPv6 with its extension headers."""

from math import inf

from stellar_spec.codes import (
    EXTENSION_LIMIT,
    EtherType,
    Flag,
    IPv4Option,
    IPv6Option,
    Layer,
    Protocol,
)
from stellar_spec.headers import IPV4, IPV6, IPV6_EXTENSION, IPV6_FRAGMENT, IPV6_ROUTING

from .checksum import GOOD, ones_complement_sum
from .codec import decode
from .walk import WORD, Stop, Walk

__all__ = ["ip"]

EXTENSION_HEADERS = (
    Protocol.HOP_BY_HOP,
    Protocol.ROUTING,
    Protocol.FRAGMENT,
    Protocol.AH,
    Protocol.DESTINATION,
)
FRAGMENT_UNIT = 8  # bytes


def ip(walk: Walk) -> None:
    """4. IP, first word."""
    l3 = walk.offsets["l3"]
    walk.need(l3 + WORD, Flag.IP_TRUNCATED)
    version, ihl = walk.frame[l3] >> 4, walk.frame[l3] & 15
    four = walk.header["eth"]["type"] == EtherType.IPV4
    if version != (4 if four else 6):
        walk.flags |= Flag.IP_VERSION
        raise Stop(l3 + WORD)
    if four and 4 * ihl < IPV4.size:
        walk.flags |= Flag.IPV4_IHL
        raise Stop(l3 + WORD)
    (ipv4 if four else ipv6)(walk)


def ipv4(walk: Walk) -> None:
    """5. IPv4."""
    l3 = walk.offsets["l3"]
    header_length = 4 * (walk.frame[l3] & 15)
    walk.need(l3 + header_length, Flag.IP_TRUNCATED)
    whole = walk.frame[l3 : l3 + header_length]
    header = decode(IPV4, whole)
    header["header_length"] = header_length
    header["fragment_offset"] *= FRAGMENT_UNIT
    walk.show(Layer.IP, header, payload=l3 + header_length)

    options = whole[IPV4.size :]
    if options:
        walk.flags |= Flag.IPV4_OPTIONS
    if ones_complement_sum(whole) != GOOD:
        walk.flags |= Flag.IPV4_CHECKSUM
    if header["more_fragments"] or header["fragment_offset"]:
        walk.flags |= Flag.FRAGMENT
    walk.source_route = any(option in options for option in IPv4Option)
    if header["total_length"] < header_length:
        walk.flags |= Flag.IP_LENGTH
        raise Stop(l3 + header_length)
    walk.ip_payload = header["total_length"] - header_length


def ipv6(walk: Walk) -> None:
    """6. IPv6."""
    l3 = walk.offsets["l3"]
    walk.need(l3 + IPV6.size, Flag.IP_TRUNCATED)
    header = decode(IPV6, walk.frame, l3)
    payload_length = header["payload_length"]
    header["ttl"] = header["hop_limit"]
    header["protocol"] = header["next_header"]
    header["header_length"] = IPV6.size
    header["total_length"] = IPV6.size + payload_length
    walk.show(Layer.IP, header, payload=l3 + IPV6.size)

    walk.jumbogram = payload_length == 0 and header["next_header"] == Protocol.HOP_BY_HOP
    if walk.jumbogram:
        payload_length = inf
    shown = walk.header["ip"]
    while shown["protocol"] in EXTENSION_HEADERS and shown["fragment_offset"] == 0:
        extension_header(walk, payload_length)
    walk.ip_payload = payload_length - (shown["header_length"] - IPV6.size)


def extension_header(walk: Walk, payload_length: float) -> None:
    """One extension header of step 6."""
    shown = walk.header["ip"]
    kind, at = shown["protocol"], walk.offsets["payload"]
    walk.flags |= Flag.IPV6_EXTENSIONS
    walk.need(at + WORD, Flag.IP_TRUNCATED)
    first = decode(IPV6_EXTENSION, walk.frame, at)
    size = extension_size(kind, first["length"])

    together = shown["header_length"] - IPV6.size + size
    if together > EXTENSION_LIMIT:
        walk.flags |= Flag.EXT_LIMIT
    if together > payload_length:
        walk.flags |= Flag.IP_LENGTH
    if together > min(EXTENSION_LIMIT, payload_length):
        raise Stop(at + WORD)
    walk.need(at + size, Flag.IP_TRUNCATED)
    shown["header_length"] += size
    walk.offsets["payload"] = at + size

    if kind == Protocol.ROUTING:
        walk.segments_left |= decode(IPV6_ROUTING, walk.frame, at)["segments_left"] != 0
    if kind == Protocol.DESTINATION:
        walk.home_address |= IPv6Option.HOME_ADDRESS in walk.frame[at + 2 : at + size]
    if kind == Protocol.FRAGMENT:
        fragment(walk, at)
    shown["protocol"] = first["next_header"]


def extension_size(kind: int, length: int) -> int:
    """Bytes of an extension header with the value ``length`` in its length field."""
    if kind == Protocol.FRAGMENT:
        return IPV6_FRAGMENT.size
    if kind == Protocol.AH:
        return (length + 2) * 4
    return (length + 1) * 8


def fragment(walk: Walk, at: int) -> None:
    """A fragment header of step 6."""
    header, shown = decode(IPV6_FRAGMENT, walk.frame, at), walk.header["ip"]
    shown["fragment_offset"] = header["fragment_offset"] * FRAGMENT_UNIT
    shown["more_fragments"] = header["more_fragments"]
    if shown["fragment_offset"] or shown["more_fragments"]:
        walk.flags |= Flag.FRAGMENT
