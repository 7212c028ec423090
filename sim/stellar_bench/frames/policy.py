"""Address filter, MAC errors, oversize frames, packet ends around the frame's, good after bad."""

from collections.abc import Iterator

from stellar_model import build
from stellar_spec.headers import STELLAR_PORT
from stellar_spec.opcodes import Opcode

from .recipes import IMM_FIELDS, filler, good, int_fields, on_ip, raw, send, tagged
from .stimulus import OWN_IPV4, OWN_IPV6, SHORT, Stimulus

__all__ = ["ends", "filtered", "mac_errors", "oversize", "pairs", "policy"]


def policy() -> Iterator[Stimulus]:
    """All of this theme."""
    yield from filtered()
    yield from mac_errors()
    yield from oversize()
    yield from ends()
    yield from pairs()


def filtered() -> Iterator[Stimulus]:
    """Destinations that are ours, that differ in one bit, and that are many's."""
    for bit in (None, *range(32)):
        dst = OWN_IPV4 ^ (0 if bit is None else 1 << bit)
        frame = build.ethernet(build.ipv4(send(), dst=dst))
        yield Stimulus(f"filter/ipv4/{bit}", frame, settings="filter")
    for bit in (None, *range(0, 128, 5), 127):
        dst = OWN_IPV6 ^ (0 if bit is None else 1 << bit)
        frame = build.ethernet(build.ipv6(send(), dst=dst))
        yield Stimulus(f"filter/ipv6/{bit}", frame, settings="filter")
    others = {
        "source": build.ipv4(send(), src=OWN_IPV4, dst=0x0A000009),
        "source6": build.ipv6(send(), src=OWN_IPV6, dst=0xFD << 120 | 9),
        "multicast": build.ipv4(send(), dst=0xE0000001),
        "multicast6": build.ipv6(send(), dst=0xFF02 << 112 | 1),
        "mapped": build.ipv6(send(), dst=0xFFFF << 32 | OWN_IPV4),
        "low-bits": build.ipv6(send(), dst=OWN_IPV4),
        "check": build.ipv4(send(check=b"\1\2\3\4")),
        "miss-check": build.ipv4(send(check=b"\1\2\3\4"), dst=1),
        "miss-sum": build.ipv4(send(udp={"checksum": 5}), dst=1),
        "udp": build.ipv4(build.udp(filler(3), dport=53)),
    }
    for name, outer in others.items():
        yield Stimulus(f"filter/{name}", build.ethernet(outer), settings="filter")


def mac_errors() -> Iterator[Stimulus]:
    """An error on the last beat: good and bad frames that end at every place of a beat."""
    for size in range(16):
        frame = build.ethernet(build.ipv4(send(size)))
        yield Stimulus(f"error/good4/{size}", frame, error=True)
        if size % 3:
            continue
        frame = build.ethernet(build.ipv6(send(size, check=b"\1\2\3\4")))
        yield Stimulus(f"error/check6/{size}", frame, error=True)
        frame = build.ethernet(build.ipv4(build.udp(filler(size), dport=53, checksum=0x4321)))
        yield Stimulus(f"error/sum/{size}", frame, error=True)
    frame = build.ethernet(build.ipv4(good(Opcode.WRITE_IMM)))
    for end in (*range(1, 24), *range(26, len(frame), 3)):
        yield Stimulus(f"error/cut/{end}", frame[:end], error=True)
    for settings in ("filter", "trim", "flag", "port", "short"):
        frame = build.ethernet(build.ipv4(send(check=b"\1\1\1\1")))
        yield Stimulus(f"error/{settings}", frame, error=True, settings=settings)


def oversize() -> Iterator[Stimulus]:
    """Lengths around the limit, for each kind of frame; around the default limit once."""
    for size in range(SHORT - 3, SHORT + 5):
        inners = {
            "stellar": build.ipv4(send(size - 58)),
            "stellar6": build.ipv6(send(size - 78)),
            "check": build.ipv4(send(size - 58, check=b"\1\2\3\4")),
            "type": raw(0x88B5, filler(size - 14)),
        }
        for name, inner in inners.items():
            frame = build.ethernet(inner)
            yield Stimulus(f"oversize/{name}/{size}", frame, settings="short")
    padded = build.pad(build.ethernet(build.ipv4(send())), SHORT + 1)
    yield Stimulus("oversize/padded", padded, settings="short")
    yield Stimulus("oversize/error", padded, error=True, settings="short")
    yield Stimulus("oversize/total", padded[:SHORT], settings="short")
    frame = build.ethernet(build.ipv4(send(9217 - 58)))
    yield Stimulus("oversize/default", frame)


def ends() -> Iterator[Stimulus]:
    """Frames that end a few bytes before and behind their IP packet."""
    inners = {
        "stellar": send(9),
        "summed": send(9, udp={"checksum": None}),
        "udp": build.udp(filler(12), sport=4, dport=53),
        "tcp": build.tcp(filler(12), sport=4, dport=53),
        "other": raw(58, filler(12)),
        "fragment": None,
    }
    for version in (4, 6):
        for name, inner in inners.items():
            frame = build.ethernet(end_packet(version, inner))
            for far in (1, 2, 3, 7):
                where = f"{name}/ipv{version}/{far}"
                yield Stimulus(f"end/behind/{where}", frame + filler(far, 0xF1))
                yield Stimulus(f"end/before/{where}", frame[:-far])


def end_packet(version: int, inner: build.Part | None) -> build.Part:
    if inner:
        return on_ip(version, inner)
    if version == 4:
        return build.ipv4(raw(17, filler(24)), fragment_offset=8)
    return build.ipv6(build.fragment(raw(17, filler(24)), offset=64))


def bad_frames(src: int) -> dict[str, bytes]:
    """A frame for each way to be malformed, from the MAC address ``src``."""

    def ethernet(inner, **fields):
        return build.ethernet(inner, src=src, **fields)

    whole = ethernet(build.ipv4(send()))
    return {
        "short": whole[:13],
        "tag": ethernet(tagged(build.ipv4(send()), (0x8100,)))[:17],
        "tags": ethernet(tagged(build.ipv4(send()), (0x8100,) * 3)),
        "length": ethernet(filler(46), type=46),
        "ip-cut": whole[:30],
        "version": ethernet(build.ipv4(send(), version=6)),
        "ihl": ethernet(build.ipv4(send(), ihl=4)),
        "header-sum": ethernet(build.ipv4(send(), checksum=1)),
        "total": ethernet(build.ipv4(send(), total_length=19)),
        "end-before": whole[:-1],
        "end-behind": whole + b"\1",
        "fragment": ethernet(build.ipv4(send(), more_fragments=1)),
        "later-fragment": ethernet(build.ipv4(send(), fragment_offset=1)),
        "source-route": ethernet(build.ipv4(send(), options=b"\x83\3\4\0")),
        "limit": ethernet(build.ipv6(build.destination(send(), length=255))),
        "extension-cut": ethernet(build.ipv6(build.hop_by_hop(send())))[:60],
        "jumbogram": ethernet(build.ipv6(build.hop_by_hop(send()), payload_length=0)),
        "segments": ethernet(build.ipv6(build.routing(send(), segments_left=1))),
        "home": ethernet(build.ipv6(build.destination(send(), options=b"\xc9\0"))),
        "udp-cut": ethernet(build.ipv4(raw(17, filler(7)))),
        "tcp-cut": ethernet(build.ipv6(raw(6, filler(19)))),
        "udp-length": ethernet(build.ipv4(send(udp={"length": 7}))),
        "sum": ethernet(build.ipv4(send(udp={"checksum": 1}))),
        "other-version": ethernet(build.ipv4(send(version=1))),
        "empty": ethernet(build.ipv4(build.udp(dport=STELLAR_PORT))),
        "base-cut": ethernet(build.ipv4(build.udp(b"\3" * 11, dport=STELLAR_PORT))),
        "body-cut": ethernet(build.ipv6(good(Opcode.PROBE, -1))),
        "opcode": ethernet(build.ipv4(good(17))),
        "extensions": ethernet(build.ipv4(send(imm=IMM_FIELDS))),
        "int": ethernet(build.ipv4(send(int=int_fields(0, 1)))),
        "stack": ethernet(build.ipv4(send(int=int_fields(8), stack=b"\1" * 4))),
        "check": ethernet(build.ipv4(send(check=b"\0\0\0\0"))),
        "tcp": ethernet(build.ipv4(build.tcp(filler(2), flags=2))),
    }


def pairs() -> Iterator[Stimulus]:
    """Each malformed frame, then a good one, over IPv4 and IPv6 in turn; also with an error."""
    for error in (False, True):
        frames = bad_frames(0x0200_0000_0A00 + error)
        for place, (name, data) in enumerate(frames.items()):
            where = f"{name}/error" if error else name
            yield Stimulus(f"pair/{where}/bad", data, error=error)
            version = 4 if (place + error) % 2 else 6
            inner = send(place % 8, psn=place << 1 | error, udp={"checksum": None})
            yield Stimulus(f"pair/{where}/good", build.ethernet(on_ip(version, inner)))
