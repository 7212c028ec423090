"""What stands beside the bytes: MAC errors at every beat lane, the address filter."""

from collections.abc import Iterator
from itertools import product

from stellar_spec.headers import IPV4, IPV6

from ..frame import Hostile, Kit
from ..good import OWN
from ..pieces import KINDS, VERSIONS, least, on_ip, send, sized, udp

__all__ = ["address_filter", "mac_error"]

LANES = 64
"""Bytes of the widest beat whose every lane is met."""


def mac_error(kit: Kit) -> Iterator[Hostile]:
    """A frame that the MAC marks as bad (FCS, a code error) on its last beat, ending at each lane
    of a beat of up to 64 bytes, in each kind of packet; frames of 1 to 64 bytes likewise; and
    beside each of them the same length without the error.

    Source: IEEE 802.3, clause 4.2.4.1.2; this project's docs/streams.md
    """
    for kind in KINDS:
        for size in range(least(kind), least(kind) + LANES):
            yield from _both(kit, (kind, size), sized(kit, kind, size))
    whole = sized(kit, "udp6", 2 * LANES)
    for size in range(1, LANES + 1):
        yield from _both(kit, ("cut", size), whole[:size])


def _both(kit: Kit, name: tuple, data: bytes) -> Iterator[Hostile]:
    note = f"ends at lane {len(data) % LANES} of {LANES}"
    yield kit.hostile((*name, "error"), data, f"{note}, marked as bad", error=True)
    yield kit.hostile((*name, "good"), data, f"{note}, not marked")


def address_filter(kit: Kit) -> Iterator[Hostile]:
    """Packets to the card's own address and to each that differs in one bit, to broadcast,
    multicast, loopback and zero, to the own address as source, in IPv4-mapped form; with the filter
    on and off; with own addresses of zero.

    Source: RFC 1122, section 3.2.1.3; RFC 4291, section 2
    """
    own = {4: OWN["own_ipv4"], 6: OWN["own_ipv6"]}
    special = {
        4: (0, 0xFFFFFFFF, 0x7F000001, 0xE0000001),
        6: (0, 1, 0xFF02 << 112 | 1, 0xFFFF << 32 | own[4], (1 << 128) - 1),
    }
    for version, settings in product(VERSIONS, (OWN, {"filter": 1}, {})):
        state = "on" if settings is OWN else "own-zero" if settings else "off"
        width = (IPV4 if version == 4 else IPV6)["dst"].width
        near = [own[version] ^ 1 << bit for bit in range(width)] if state == "on" else []
        for dst in (own[version], *special[version], *near):
            frame = kit.frame(on_ip(version, send(), dst=dst))
            note = f"to {dst:#x}, filter {state}"
            yield kit.hostile((f"ipv{version}", state, f"{dst:x}"), frame, note, **settings)
        frame = kit.frame(on_ip(version, send(), src=own[version], dst=5))
        yield kit.hostile((f"ipv{version}", state, "source"), frame, f"filter {state}", **settings)
        frame = kit.frame(on_ip(version, udp(b"other"), dst=5))
        yield kit.hostile((f"ipv{version}", state, "udp"), frame, f"filter {state}", **settings)
