"""Frames of every length: around beats, MTUs and the lengths at which counters saturate."""

from collections.abc import Iterator

from stellar_spec.codes import LENGTH_MAX

from ..frame import Hostile, Kit
from ..pieces import KINDS, L3, around, least, sized

__all__ = ["length_beat", "length_every", "length_jumbo", "length_limit", "length_mtu"]

LONGEST = 1600
BEATS = (1, 2, 4, 8, 16, 32, 64)
MTUS = (576, 1280, 1492, 1500, 1504, 1518)
TAIL = b"\xff"


def length_every(kit: Kit) -> Iterator[Hostile]:
    """Every length from 1 to 1,600 bytes: a StellarTP packet with a UDP sum that ends there; below
    its least size the beginning of one, far below any legal frame (runts).

    Source: IEEE 802.3, clause 4.2.3.3
    """
    shortest = next(filter(None, (sized(kit, "stellar4", size) for size in range(1, 99))))
    for size in range(1, LONGEST + 1):
        whole = sized(kit, "stellar4", size)
        note = f"{size} bytes, {'whole' if whole else 'cut'}"
        yield kit.hostile(f"{size}", whole or shortest[:size], note)


def length_beat(kit: Kit) -> Iterator[Hostile]:
    """Frames that end one byte before, at and behind the end of a beat of 1 to 64 bytes: whole, one
    byte short of what their IP header says, and with one byte behind it.

    Source: this project's docs/streams.md
    """
    for kind in KINDS:
        ends = {beat * (-(-least(kind) // beat) + place) for beat in BEATS for place in range(4)}
        for size in around(ends, -1, 0, 1):
            if whole := sized(kit, kind, size):
                yield from _forms(kit, kind, whole)


def length_mtu(kit: Kit) -> Iterator[Hostile]:
    """IP packets as large as usual MTUs (576, 1,280, 1,492, 1,500, 1,504, 1,518), and one and two
    bytes beside them.

    Source: RFC 894; RFC 8200, section 5; RFC 2516, section 7; IEEE 802.3as
    """
    for kind in KINDS:
        for size in around(MTUS, -2, -1, 0, 1, 2):
            yield from _forms(kit, kind, sized(kit, kind, size + L3), size in MTUS)


def _forms(kit: Kit, kind: str, whole: bytes, all_of_them: bool = True) -> Iterator[Hostile]:
    size = len(whole)
    yield kit.hostile((kind, size), whole, f"{kind}, {size} bytes")
    if all_of_them:
        yield kit.hostile((kind, size, "short"), whole[:-1], f"{kind}, last of {size} bytes lost")
        yield kit.hostile((kind, size, "behind"), whole + TAIL, f"{kind}, a byte behind {size}")


def length_jumbo(kit: Kit) -> Iterator[Hostile]:
    """Frames around the sizes at which a length leaves its field or its limit: jumbo frames, the
    largest IPv4 packet, and frames that are longer than a 17-bit count of their bytes.

    Source: RFC 791, section 3.1 (total length); this project's docs/parser.md (saturation)
    """
    for size in around((9000 + L3, 9216), -1, 0, 1):
        yield kit.hostile(f"{size}", sized(kit, "stellar4", size), f"{size} bytes, whole")
    largest = sized(kit, "udp4", 0xFFFF + L3)
    yield kit.hostile("ipv4", largest, "total length 65,535, whole")
    yield kit.hostile("ipv4/behind", largest + TAIL, "total length 65,535, a byte behind")
    for size in around((1 << 16, LENGTH_MAX), -1, 0, 1):
        data = largest.ljust(size, TAIL)[:size]
        yield kit.hostile(f"saturating/{size}", data, f"{size} bytes, the IP packet has less")


def length_limit(kit: Kit) -> Iterator[Hostile]:
    """Frames around a length limit, for limits from 1 byte up: shorter, of it, longer.

    Source: this project's docs/parser.md (the setting max_length)
    """
    for limit in (1, 2, 14, 58, 60, 63, 64, 65, 200, 1514):
        for size in around((limit,), -1, 0, 1):
            whole = sized(kit, "stellar4", max(size, 58))
            if size > 0:
                note = f"{size} bytes, at most {limit} are allowed"
                yield kit.hostile((limit, size), whole[:size], note, max_length=limit)
