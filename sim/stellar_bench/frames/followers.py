"""Each header behind each IPv6 extension header, at both alignments, with random neighbours.

A word is judged beside others: what says "fragment header" stands next to bits that mean nothing
there and much elsewhere. With the same filler in every frame these always are the same, so here
they are drawn, three times for each pair.
"""

import random
from collections.abc import Iterator

from stellar_model import build
from stellar_model.build import Part

from .alignment import behind_a_tag
from .recipes import raw, send
from .stimulus import Stimulus

__all__ = ["followers"]

DRAWS = 3
EXTENSIONS = {
    "hop": lambda rng, inner: build.hop_by_hop(inner, options=rng.randbytes(6)),
    "routing": lambda rng, inner: build.routing(
        inner, data=rng.randbytes(4), routing_type=rng.randrange(256)
    ),
    "fragment": lambda rng, inner: build.fragment(
        inner,
        identification=rng.getrandbits(32),
        reserved=rng.randrange(256),
        reserved_low=rng.randrange(4),
    ),
    "ah": lambda rng, inner: build.ah(inner, body=rng.randbytes(8 + 4 * rng.randrange(4))),
    # No home address: that is another theme's, and would end what this one is after.
    "destination": lambda rng, inner: build.destination(
        inner, options=bytes(byte & 0x7F for byte in rng.randbytes(6))
    ),
}
UPPERS = {
    "stellar": lambda rng: send(udp={"checksum": None, "sport": rng.getrandbits(16)}),
    "udp": lambda rng: build.udp(rng.randbytes(9), sport=rng.getrandbits(16), dport=53),
    "tcp": lambda rng: build.tcp(rng.randbytes(5), sport=rng.getrandbits(16)),
    "other": lambda rng: raw(58, rng.randbytes(12)),
}


def followers() -> Iterator[Stimulus]:
    """All of this theme; equal in every run."""
    plain = list(untagged(random.Random("followers")))
    yield from plain
    yield from behind_a_tag(plain)


def untagged(rng: random.Random) -> Iterator[Stimulus]:
    """Every pair, without a tag."""
    for draw in range(DRAWS):
        for first in EXTENSIONS:
            for second in (*EXTENSIONS, *UPPERS):
                frame = random_ipv6(rng, EXTENSIONS[first](rng, inner(rng, second)))
                yield Stimulus(f"follower/{first}-{second}/{draw}", frame)


def inner(rng: random.Random, name: str) -> Part:
    """The second of the two headers, and an upper layer where it is an extension header."""
    if name in UPPERS:
        return UPPERS[name](rng)
    upper = UPPERS[rng.choice(list(UPPERS))](rng)
    return EXTENSIONS[name](rng, upper)


def random_ipv6(rng: random.Random, packet: Part) -> bytes:
    """``packet`` in IPv6 with random addresses, in Ethernet."""
    addresses = {"src": rng.getrandbits(128), "dst": rng.getrandbits(128)}
    return build.ethernet(build.ipv6(packet, **addresses))
