"""IPv6 extension headers: every order, chains up to the limit and past it, every length."""

from collections.abc import Callable, Iterator
from itertools import permutations, product

from stellar_model import build
from stellar_spec.codes import EXTENSION_LIMIT, Protocol

from ..frame import Hostile, Kit
from ..pieces import IP_END, layer, send, udp

__all__ = ["HEADERS", "chain_length", "chain_limit", "chain_order", "uppers"]

HEADERS: dict[str, Callable] = {
    "hop": lambda inner: build.hop_by_hop(inner, options=b"\5\2\0\0\1\0"),
    "routing": lambda inner: build.routing(inner, data=b"\1\2\3\4"),
    "fragment": lambda inner: build.fragment(inner, identification=0x01020304),
    "ah": lambda inner: build.ah(inner, body=bytes(range(1, 21))),
    "destination": lambda inner: build.destination(inner, options=b"\1\x0c" + bytes(12)),
}
"""One good header of each kind around ``inner``; the fragment header is an atomic fragment's."""

NUMBERS = dict(
    zip(
        HEADERS,
        (
            Protocol.HOP_BY_HOP,
            Protocol.ROUTING,
            Protocol.FRAGMENT,
            Protocol.AH,
            Protocol.DESTINATION,
        ),
        strict=True,
    )
)

SHORT = {
    "hop": build.hop_by_hop,
    "routing": build.routing,
    "fragment": build.fragment,
    "destination": build.destination,
}
"""Headers of 8 bytes unless told otherwise."""
LEAST = {"hop": 2, "routing": 4, "destination": 2}
"""Bytes of these headers in front of what they hold."""


def uppers(kit: Kit) -> dict[str, build.Part]:
    """What may follow a chain."""
    return {
        "stellar": send(udp={"checksum": None}),
        "udp": udp(kit.random(7)),
        "tcp": build.tcp(kit.random(3), dport=80),
        "none": layer(59, b""),
        "unknown": layer(253, kit.random(12)),
    }


def chain_order(kit: Kit) -> Iterator[Hostile]:
    """Every kind, every pair and every triple of kinds in every order (hop-by-hop not first, kinds
    repeated), all five in each of the 120 orders, one kind eight times; in front of StellarTP, UDP,
    TCP, no next header and an unknown one.

    Source: RFC 8200, section 4.1
    """
    above = uppers(kit)
    for length in (1, 2):
        for kinds, upper in product(product(HEADERS, repeat=length), above):
            yield _chain(kit, kinds, upper, above[upper])
    names = list(above)
    long = [*product(HEADERS, repeat=3), *permutations(HEADERS), *((k,) * 8 for k in HEADERS)]
    for place, kinds in enumerate(long):
        upper = names[place % len(names)]
        yield _chain(kit, kinds, upper, above[upper])


def _chain(kit: Kit, kinds: tuple[str, ...], upper: str, inner: build.Part) -> Hostile:
    for kind in reversed(kinds):
        inner = HEADERS[kind](inner)
    note = f"{', '.join(kinds)} in front of {upper}"
    return kit.hostile(("-".join(kinds), upper), kit.frame(build.ipv6(inner)), note)


def chain_limit(kit: Kit) -> Iterator[Hostile]:
    """Chains of each multiple of 4 bytes to 256, the longest that is walked, and past it: many
    short headers, one long one, a short behind a long one; whole, and cut around the last header's
    first word.

    Source: RFC 8200, section 4; RFC 8504, section 5.3; this project's docs/parser.md (256 bytes)
    """
    for name, extension in SHORT.items():
        inner = send()
        for count in range(1, EXTENSION_LIMIT // 8 + 4):
            inner = extension(inner)
            if count % 4 == 0 or count > EXTENSION_LIMIT // 8 - 3:
                yield from _around(kit, ("many", name, count), inner, 8 * (count - 1), 8)
    for size in range(12, EXTENSION_LIMIT + 28, 4):
        inner = build.ah(send(), body=bytes(size - 4))
        yield from _around(kit, ("one", "ah", size), inner, 0, size)
    for size in range(8, EXTENSION_LIMIT + 25, 8):
        for name in ("hop", "routing", "destination"):
            rest = {"data" if name == "routing" else "options": bytes(size - LEAST[name])}
            yield from _around(kit, ("one", name, size), SHORT[name](send(), **rest), 0, size)
    for before in range(EXTENSION_LIMIT - 40, EXTENSION_LIMIT + 9, 8):
        for name, extension in HEADERS.items():
            last = extension(send())
            size = len(kit.frame(build.ipv6(last))) - len(kit.frame(build.ipv6(send())))
            inner = build.destination(last, options=bytes(before - 2))
            yield from _around(kit, ("behind", before, name), inner, before, size)


def _around(kit: Kit, name: tuple, inner: build.Part, last: int, size: int) -> Iterator[Hostile]:
    """The chain, whose ``last`` header begins that many bytes behind IPv6, and it cut there."""
    frame = kit.frame(build.ipv6(inner))
    note = f"{last + size} bytes of extension headers"
    yield kit.hostile(name, frame, note)
    for end in (last + 3, last + 4, last + size - 1, last + size):
        data = frame[: IP_END[6] + end]
        yield kit.hostile((*name, "cut", end), data, f"{note}; cut behind {end}")


def chain_length(kit: Kit) -> Iterator[Hostile]:
    """Each of the 256 values of the length byte in each kind of header (a reserved byte in the
    fragment header, 4-byte units in AH), in front of 272 bytes: most point behind the limit, the
    packet or the frame.

    Source: RFC 8200, section 4; RFC 4302, section 2.2
    """
    behind = send(bytes(240))
    for (name, kind), length in product(NUMBERS.items(), range(256)):
        first = bytes([Protocol.UDP, length, *bytes(6)])
        data = first + kit.frame(build.ipv6(behind))[IP_END[6] :]
        frame = kit.frame(build.ipv6(layer(kind, data)))
        yield kit.hostile((name, length), frame, f"{name} header, length byte {length}")
