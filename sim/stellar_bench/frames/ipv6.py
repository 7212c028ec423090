"""IPv6: payload lengths, next headers, and jumbograms; the extension headers are in ``chains``."""

from collections.abc import Iterator

from stellar_model import build
from stellar_spec.codes import Protocol

from .recipes import PROTOCOLS_NEAR, filler, raw, send
from .stimulus import Stimulus

__all__ = ["first_words", "ipv6", "jumbograms", "next_headers", "payload_lengths"]


def ipv6() -> Iterator[Stimulus]:
    """All of this theme."""
    yield from first_words()
    yield from payload_lengths()
    yield from next_headers()
    yield from jumbograms()


def first_words() -> Iterator[Stimulus]:
    """Each version; each bit of traffic class and flow label alone."""
    for version in range(16):
        packet = build.ipv6(send(), version=version)
        yield Stimulus(f"version6/{version}", build.ethernet(packet))
    for bit in range(6):
        packet = build.ipv6(send(), dscp=1 << bit)
        yield Stimulus(f"class6/dscp-{bit}", build.ethernet(packet))
    for ecn in range(1, 4):
        yield Stimulus(f"class6/ecn-{ecn}", build.ethernet(build.ipv6(send(), ecn=ecn)))
    for bit in (0, 7, 8, 15, 16, 19):
        packet = build.ipv6(send(), flow_label=1 << bit)
        yield Stimulus(f"label6/{bit}", build.ethernet(packet))


def payload_lengths() -> Iterator[Stimulus]:
    """Payload lengths from 0 to behind the frame, with and without an extension header."""
    for length in (*range(36), 0x100, 0x7FFF, 0x8000, 0xFFFF):
        packet = build.ipv6(send(1), payload_length=length)
        yield Stimulus(f"total6/0/{length}", build.ethernet(packet))
    for length in (*range(1, 24), *range(34, 44), 0xFFFF):
        inner = build.destination(send(1), options=b"\1\4\0\0\0\0")
        packet = build.ipv6(inner, payload_length=length)
        yield Stimulus(f"total6/8/{length}", build.ethernet(packet))


def next_headers() -> Iterator[Stimulus]:
    """Other protocols, most of them one bit beside one that leads on."""
    others = (1, 2, 4, 41, 47, 50, 58, 59, 132, 135, 139, 140, 253, 254, 255)
    for number in dict.fromkeys((*PROTOCOLS_NEAR, *others)):
        packet = build.ipv6(raw(number, filler(16)))
        yield Stimulus(f"protocol6/{number}", build.ethernet(packet))


JUMBO_OPTION = bytes([0xC2, 4, 0, 1, 0, 0])


def jumbograms() -> Iterator[Stimulus]:
    """Payload length 0: with hop-by-hop headers, other extension headers, or none in front."""
    inners = {
        "stellar": send(),
        "udp": build.udp(filler(8), dport=53),
        "udp-length-0": build.udp(filler(8), dport=53, length=0),
        "stellar-length-0": send(udp={"length": 0}),
        "udp-length-7": build.udp(filler(8), dport=53, length=7),
        "udp-length-long": build.udp(filler(8), dport=53, length=17),
        "udp-no-sum": build.udp(filler(8), dport=53, checksum=0),
        "tcp": build.tcp(filler(8), dport=53),
        "fragment": build.fragment(send(), more=1),
        "atomic": build.fragment(send()),
        "destination": build.destination(send(), options=bytes(14)),
        "other": raw(58, filler(8)),
        "past-limit": build.destination(send(), length=31),
    }
    for name, inner in inners.items():
        outer = build.hop_by_hop(inner, options=JUMBO_OPTION)
        frame = build.ethernet(build.ipv6(outer, payload_length=0))
        yield Stimulus(f"jumbo/{name}", frame)
        for end in (54, 58, 61, 62, 69, 70, 81):
            if end < len(frame) and name in ("stellar", "tcp"):
                yield Stimulus(f"jumbo/{name}/cut-{end}", frame[:end])
    for kind in (Protocol.ROUTING, Protocol.FRAGMENT, Protocol.AH, Protocol.DESTINATION):
        packet = build.ipv6(raw(kind, bytes([17, 0]) + filler(40)), payload_length=0)
        yield Stimulus(f"payload-0/{kind.name.lower()}", build.ethernet(packet))
    for inner, name in ((send(), "udp"), (build.tcp(), "tcp"), (raw(59, filler(9)), "none")):
        packet = build.ipv6(inner, payload_length=0)
        yield Stimulus(f"payload-0/{name}", build.ethernet(packet))
