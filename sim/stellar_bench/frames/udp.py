"""UDP: lengths against the IP payload, sums of every size, absent and wrong ones, ports."""

from collections.abc import Iterator

from stellar_model import build
from stellar_model.checksum import pseudo_header
from stellar_spec.codes import Protocol
from stellar_spec.headers import STELLAR_PORT

from .recipes import ADDRESSES, L4, datagram, filler, on_ip, send, udp_header
from .stimulus import OTHER_PORT, Stimulus

__all__ = ["lengths", "ports", "sums", "udp", "unverifiable", "values", "zeros"]


def udp() -> Iterator[Stimulus]:
    """All of this theme."""
    yield from lengths()
    yield from values()
    yield from sums()
    yield from zeros()
    yield from unverifiable()
    yield from odd_ends()
    yield from ports()


def lengths() -> Iterator[Stimulus]:
    """UDP lengths from 0 to behind the IP payload, with a sum and without."""
    for version in (4, 6):
        for length in (*range(12), *range(26, 40), 0x100, 0x7FFF, 0xFFFF):
            inners = {
                "stellar": send(4, udp={"length": length}),
                "summed": build.udp(filler(28), sport=3, dport=53, length=length),
                "unsummed": build.udp(filler(28), sport=3, dport=53, length=length, checksum=0),
            }
            if version == 6:
                del inners["unsummed"]
            for name, inner in inners.items():
                packet = build.ethernet(on_ip(version, inner))
                yield Stimulus(f"udp/length/ipv{version}/{name}/{length}", packet)
        for size in range(13):
            inner = build.udp(filler(size), sport=3, dport=STELLAR_PORT)
            packet = build.ethernet(on_ip(version, inner))
            yield Stimulus(f"udp/size/ipv{version}/{size}", packet)


def values() -> Iterator[Stimulus]:
    """The checksum absent, right, wrong in each bit, 0xffff; for us and for another port."""
    for version in (4, 6):
        for port in (STELLAR_PORT, 53):
            where = f"ipv{version}/{port}"
            given = {"absent": 0, "right": None, "ones": 0xFFFF, "wrong": 0x1234}
            for name, checksum in given.items():
                inner = send(5, udp={"checksum": checksum, "dport": port})
                packet = build.ethernet(on_ip(version, inner))
                yield Stimulus(f"udp/value/{name}/{where}", packet)
        frame = build.ethernet(on_ip(version, send(5, udp={"checksum": None})))
        l4 = L4[version]
        for bit in range(16) if version == 4 else ():
            wrong = bytearray(frame)
            wrong[l4 + 6 + bit // 8] ^= 1 << bit % 8
            yield Stimulus(f"udp/value/bit-{bit}/ipv{version}", bytes(wrong))
        first, step = (l4 - 8, 1) if version == 4 else (l4 - 32, 3)
        for at in range(first, len(frame), step):
            wrong = bytearray(frame)
            wrong[at] ^= 0x10
            yield Stimulus(f"udp/value/byte-{at}/ipv{version}", bytes(wrong))


def sums() -> Iterator[Stimulus]:
    """Sums of each size before folding: the right ones are the multiples of 0xffff."""
    totals = (0xFFFF, 0x1FFFE, 0x2FFFD, 0x3FFFC, 0x4FFFB, 0x5FFFA, 0x6FFF9, 0x7FFF8, 0x8FFF7)
    beside = (0x1FFFF, 0x2FFFE, 0x2FFFF, 0x3FFFD, 0x3FFFF, 0x10000, 0x20000, 0x30000, 0x8FFFF)
    for version in (4, 6):
        least = added(pseudo_header(ADDRESSES[version], 8 + 20))
        for total in (*totals, *beside):
            if total - least < 0x2000:
                continue
            inner = summing_to(version, total)
            packet = on_ip(version, inner, Protocol.UDP)
            yield Stimulus(f"udp/sum/ipv{version}/{total:05x}", build.ethernet(packet))


def summing_to(version: int, total: int) -> bytes:
    """A datagram that adds up to ``total`` with its pseudo header, carries kept."""
    words = [0] * 10
    size = 8 + 2 * len(words)
    header = {"sport": 1, "dport": 53, "length": size, "checksum": 0x0101}
    rest = total - added(pseudo_header(ADDRESSES[version], size) + udp_header(**header))
    for place in range(len(words)):
        words[place] = min(rest, 0xFFFF)
        rest -= words[place]
    if rest:
        raise ValueError(f"{len(words)} words of payload cannot bring the sum to {total:#x}")
    return udp_header(**header) + b"".join(word.to_bytes(2, "big") for word in words)


def added(data: bytes) -> int:
    """The 16-bit words of ``data`` added, carries kept."""
    return sum(int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2))


def zeros() -> Iterator[Stimulus]:
    """A datagram whose right sum is 0, sent as 0xffff (RFC 768), and what else may stand there."""
    for version in (4, 6):
        header = {"sport": 1, "dport": 53, "length": 14, "checksum": 0}
        data = udp_header(**header) + filler(4)
        rest = added(pseudo_header(ADDRESSES[version], 14) + data) % 0xFFFF
        for value in (0xFFFF, 0, 1, 0xFFFE):
            whole = udp_header(**header | {"checksum": value}) + filler(4)
            packet = on_ip(version, whole + (0xFFFF - rest).to_bytes(2, "big"), Protocol.UDP)
            yield Stimulus(f"udp/zero/ipv{version}/{value}", build.ethernet(packet))


def unverifiable() -> Iterator[Stimulus]:
    """Datagrams over IPv6 whose sum can't be judged, with a sum and with 0, which may not stand."""
    home = bytes([1, 2, 0, 0, 201, 16]) + filler(16)
    for checksum in (0, None):
        inner = build.udp(filler(8), dport=53, checksum=checksum)
        packets = {
            "first-fragment": build.fragment(inner, more=1),
            "segments-left": build.routing(inner, data=filler(20), segments_left=1),
            "home-address": build.destination(inner, options=home),
            "home-address-in-front": build.destination(build.destination(inner), options=home),
            "segments-in-front": build.routing(
                build.routing(inner, data=filler(20)), data=filler(20), segments_left=1
            ),
        }
        for name, packet in packets.items():
            frame = build.ethernet(build.ipv6(packet))
            yield Stimulus(f"udp/unverifiable/{name}/{checksum}", frame)
        frame = build.ethernet(build.ipv6(inner))
        yield Stimulus(f"udp/unverifiable/cut/{checksum}", frame[:-3])


def odd_ends() -> Iterator[Stimulus]:
    """Sums over odd lengths with bytes behind that don't belong to them: padding, IP payload."""
    for version in (4, 6):
        for size in range(1, 9):
            inner = build.udp(filler(size), sport=6, dport=53)
            frame = build.ethernet(on_ip(version, inner))
            yield Stimulus(f"udp/odd/ipv{version}/{size}/padded", frame + b"\xff" * 7)
            yield Stimulus(f"udp/odd/ipv{version}/{size}/zeros", build.pad(frame, 64))
            packet = on_ip(version, datagram(version, inner) + b"\xff" * 5, Protocol.UDP)
            yield Stimulus(f"udp/odd/ipv{version}/{size}/inside", build.ethernet(packet))


def ports() -> Iterator[Stimulus]:
    """Destination ports one bit beside StellarTP's, for both ports that the settings name."""
    for port, settings in ((STELLAR_PORT, "default"), (OTHER_PORT, "port")):
        for bit in range(16):
            frame = build.ethernet(build.ipv4(send(udp={"dport": port ^ 1 << bit})))
            yield Stimulus(f"port/{settings}/{bit}", frame, settings=settings)
        for version in (4, 6):
            for other in (STELLAR_PORT, OTHER_PORT):
                inner = send(udp={"dport": other})
                frame = build.ethernet(on_ip(version, inner))
                name = f"port/{settings}/ipv{version}/{other}"
                yield Stimulus(name, frame, settings=settings)
        swapped = send(udp={"sport": port, "dport": 53})
        frame = build.ethernet(build.ipv4(swapped))
        yield Stimulus(f"port/{settings}/source", frame, settings=settings)
