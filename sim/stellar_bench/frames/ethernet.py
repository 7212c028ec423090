"""Ethernet II and 802.3 frames, VLAN tags in every mix, tags that are cut."""

from collections.abc import Iterator
from itertools import product

from stellar_model import build
from stellar_spec.codes import TPIDS, EtherType

from .recipes import filler, on_ip, send, tagged
from .stimulus import Stimulus

__all__ = ["addresses", "ethernet", "tag_mixes", "tags_cut", "types"]

NEAR_TYPES = (
    *(0, 1, 46, 60, 0x05DC, 0x05DD, 0x05FF, 0x0600, 0x0601),  # 802.3 lengths, and where they end
    *(0x0800 ^ 1 << bit for bit in range(16)),
    *(0x86DD ^ 1 << bit for bit in range(16)),
    *(0x0806, 0x0842, 0x8035, 0x8808, 0x8809, 0x88CC, 0x88F7),  # ARP, … control, LACP, LLDP, PTP
    *(0x8847, 0x8848, 0x8863, 0x8864, 0x88E5, 0x88E7, 0x894F, 0x9200, 0xFFFF),  # MPLS, PPPoE, …
    *(tpid ^ 1 << bit for tpid in TPIDS for bit in (0, 7, 8, 12, 15)),
)
"""Types that lead nowhere, most of them one bit beside one that does."""


def ethernet() -> Iterator[Stimulus]:
    """All of this theme."""
    yield from types()
    yield from tag_mixes()
    yield from tags_cut()
    yield from tag_bits()
    yield from addresses()


def types() -> Iterator[Stimulus]:
    """Types that lead nowhere in front of what looks like a good packet, behind 0 to 2 tags."""
    inner = build.ethernet(build.ipv4(send()))[14:]
    wanted = [t for t in dict.fromkeys(NEAR_TYPES) if t not in (EtherType.IPV4, EtherType.IPV6)]
    for place, number in enumerate(wanted):
        tags = TPIDS[: place % 3]
        if not tags or number in TPIDS:
            yield Stimulus(f"type/{number:04x}", build.ethernet(inner, type=number))
        else:
            packet = tagged(build.ipv4(send()), tags)
            frame = bytearray(build.ethernet(packet))
            frame[12 + 4 * len(tags) : 14 + 4 * len(tags)] = number.to_bytes(2, "big")
            yield Stimulus(f"type/{number:04x}/{len(tags)}-tags", bytes(frame))
    request = bytes.fromhex("0001080006040001") + filler(20)
    yield Stimulus("type/arp", build.pad(build.ethernet(request, type=0x0806)))
    llc = bytes.fromhex("4242030000000000") + filler(30)
    yield Stimulus("type/llc", build.pad(build.ethernet(llc, type=len(llc))))
    for number in (EtherType.IPV4, EtherType.IPV6):  # the other one's packet
        packet = build.ipv6(send()) if number == EtherType.IPV4 else build.ipv4(send())
        yield Stimulus(f"type/{number:04x}/crossed", build.ethernet(packet, type=number))


def tag_mixes() -> Iterator[Stimulus]:
    """0 to 3 tags of each TPID, in front of StellarTP over IPv4 and IPv6 and of another type."""
    for count in range(4):
        for tpids in product(TPIDS, repeat=count):
            name = "vlan/" + ("-".join(f"{tpid:04x}" for tpid in tpids) or "none")
            for version in (4, 6):
                frame = build.ethernet(tagged(on_ip(version, send(), dscp=3), tpids))
                yield Stimulus(f"{name}/ipv{version}", frame)
            frame = bytearray(build.ethernet(tagged(build.ipv4(send()), tpids)))
            frame[12 + 4 * count : 14 + 4 * count] = b"\x88\xb5"
            yield Stimulus(f"{name}/other", bytes(frame))


def tags_cut() -> Iterator[Stimulus]:
    """Frames that end in or right behind each of up to three tags."""
    for tpids in ((0x8100,), (0x9100, 0x88A8), (0x9100, 0x88A8, 0x8100)):
        frame = build.ethernet(tagged(build.ipv4(send()), tpids))
        for end in range(12, 19 + 4 * len(tpids)):
            yield Stimulus(f"vlan/cut/{len(tpids)}/{end}", frame[:end])


def tag_bits() -> Iterator[Stimulus]:
    """Each bit of the first and of the second tag's TCI alone."""
    for place in (0, 1):
        for bit in range(16):
            frame = bytearray(build.ethernet(tagged(build.ipv4(send()), (0x88A8, 0x8100))))
            frame[14:16] = frame[18:20] = bytes(2)
            frame[14 + 4 * place : 16 + 4 * place] = (1 << bit).to_bytes(2, "big")
            yield Stimulus(f"vlan/tci/{place}/{bit}", bytes(frame))


def addresses() -> Iterator[Stimulus]:
    """MAC addresses with a bit in each byte; broadcast; both zero."""
    for byte in range(6):
        for name in ("dst", "src"):
            frame = build.ethernet(build.ipv4(send()), **{name: 0xA5 << 8 * byte})
            yield Stimulus(f"mac/{name}/{byte}", frame)
    yield Stimulus("mac/broadcast", build.ethernet(build.ipv4(send()), dst=2**48 - 1))
    yield Stimulus("mac/zero", build.ethernet(build.ipv6(send()), dst=0, src=0))
