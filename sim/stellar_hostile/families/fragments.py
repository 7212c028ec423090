"""Fragments of IPv4 and IPv6: every place, tiny ones, overlapping ones, impossible ones."""

from collections.abc import Iterator
from itertools import product

from stellar_model import build
from stellar_spec.codes import Protocol
from stellar_spec.headers import IPV6_FRAGMENT

from ..frame import Hostile, Kit
from ..pieces import datagram, header, layer, send, udp

__all__ = ["fragment_ipv4", "fragment_ipv4_bits", "fragment_ipv6", "fragment_ipv6_chain", "pieces"]

WHOLE = 96
"""Bytes of each packet that is cut into fragments."""


def pieces() -> dict[str, list[tuple[int, int, int]]]:
    """Ways to cut a packet of ``WHOLE`` bytes: fragments as (offset, size, more), in bytes.

    An offset at which the packet has ended gets other bytes.
    """
    return {
        "atomic": [(0, WHOLE, 0)],
        "two": [(0, 48, 1), (48, 48, 0)],
        "three": [(0, 32, 1), (32, 32, 1), (64, 32, 0)],
        "last-first": [(64, 32, 0), (0, 64, 1)],
        "first-alone": [(0, WHOLE, 1)],
        "tiny-8": [(0, 8, 1), (8, 8, 1), (16, 80, 0)],  # RFC 1858: the header in the second one
        "tiny-16": [(0, 16, 1), (16, 80, 0)],
        "overlap-front": [(0, 48, 1), (40, 56, 0)],
        "overlap-header": [(0, 24, 1), (8, 88, 0)],  # RFC 3128: writes over the ports
        "overlap-whole": [(0, WHOLE, 1), (0, 48, 1), (48, 48, 0)],
        "inside": [(0, 64, 1), (24, 8, 0)],  # ends inside the one before it (teardrop)
        "same-place": [(0, 48, 1), (48, 48, 1), (48, 48, 0)],  # says both: more, and the last
        "gap": [(0, 24, 1), (64, 32, 0)],
        "empty": [(0, 0, 1), (8, 0, 1), (96, 0, 0)],
        "odd": [(0, 13, 1), (8, 5, 1), (16, 7, 0)],  # with more, sizes must be multiples of 8
        "past-end": [(65528, 8, 0), (65528, 64, 0), (65520, 64, 1), (65528, 8, 1)],  # > 65,535
    }


def _packets(kit: Kit, version: int) -> dict[str, tuple[int, bytes]]:
    """Upper layers to cut, by name: protocol number and bytes."""
    behind = build.fragment if version == 6 else None  # the end-to-end check counts its bytes
    return {
        "stellar": (Protocol.UDP, datagram(version, send(kit.random(WHOLE - 24)), behind)),
        "udp": (Protocol.UDP, datagram(version, udp(kit.random(WHOLE - 8)))),
        "tcp": (Protocol.TCP, datagram(version, build.tcp(kit.random(WHOLE - 20), dport=22))),
        "icmp": (1 if version == 4 else 58, kit.random(WHOLE)),
    }


def _fragments(kit: Kit, version: int):
    """(name, note, protocol, offset, more, identification, bytes) of every fragment."""
    for identity, (way, rows) in enumerate(pieces().items()):
        for name, (protocol, whole) in _packets(kit, version).items():
            for place, (offset, size, more) in enumerate(rows):
                data = (whole[offset:] or kit.random(WHOLE))[:size]
                note = f"{name} {way}: bytes {offset} to {offset + size}, more {more}"
                where = (name, way, place)
                yield where, note, protocol, offset, more, 0x4000 + identity, data


def fragment_ipv4(kit: Kit) -> Iterator[Hostile]:
    """First, middle and last fragments in and out of order, an unfragmented (atomic) packet, tiny
    fragments, overlapping ones in every way, gaps, empty and odd ones, ones that end past 65,535
    bytes; of StellarTP, UDP, TCP, ICMP; the lengths right, and the frame one byte short.

    Source: RFC 791, section 3.2; RFC 1858; RFC 3128; RFC 6864
    """
    for where, note, protocol, offset, more, identity, data in _fragments(kit, 4):
        packet = build.ipv4(
            layer(protocol, data),
            fragment_offset=offset // 8,
            more_fragments=more,
            identification=identity,
        )
        frame = kit.frame(packet)
        yield kit.hostile(where, frame, note)
        yield kit.hostile((*where, "short"), frame[:-1], f"{note}; a byte lost")
        yield kit.hostile((*where, "padded"), build.pad(frame, 64), f"{note}; padded")


def fragment_ipv4_bits(kit: Kit) -> Iterator[Hostile]:
    """Each bit of the three flags and of the offset alone, in front of a whole packet; DF with MF,
    the reserved bit with each, all together.

    Source: RFC 791, section 3.1; RFC 3514
    """
    combined = (0xFFFF, 0xE000, 0x6000, 0xA000, 0xC000, 0x1FFF, 0x3FFF)
    uppers = {"stellar": send(), "udp": udp(kit.random(11)), "tcp": build.tcp(kit.random(3))}
    for bits, (name, inner) in product(
        (*(1 << bit for bit in range(16)), *combined), uppers.items()
    ):
        fields = {
            "evil": bits >> 15,
            "dont_fragment": bits >> 14 & 1,
            "more_fragments": bits >> 13 & 1,
            "fragment_offset": bits & 0x1FFF,
        }
        frame = kit.frame(build.ipv4(inner, **fields))
        yield kit.hostile((name, f"{bits:04x}"), frame, f"flags and offset {bits:#06x}")


def fragment_ipv6(kit: Kit) -> Iterator[Hostile]:
    """The same ways to cut over IPv6, atomic fragments (offset 0, no more) included.

    Source: RFC 8200, section 4.5; RFC 5722 (overlapping); RFC 6946 (atomic)
    """
    for where, note, protocol, offset, more, identity, data in _fragments(kit, 6):
        part = build.fragment(
            layer(protocol, data), offset=offset, more=more, identification=identity
        )
        frame = kit.frame(build.ipv6(part))
        yield kit.hostile(where, frame, note)
        yield kit.hostile((*where, "short"), frame[:-1], f"{note}; a byte lost")
        yield kit.hostile(
            (*where, "hop-by-hop"), kit.frame(build.ipv6(build.hop_by_hop(part))), note
        )


def fragment_ipv6_chain(kit: Kit) -> Iterator[Hostile]:
    """Each bit of the fragment header's offset word and reserved byte; a fragment in a fragment;
    first fragments without their upper-layer header; extension headers behind fragments.

    Source: RFC 8200, section 4.5; RFC 7112; RFC 8021
    """
    upper = datagram(6, send(), build.fragment)
    for name, bits in {**{f"bit-{b}": 1 << b for b in range(16)}, "all": 0xFFFF}.items():
        data = header(IPV6_FRAGMENT, next_header=17, identification=7)
        data = data[:2] + bits.to_bytes(2, "big") + data[4:]
        frame = kit.frame(build.ipv6(layer(Protocol.FRAGMENT, data + upper)))
        yield kit.hostile(("offset", name), frame, f"offset word {bits:#06x}")
    for bit in range(8):
        frame = kit.frame(build.ipv6(build.fragment(send(), reserved=1 << bit)))
        yield kit.hostile(("reserved", bit), frame, f"reserved bit {bit} is set")
    places = {"first": (0, 1), "middle": (64, 1), "last": (128, 0), "atomic": (0, 0)}
    for (outer, o), (inner, i) in product(places.items(), repeat=2):
        packet = build.fragment(send(), offset=i[0], more=i[1])
        frame = kit.frame(build.ipv6(build.fragment(packet, offset=o[0], more=o[1])))
        yield kit.hostile(("nested", outer, inner), frame, f"{inner} fragment in a {outer} one")
    followers = (Protocol.HOP_BY_HOP, Protocol.ROUTING, Protocol.AH, Protocol.DESTINATION)
    for (place, (offset, more)), kind in product(places.items(), followers):
        data = bytes([Protocol.UDP, 2 if kind == Protocol.AH else 0, *bytes(6)])
        data += bytes(8) if kind == Protocol.AH else b""
        for name, rest in {"whole": upper, "no-upper": b"", "half-upper": upper[:5]}.items():
            part = build.fragment(layer(kind, data + rest), offset=offset, more=more)
            note = f"{place} fragment, then header {kind}, {name}"
            yield kit.hostile((place, kind, name), kit.frame(build.ipv6(part)), note)
