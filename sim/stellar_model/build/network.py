"""Ethernet, VLAN tags, IPv4, and IPv6 with its extension headers."""

from stellar_spec.codes import TPIDS, EtherType, Protocol
from stellar_spec.fields import Header
from stellar_spec.headers import (
    AH,
    ETHERNET,
    IPV4,
    IPV6,
    IPV6_EXTENSION,
    IPV6_FRAGMENT,
    IPV6_ROUTING,
    VLAN,
)

from ..checksum import checksum
from ..codec import encode
from .part import Part, Payload, number_of, part, render

__all__ = [
    "ah",
    "destination",
    "ethernet",
    "fragment",
    "hop_by_hop",
    "ipv4",
    "ipv6",
    "pad",
    "routing",
    "vlan",
]

MINIMUM_FRAME = 60  # bytes, without FCS


def ethernet(payload: Payload = b"", *, dst=0x020000000002, src=0x020000000001, type=None) -> bytes:
    """A frame without FCS; ``type`` must be given when the payload is plain bytes."""
    header = encode(ETHERNET, dst=dst, src=src, type=number_of(payload, type))
    return header + render(payload)


def pad(frame: bytes, size: int = MINIMUM_FRAME, fill: bytes = b"\0") -> bytes:
    """``frame`` with ``fill`` behind it up to ``size`` bytes."""
    return frame.ljust(size, fill)


def vlan(payload: Payload = b"", *, tpid=TPIDS[0], type=None, **fields) -> Part:
    """A VLAN tag: ``pcp``, ``dei``, ``vid``."""
    return part(tpid, encode(VLAN, type=number_of(payload, type), **fields), payload)


def ipv4(payload: Payload = b"", *, options: bytes = b"", protocol=None, **fields) -> Part:
    """IPv4, from 10.0.0.1 to 10.0.0.2; ``options`` are whole 4-byte words."""
    if len(options) % 4:
        raise ValueError(f"IPv4 options have {len(options)} bytes; whole 4-byte words are needed")
    values = {"version": 4, "ttl": 64, "src": 0x0A000001, "dst": 0x0A000002} | fields
    values["protocol"] = number_of(payload, protocol)
    body = render(payload, _addresses(IPV4, values), len(options))
    size = IPV4.size + len(options)
    values.setdefault("ihl", size // 4)
    values.setdefault("total_length", size + len(body))
    values.setdefault("checksum", checksum(encode(IPV4, **values) + options))
    return part(EtherType.IPV4, encode(IPV4, **values) + options, body)


def ipv6(payload: Payload = b"", *, next_header=None, **fields) -> Part:
    """IPv6, from fd00::1 to fd00::2; extension headers stand around the payload."""
    site = 0xFD << 120
    values = {"version": 6, "hop_limit": 64, "src": site | 1, "dst": site | 2} | fields
    values["next_header"] = number_of(payload, next_header)
    body = render(payload, _addresses(IPV6, values), 0)
    values.setdefault("payload_length", len(body))
    return part(EtherType.IPV6, encode(IPV6, **values), body)


def hop_by_hop(payload: Payload = b"", *, options: bytes = b"", **fields) -> Part:
    """Hop-by-hop options, Pad1 options behind them up to whole 8 bytes."""
    return _extension(Protocol.HOP_BY_HOP, payload, options, **fields)


def destination(payload: Payload = b"", *, options: bytes = b"", **fields) -> Part:
    """Destination options, Pad1 options behind them up to whole 8 bytes."""
    return _extension(Protocol.DESTINATION, payload, options, **fields)


def routing(
    payload: Payload = b"", *, data: bytes = b"", routing_type=4, segments_left=0, **fields
) -> Part:
    """A routing header, zeros behind its ``data`` up to whole 8 bytes."""
    first = encode(IPV6_ROUTING, routing_type=routing_type, segments_left=segments_left)
    return _extension(Protocol.ROUTING, payload, first[2:] + data, **fields)


def fragment(payload: Payload = b"", *, offset=0, more=0, next_header=None, **fields) -> Part:
    """A fragment header; ``offset`` is in bytes, ``more`` the M bit."""
    if offset % 8:
        raise ValueError(f"the fragment offset is {offset} bytes; a multiple of 8 is needed")
    values = {"fragment_offset": offset // 8, "more_fragments": more} | fields
    header = encode(IPV6_FRAGMENT, next_header=number_of(payload, next_header), **values)
    return part(Protocol.FRAGMENT, header, payload)


def ah(
    payload: Payload = b"", *, body: bytes = bytes(20), next_header=None, length=None, **fields
) -> Part:
    """An authentication header; ``body`` is SPI, sequence number and check value."""
    length = (AH.size + len(body)) // 4 - 2 if length is None else length
    next_header = number_of(payload, next_header)
    first = encode(AH, next_header=next_header, length=length, **fields)
    return part(Protocol.AH, first + body, payload)


def _extension(kind, payload: Payload, rest: bytes, *, next_header=None, length=None) -> Part:
    """An extension header; ``rest`` is all behind the length field, zeros fill it up."""
    rest += bytes(-(len(rest) + 2) % 8)
    length = (len(rest) + 2) // 8 - 1 if length is None else length
    first = encode(IPV6_EXTENSION, next_header=number_of(payload, next_header), length=length)
    return part(kind, first[:2] + rest, payload)


def _addresses(header: Header, values: dict[str, int]) -> bytes:
    size = header["src"].width // 8
    return values["src"].to_bytes(size, "big") + values["dst"].to_bytes(size, "big")
