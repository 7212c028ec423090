"""IPv6 extension headers: every kind and pair, to the limit and past it, fragments, routes."""

from collections.abc import Callable, Iterator
from itertools import product

from stellar_model import build
from stellar_spec.codes import Protocol

from .recipes import filler, raw, send
from .stimulus import Stimulus

__all__ = ["EXTENSION_KINDS", "chains", "home_addresses", "kinds", "limits", "routes"]

EXTENSION_KINDS: dict[str, Callable] = {
    "hop": lambda inner: build.hop_by_hop(inner, options=b"\5\2\0\0\1\0"),
    "routing": lambda inner: build.routing(inner, data=filler(4)),
    "fragment": lambda inner: build.fragment(inner, identification=0x01020304),
    "ah": lambda inner: build.ah(inner, body=filler(20)),
    "destination": lambda inner: build.destination(inner, options=b"\1\x0c" + filler(12)),
}
"""One header of each kind around ``inner``; the fragment header is an atomic fragment's."""


def chains() -> Iterator[Stimulus]:
    """All of this theme."""
    yield from kinds()
    yield from authentication()
    yield from limits()
    yield from fragments()
    yield from routes()
    yield from home_addresses()


def frame(inner: build.Part, **fields) -> bytes:
    return build.ethernet(build.ipv6(inner, **fields))


def kinds() -> Iterator[Stimulus]:
    """Each kind and each pair in front of StellarTP, UDP with a sum, TCP and nothing known."""
    for name, extension in EXTENSION_KINDS.items():
        uppers = {
            "stellar": send(),
            "summed": send(udp={"checksum": None}),
            "udp": build.udp(filler(3), sport=5, dport=53),
            "tcp": build.tcp(filler(3), sport=5, dport=80, flags=0x102),
            "other": raw(58, filler(8)),
            "udp-cut": raw(Protocol.UDP, filler(7)),
            "tcp-cut": raw(Protocol.TCP, filler(19)),
        }
        for upper, inner in uppers.items():
            yield Stimulus(f"chain/{name}/{upper}", frame(extension(inner)))
    for first, second in product(EXTENSION_KINDS, repeat=2):
        inner = EXTENSION_KINDS[first](EXTENSION_KINDS[second](send()))
        yield Stimulus(f"chain/{first}-{second}", frame(inner))
    inner = send()
    for extension in EXTENSION_KINDS.values():
        inner = extension(inner)
        yield Stimulus(f"chain/nested-{len(frame(inner))}", frame(inner))


def authentication() -> Iterator[Stimulus]:
    """AH of every number of words: what follows starts at any multiple of 4."""
    for words in range(2, 13):
        inner = build.ah(send(udp={"checksum": None}), body=filler(4 * words - 4))
        yield Stimulus(f"ah/{words}", frame(inner))
        yield Stimulus(f"ah/{words}/destination", frame(EXTENSION_KINDS["destination"](inner)))
    for length in (0, 1):
        inner = build.ah(send(), body=filler(4), length=length)
        yield Stimulus(f"ah/length-{length}", frame(inner))


def limits() -> Iterator[Stimulus]:
    """Chains of up to the limit's bytes, of it, and of more; with the headers whole, and cut."""
    for size in (248, 256, 264, 512, 2048):
        inner = build.destination(send(), options=bytes(min(size, 264) - 2), length=size // 8 - 1)
        yield from around_limit(f"limit/destination-{size}", frame(inner), 54)
        packet = frame(build.hop_by_hop(inner))
        yield from around_limit(f"limit/hop-destination-{size}", packet, 62)
    for size in (248, 252, 256, 260, 264):
        yield Stimulus(f"limit/ah-{size}", frame(build.ah(send(), body=bytes(size - 4))))
    yield Stimulus("limit/ah-1028", frame(build.ah(send(), length=255)))
    for count in (31, 32, 33):
        inner = send()
        for _ in range(count):
            inner = build.fragment(inner)
        yield from around_limit(f"limit/fragments-{count}", frame(inner), 54 + 8 * (count - 1))
    for before in (248, 256):
        for name, extension in EXTENSION_KINDS.items():
            inner = build.destination(extension(send()), options=bytes(before - 2))
            yield Stimulus(f"limit/{before}-{name}", frame(inner))
    inner = build.destination(send(), length=32)
    yield Stimulus("limit/both", frame(inner, payload_length=40))


def around_limit(name: str, data: bytes, last: int) -> Iterator[Stimulus]:
    """The frame, and it cut in and behind the first word of the header at ``last``."""
    yield Stimulus(name, data)
    for end in (last + 3, last + 4, last + 5):
        yield Stimulus(f"{name}/cut-{end}", data[:end])


def fragments() -> Iterator[Stimulus]:
    """Each bit of offset, M and the reserved fields; what follows a fragment; several of them."""
    for bit in range(16):
        header = bytes([17, 0, *(1 << bit).to_bytes(2, "big"), 1, 2, 3, 4])
        inner = raw(Protocol.FRAGMENT, header + send().data(bytes(32), 8))
        yield Stimulus(f"fragment6/bit-{bit}", frame(inner))
    uppers = {
        "stellar": send(),
        "tcp": build.tcp(filler(4), sport=8),
        "udp": build.udp(filler(16), sport=8, dport=53),
        "udp-longer": build.udp(filler(16), sport=8, dport=53, length=300),
        "other": raw(58, filler(9)),
        "destination": build.destination(send(), options=filler(6)),
        "reserved": build.fragment(send(), reserved=0xFF, reserved_low=3),
        "first": build.fragment(send(), more=1),
        "last": build.fragment(send(), offset=512),
    }
    places = {"first": (1, 0), "middle": (1, 1480), "last": (0, 65528), "atomic": (0, 0)}
    for place, (more, offset) in places.items():
        for upper, inner in uppers.items():
            packet = frame(build.fragment(inner, more=more, offset=offset))
            yield Stimulus(f"fragment6/{place}/{upper}", packet)


def routes() -> Iterator[Stimulus]:
    """Routing headers of each type with segments left, and with none."""
    for kind in (0, 2, 3, 4, 253):
        for left in (0, 1, 0x80, 255):
            inner = build.routing(
                send(udp={"checksum": None}),
                data=filler(20),
                routing_type=kind,
                segments_left=left,
            )
            yield Stimulus(f"route/{kind}-{left}", frame(inner))
    for left in (0, 1):
        inner = build.routing(build.udp(filler(6), dport=53), segments_left=left)
        yield Stimulus(f"route/udp-{left}", frame(inner))
        inner = build.routing(build.tcp(filler(6), dport=53), segments_left=left)
        yield Stimulus(f"route/tcp-{left}", frame(inner))
        inner = build.routing(build.routing(send(), segments_left=left), segments_left=1 - left)
        yield Stimulus(f"route/two-{left}", frame(inner))
        inner = build.hop_by_hop(send(), options=bytes([left, left, 1, 0, 0, 0]))
        yield Stimulus(f"route/hop-{left}", frame(inner))


def home_addresses() -> Iterator[Stimulus]:
    """The value 201 at every byte of a destination header, and where it means nothing."""
    for at in range(14):
        data = bytearray(14)
        data[at] = 201
        inner = build.destination(send(udp={"checksum": None}), options=bytes(data))
        yield Stimulus(f"home/{at}", frame(inner))
    option = bytes([1, 2, 0, 0, 201, 16]) + filler(16)
    for upper, inner in {"udp": build.udp(b"\7", dport=53), "tcp": build.tcp(b"\7")}.items():
        yield Stimulus(f"home/{upper}", frame(build.destination(inner, options=option)))
    yield Stimulus("home/hop", frame(build.hop_by_hop(send(), options=option)))
    yield Stimulus("home/routing", frame(build.routing(send(), data=option)))
    yield Stimulus("home/ah", frame(build.ah(send(), body=option[:20])))
    inner = build.destination(send(), options=bytes(6), next_header=201)
    yield Stimulus("home/next-header", frame(inner))
    inner = build.hop_by_hop(build.destination(build.hop_by_hop(send()), options=option))
    yield Stimulus("home/between", frame(inner))
    for near in (200, 202, 73, 137, 233):
        inner = build.destination(send(), options=bytes([near]) * 6)
        yield Stimulus(f"home/near-{near}", frame(inner))
