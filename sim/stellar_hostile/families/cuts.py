"""Every header cut at every byte, with the lengths in front of the cut as sent or made to fit."""

from collections.abc import Iterator
from typing import NamedTuple

from stellar_model import build
from stellar_spec.headers import (
    CHECK_SIZE,
    ETHERNET,
    INT_HOP,
    STELLAR,
    STELLAR_EXTENSIONS,
    TCP,
    UDP,
    VLAN,
)
from stellar_spec.opcodes import Opcode

from ..frame import Hostile, Kit
from ..pieces import (
    IP_END,
    L3,
    VERSIONS,
    extensions,
    on_ip,
    opcode_for,
    put,
    send,
    set_ip_length,
    tagged,
    udp,
)

__all__ = ["Cut", "header_cut", "header_cut_fitted", "headers"]


class Cut(NamedTuple):
    """A good ``frame`` with the header ``name`` in bytes ``start`` to ``end`` (exclusive).

    Its IP header is at ``l3``, UDP's at ``udp`` (0: there is none in front of ``end``).
    """

    name: str
    frame: bytes
    start: int
    end: int
    l3: int = L3
    udp: int = 0


def headers(kit: Kit) -> Iterator[Cut]:
    """Each header that the specification knows, in a frame that carries it."""
    plain = kit.frame(build.ipv4(send(udp={"checksum": None})))
    yield Cut("ethernet", plain, 0, ETHERNET.size, l3=0)
    two = kit.frame(tagged(build.ipv6(send()), (0x88A8, 0x8100)))
    for place in range(2):
        start = ETHERNET.size + VLAN.size * place
        yield Cut(f"vlan{place + 1}", two, start, start + VLAN.size, l3=0)
    yield Cut("ipv4", plain, L3, IP_END[4])
    yield Cut("ipv6", kit.frame(build.ipv6(send())), L3, IP_END[6])
    options = kit.frame(build.ipv4(send(), options=b"\1" * 39 + b"\0"))
    yield Cut("ipv4-options", options, IP_END[4], IP_END[4] + 40)
    yield from _ipv6_extensions(kit)
    for version in VERSIONS:
        yield from _upper(kit, version)


def _ipv6_extensions(kit: Kit) -> Iterator[Cut]:
    def inner():
        return send(udp={"checksum": None})

    kinds = {
        "hop-by-hop": build.hop_by_hop(inner(), options=b"\5\2\0\0\1\0"),
        "routing": build.routing(inner(), data=kit.random(20)),
        "fragment": build.fragment(inner(), identification=0x01020304),
        "ah": build.ah(inner(), body=kit.random(20)),
        "destination": build.destination(inner(), options=b"\1\x0c" + bytes(12)),
    }
    upper = len(kit.frame(build.ipv6(inner())))
    for name, part in kinds.items():
        frame = kit.frame(build.ipv6(part))
        yield Cut(name, frame, IP_END[6], IP_END[6] + len(frame) - upper)
        behind = kit.frame(build.ipv6(build.hop_by_hop(part)))
        yield Cut(f"second-{name}", behind, IP_END[6] + 8, IP_END[6] + 8 + len(frame) - upper)


def _upper(kit: Kit, version: int) -> Iterator[Cut]:
    start = IP_END[version]
    where = f"ipv{version}"
    tcp = build.tcp(kit.random(5), options=b"\2\4\5\xb4\1\1\4\2", dport=80, flags=2)
    frame = kit.frame(on_ip(version, tcp))
    yield Cut(f"{where}-tcp", frame, start, start + TCP.size + 8)
    frame = kit.frame(on_ip(version, udp(kit.random(7))))
    yield Cut(f"{where}-udp", frame, start, start + UDP.size, udp=start)
    base = start + UDP.size
    first = base + STELLAR.size
    frame = kit.frame(on_ip(version, send()))
    yield Cut(f"{where}-stellar", frame, base, first, udp=start)
    for name, layout in STELLAR_EXTENSIONS.items():
        size = layout.size + (INT_HOP.size if name == "INT" else 0)
        packet = send(opcode=opcode_for([name]), **extensions([name]))
        frame = kit.frame(on_ip(version, packet))
        yield Cut(f"{where}-{name.lower()}", frame, first, first + size, udp=start)
    both = send(opcode=Opcode.WRITE_IMM, **extensions(["ADDR", "IMM", "INT"]))
    frame = kit.frame(on_ip(version, both))
    yield Cut(f"{where}-all", frame, first, len(frame) - CHECK_SIZE, udp=start)
    yield Cut(f"{where}-check", frame, len(frame) - CHECK_SIZE, len(frame), udp=start)


def header_cut(kit: Kit) -> Iterator[Hostile]:
    """The frame ends at every byte of every header: Ethernet, both tags, IPv4 and its options,
    IPv6 and each extension header (alone and behind another), UDP, TCP and its options, StellarTP,
    each of its extensions, the check.  All lengths stay as they were sent.

    Source: RFC 791, RFC 8200, RFC 768, RFC 9293; this project's docs/wire-format.md
    """
    for cut in headers(kit):
        for end in range(max(1, cut.start), cut.end + 1):
            note = f"{end - cut.start} of {cut.end - cut.start} bytes of {cut.name}"
            yield kit.hostile((cut.name, end), cut.frame[:end], note)


def header_cut_fitted(kit: Kit) -> Iterator[Hostile]:
    """The same behind an IP header, but it is the IP packet that ends at the byte: its length (and
    header sum) says so; with the UDP length as sent and made to fit; with Ethernet padding or a
    tail behind, so that the missing bytes seem to be there.

    Source: RFC 791, section 3.1; RFC 8200, section 3; IEEE 802.3, clause 3.2.8
    """
    for cut in headers(kit):
        if not cut.l3:
            continue
        ip_end = cut.l3 + (4 * (cut.frame[cut.l3] & 15) if cut.frame[cut.l3] >> 4 == 4 else 40)
        for end in range(max(cut.start, ip_end), cut.end + 1):
            data = set_ip_length(cut.frame[:end], end - ip_end, cut.l3)
            note = f"IP ends behind {end - cut.start} of {cut.end - cut.start} bytes of {cut.name}"
            yield from _padded(kit, (cut.name, end, "ip"), data, note)
            if cut.udp and end >= cut.udp + UDP.size:
                data = put(data, cut.udp, UDP, "length", end - cut.udp)
                yield from _padded(kit, (cut.name, end, "udp"), data, f"{note}, UDP too")


def _padded(kit: Kit, name: tuple, data: bytes, note: str) -> Iterator[Hostile]:
    yield kit.hostile(name, data, note)
    if len(data) < 60:
        yield kit.hostile((*name, "padded"), build.pad(data), f"{note}; padded with zeros")
    yield kit.hostile((*name, "tail"), data + b"\xff" * 16, f"{note}; 16 bytes ff behind")
