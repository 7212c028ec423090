"""Checksums: sums that need several folds, the two zeros, wrong bits."""

from collections.abc import Iterator
from itertools import product

from stellar_model import build
from stellar_spec.codes import Protocol
from stellar_spec.headers import IPV4, STELLAR_PORT, UDP

from ..frame import Hostile, Kit
from ..pieces import IP_END, L3, OTHER_PORT, VERSIONS, header, layer, on_ip, put, send, udp, words

__all__ = ["sum_ipv4", "sum_ipv4_value", "sum_udp", "sum_udp_value"]

ONES = 0xFFFF
CARRIES = (-2, -1, 0, 1, 2)


def _totals(limit: int) -> list[int]:
    """Sums around the right ones, k · 0xffff, and around where a carry begins, k · 0x10000.

    Of 0x1fffe and 0x2fffd, which are right, one fold makes 0xffff; of 0x1ffff it makes 0x10000,
    which needs a second fold; who folds once too seldom judges these wrongly.
    """
    firsts = (k * step for k in range(1, limit + 1) for step in (ONES, ONES + 1))
    return sorted({first + carry for first in firsts for carry in CARRIES})


def _filled(rest: int, count: int) -> list[int] | None:
    """``count`` words that add up to ``rest``; ``None`` if they cannot."""
    if not 0 <= rest <= count * ONES:
        return None
    return [min(ONES, max(0, rest - ONES * place)) for place in range(count)]


def sum_ipv4(kit: Kit) -> Iterator[Hostile]:
    """IPv4 headers whose words add up to each multiple of 0xffff (right: 0x1fffe and 0x2fffd need
    two folds) and of 0x10000, and to one and two beside them; with and without 40 bytes of options.

    Source: RFC 1071, section 2; RFC 791, section 3.1
    """
    for size in (0, 40):
        options = bytes(size) if size == 0 else b"\xff" * 36 + bytes(4)
        plain = {"src": 0, "dst": 0, "identification": 0, "checksum": 0}
        frame = kit.frame(build.ipv4(send(), options=options, **plain))
        least = words(frame[L3 : L3 + IPV4.size + size])
        for total in _totals(30):
            if fill := _filled(total - least, 6):
                fields = {
                    "checksum": fill[0],
                    "identification": fill[1],
                    "src": fill[2] << 16 | fill[3],
                    "dst": fill[4] << 16 | fill[5],
                }
                frame = kit.frame(build.ipv4(send(), options=options, **fields))
                note = f"header adds up to {total:#x}"
                yield kit.hostile((size, f"{total:05x}"), frame, note)


def sum_ipv4_value(kit: Kit) -> Iterator[Hostile]:
    """IPv4 header checksums 0 and 0xffff where either is right and where neither is, the complement
    of the right one, each bit of it wrong; each bit of the other words wrong.

    Source: RFC 1071; RFC 1624, section 3 (the two zeros)
    """
    zero = {"identification": 0, "checksum": 0}
    least = words(kit.frame(build.ipv4(send(), **zero))[L3 : IP_END[4]])
    for value in (0, ONES, 1, 0xFFFE):
        fields = {"identification": -least % ONES, "checksum": value}
        frame = kit.frame(build.ipv4(send(), **fields))
        yield kit.hostile(("zero-sum", value), frame, f"sum 0 without it, checksum {value:#x}")
        frame = kit.frame(build.ipv4(send(), checksum=value))
        yield kit.hostile(("plain", value), frame, f"checksum {value:#x}")
    right = kit.frame(build.ipv4(send()))
    at = L3 + IPV4.offset("checksum") // 8
    value = int.from_bytes(right[at : at + 2], "big")
    for name, wrong in {"complement": value ^ ONES, "swapped": value >> 8 | value << 8}.items():
        yield kit.hostile(name, put(right, L3, IPV4, "checksum", wrong & ONES), f"{name} checksum")
    for bit in range(8 * IPV4.size):
        data = bytearray(right)
        data[L3 + bit // 8] ^= 0x80 >> bit % 8
        yield kit.hostile(("bit", bit), data, f"bit {bit} of the header wrong")


def sum_udp(kit: Kit) -> Iterator[Hostile]:
    """Datagrams that add up, pseudo header included, to each multiple of 0xffff (right) and of
    0x10000 and beside them, over IPv4 and IPv6; short ones, and ones whose sum carries hundreds of
    times.

    Source: RFC 1071, section 2; RFC 768; RFC 8200, section 8.1
    """
    for version in VERSIONS:
        for count, totals in ((10, _totals(10)), (728, _totals(728)[-5:])):
            yield from _udp_totals(kit, version, count, totals)


def _udp_totals(kit: Kit, version: int, count: int, totals: list[int]) -> Iterator[Hostile]:
    fields = {"sport": 1, "dport": OTHER_PORT, "length": UDP.size + 2 * count, "checksum": 0x0101}
    empty = kit.frame(on_ip(version, layer(Protocol.UDP, header(UDP, **fields) + bytes(2 * count))))
    least = _pseudo_sum(empty, version)
    for total in totals:
        if fill := _filled(total - least, count):
            data = header(UDP, **fields) + b"".join(word.to_bytes(2, "big") for word in fill)
            frame = kit.frame(on_ip(version, layer(Protocol.UDP, data)))
            note = f"datagram and pseudo header add up to {total:#x}"
            yield kit.hostile((f"ipv{version}", count, f"{total:05x}"), frame, note)


def _pseudo_sum(frame: bytes, version: int) -> int:
    """What is added over a UDP frame without options: addresses, protocol, length, datagram."""
    end = IP_END[version]
    addresses = frame[end - (8 if version == 4 else 32) : end]
    return words(addresses + frame[end:]) + Protocol.UDP + len(frame) - end


def sum_udp_value(kit: Kit) -> Iterator[Hostile]:
    """UDP checksums 0 (absent over IPv4, forbidden over IPv6, allowed to StellarTP's port), 0xffff,
    where the right sum is 0 and where not, the complement, each bit of it wrong; odd lengths with
    bytes behind that do not belong to the sum.

    Source: RFC 768; RFC 8200, section 8.1; RFC 6935, section 5; RFC 6936
    """
    for version, port in product(VERSIONS, (STELLAR_PORT, OTHER_PORT)):
        where = (f"ipv{version}", port)

        def made(checksum, version=version, port=port):
            inner = send(b"sum", udp={"checksum": checksum, "dport": port})
            return kit.frame(on_ip(version, inner))

        at = IP_END[version] + UDP.offset("checksum") // 8
        right = int.from_bytes(made(None)[at : at + 2], "big")
        values = {0: "absent", ONES: "ones", right ^ ONES: "complement", right: "right"}
        values |= {right ^ 1 << bit: f"bit {bit} wrong" for bit in range(16)}
        for value, name in values.items():
            yield kit.hostile((*where, f"{value:04x}"), made(value), f"UDP checksum {name}")
        yield from _zero_sums(kit, version, port)
    yield from _odd_ends(kit)


def _zero_sums(kit: Kit, version: int, port: int) -> Iterator[Hostile]:
    """Plain datagrams whose right checksum is 0, to be sent as 0xffff."""
    body = kit.random(4)
    fields = {"sport": 1, "dport": port, "length": UDP.size + 6}
    first = kit.frame(on_ip(version, layer(Protocol.UDP, header(UDP, **fields) + body + bytes(2))))
    last = (-_pseudo_sum(first, version) % ONES).to_bytes(2, "big")
    for value in (0, ONES, 1, 0xFFFE):
        data = header(UDP, **fields, checksum=value) + body + last
        frame = kit.frame(on_ip(version, layer(Protocol.UDP, data)))
        note = f"sum 0 without it, checksum {value:#x}"
        yield kit.hostile((f"ipv{version}", port, "zero-sum", value), frame, note)


def _odd_ends(kit: Kit) -> Iterator[Hostile]:
    for version, size in product(VERSIONS, range(1, 18)):
        inner = udp(kit.random(size))
        frame = kit.frame(on_ip(version, inner))
        note = f"{size} bytes of payload"
        where = (f"ipv{version}", "odd", size)
        yield kit.hostile((*where, "behind"), frame + b"\xff" * 7, f"{note}, 7 behind IP")
        inside = frame[IP_END[version] :] + b"\xff" * 5
        frame = kit.frame(on_ip(version, layer(Protocol.UDP, inside)))
        yield kit.hostile((*where, "inside"), frame, f"{note}, 5 in IP behind UDP")
