"""Lengths that contradict each other: frame, IP, extension headers, UDP, TCP."""

from collections.abc import Iterator
from itertools import product

from stellar_model import build
from stellar_spec.headers import IPV4, STELLAR_PORT, TCP, UDP

from ..frame import Hostile, Kit
from ..pieces import IP_END, OTHER_PORT, VERSIONS, datagram, on_ip, send, udp

__all__ = [
    "lengths_chain",
    "lengths_ipv4",
    "lengths_ipv6",
    "lengths_options",
    "lengths_tcp",
    "udp_length",
    "udp_size",
]

MAXIMUM = 0xFFFF


def lengths_ipv4(kit: Kit) -> Iterator[Hostile]:
    """IPv4 total length × UDP length × frame length, each of them 0, too small for the headers,
    one less, right, one more and the largest against the others; StellarTP and UDP with a sum.

    Source: RFC 791, section 3.1; RFC 768; RFC 1122, section 3.2.1
    """
    yield from _mix(kit, 4, "total_length", IPV4.size)


def lengths_ipv6(kit: Kit) -> Iterator[Hostile]:
    """The same with IPv6's payload length.

    Source: RFC 8200, section 3; RFC 768
    """
    yield from _mix(kit, 6, "payload_length", 0)


def _mix(kit: Kit, version: int, field: str, before: int) -> Iterator[Hostile]:
    body = kit.random(16)
    for kind in ("stellar", "udp"):
        size = len(datagram(version, _inner(kind, body)))
        right = before + size
        beside = {before + 7, before + 8, right - 1, right, right + 1, MAXIMUM}
        totals = sorted({0, max(0, before - 1), before} | beside)
        inner_lengths = (0, 7, 8, size - 1, size, size + 1, MAXIMUM)
        for total, length in product(totals, inner_lengths):
            frame = kit.frame(on_ip(version, _inner(kind, body, length), **{field: total}))
            for name, data in _frame_lengths(frame, IP_END[version]).items():
                if (total, length, name) != (right, size, "whole"):
                    note = f"IP says {total} of {right}, UDP {length} of {size}, frame {name}"
                    yield kit.hostile((kind, total, length, name), data, note)


def _inner(kind: str, body: bytes, length: int | None = None) -> build.Part:
    if kind == "udp":
        return udp(body, length=length)
    return send(body) if length is None else send(body, udp={"length": length})


def _frame_lengths(frame: bytes, l4: int) -> dict[str, bytes]:
    return {
        "cut-to-udp": frame[: l4 + UDP.size],
        "nine-short": frame[:-9],
        "one-short": frame[:-1],
        "whole": frame,
        "one-behind": frame + b"\xff",
        "many-behind": frame + b"\xff" * 99,
    }


def lengths_options(kit: Kit) -> Iterator[Hostile]:
    """Total lengths from 0 to 4 bytes behind the packet, with 0, 4, 12 and 40 bytes of options.

    Source: RFC 791, section 3.1
    """
    for options in (0, 4, 12, 40):
        packet = send(b"a")
        right = IPV4.size + options + len(datagram(4, packet))
        for total in (*range(right + 5), 0x100, 0x1000, 0x7FFF, 0x8000, MAXIMUM):
            frame = kit.frame(build.ipv4(packet, options=b"\1" * options, total_length=total))
            note = f"total length {total} of {right}, {options} bytes of options"
            yield kit.hostile((options, total), frame, note)


def lengths_chain(kit: Kit) -> Iterator[Hostile]:
    """IPv6 payload lengths from 0 to 4 bytes behind the packet, with one, two and four extension
    headers that they may cut.

    Source: RFC 8200, sections 3 and 4
    """
    for count in (1, 2, 4):
        packet = send(b"a", udp={"checksum": None})
        for place in range(count):
            packet = (build.destination, build.ah)[place % 2](packet)
        right = len(kit.frame(build.ipv6(packet))) - IP_END[6]
        for length in (*range(right + 5), 0x100, 0x7FFF, 0x8000, MAXIMUM):
            frame = kit.frame(build.ipv6(packet, payload_length=length))
            note = f"payload length {length} of {right}, {count} extension headers"
            yield kit.hostile((count, length), frame, note)
            yield kit.hostile((count, length, "behind"), frame + b"\xff" * 9, f"{note}; a tail")


def lengths_tcp(kit: Kit) -> Iterator[Hostile]:
    """TCP data offsets 0 to 15 × IP payloads of 0 bytes to behind the segment × the frame cut in
    and behind the fixed header.

    Source: RFC 9293, section 3.1
    """
    for version, offset in product(VERSIONS, range(16)):
        segment = build.tcp(kit.random(16), data_offset=offset, dport=443, flags=0x112)
        whole = len(datagram(version, segment))
        field, before = ("total_length", IPV4.size) if version == 4 else ("payload_length", 0)
        for size in (0, 1, TCP.size - 1, TCP.size, 4 * offset, whole - 1, whole, whole + 1):
            frame = kit.frame(on_ip(version, segment, **{field: before + size}))
            l4 = IP_END[version]
            for name, end in {"whole": whole, "cut": TCP.size - 1, "fixed": TCP.size}.items():
                note = f"TCP, data offset {offset}, IP payload {size} of {whole}, frame {name}"
                data = frame[: l4 + end]
                yield kit.hostile((f"ipv{version}", offset, size, name), data, note)


def udp_length(kit: Kit) -> Iterator[Hostile]:
    """UDP lengths 0 to 8, every one up to behind the datagram, and powers of two beyond; with a
    sum, without one, StellarTP; alone and behind an extension header.

    Source: RFC 768; RFC 8200, section 8.1; RFC 2675, section 4 (length 0)
    """
    body = kit.random(20)
    for version in VERSIONS:
        size = len(datagram(version, udp(body)))
        beyond = (size + 8, *(1 << bit for bit in range(6, 16)), 0x7FFF, 0xFFFE, MAXIMUM)
        for length in (*range(size + 5), *beyond):
            inners = {
                "stellar": send(body[:4], udp={"length": length}),
                "summed": udp(body, length=length),
                "unsummed": udp(body, length=length, checksum=0),
            }
            for name, inner in inners.items():
                where = (f"ipv{version}", name, length)
                note = f"UDP length {length}, {name}"
                yield kit.hostile(where, kit.frame(on_ip(version, inner)), note)
                if version == 6 and length < 12:
                    packet = build.ipv6(build.destination(inner))
                    yield kit.hostile((*where, "behind"), kit.frame(packet), f"{note}; behind 60")


def udp_size(kit: Kit) -> Iterator[Hostile]:
    """Datagrams of 0 to 40 bytes to StellarTP's port and to another one, the lengths right: too
    short for a base header, for a check, for anything.

    Source: RFC 768; this project's docs/wire-format.md
    """
    for version, port in product(VERSIONS, (STELLAR_PORT, OTHER_PORT)):
        for size in range(41):
            for fill, body in {"zero": bytes(size), "send": (b"\3" + bytes(40))[:size]}.items():
                frame = kit.frame(on_ip(version, udp(body, dport=port)))
                note = f"{size} bytes to port {port}"
                yield kit.hostile((f"ipv{version}", port, fill, size), frame, note)
