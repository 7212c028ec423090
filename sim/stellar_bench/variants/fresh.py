"""Other values for fields on which no decision hangs, and those that other settings call for."""

import numpy as np

from stellar_model import Settings
from stellar_spec.codes import Layer
from stellar_spec.headers import ETHERNET, IPV4, IPV6, STELLAR, UDP

from .slots import Slots

__all__ = ["renew", "renew_addresses", "translate"]

_MAC = ETHERNET.offset("type") // 8


def _random(rng: np.random.Generator, rows: np.ndarray, size: int) -> np.ndarray:
    return rng.integers(0, 256, (len(rows), size), np.uint8)


def renew_addresses(slots: Slots, rng: np.random.Generator) -> None:
    """Other MAC addresses; a frame that ends in them gets as many random bytes."""
    rows = np.arange(len(slots))
    slots.write(rows, np.zeros(len(rows), np.int64), _random(rng, rows, _MAC))


def renew(slots: Slots, rng: np.random.Generator) -> None:
    """Other IP sources, identifiers, lifetimes, UDP source ports, flows, PSNs and placements."""
    for version, header, names in (
        (4, IPV4, ("identification", "ttl", "src")),
        (6, IPV6, ("hop_limit", "src")),
    ):
        rows = slots.ip(version)
        for name in names:
            values = _random(rng, rows, header[name].width // 8)
            slots.write_field(rows, slots.offset("l3")[rows], header, name, values)
    rows = slots.shown(Layer.UDP)
    slots.write_field(rows, slots.offset("l4")[rows], UDP, "sport", _random(rng, rows, 2))
    rows = slots.shown(Layer.STELLAR)
    base = slots.offset("l4")[rows] + UDP.size
    for name in ("flow", "psn", "placement"):
        values = _random(rng, rows, STELLAR[name].width // 8)
        slots.write_field(rows, base, STELLAR, name, values)


def translate(slots: Slots, made_for: Settings, settings: Settings) -> None:
    """What frames made for some settings have of them becomes what others say."""
    rows = slots.shown(Layer.UDP)
    rows = rows[slots.columns["udp.dport"][rows] == made_for.stellar_port]
    _constant(slots, rows, "l4", UDP, "dport", settings.stellar_port)
    for version, header, own in ((4, IPV4, "own_ipv4"), (6, IPV6, "own_ipv6")):
        rows = slots.ip(version)
        old = np.array(divmod(getattr(made_for, own), 1 << 64), np.uint64)
        rows = rows[(slots.columns["ip.dst"][rows] == old).all(axis=1)]
        _constant(slots, rows, "l3", header, "dst", getattr(settings, own))
    if made_for.trim:
        _translate_dscp(slots, made_for.trim_dscp, settings.trim_dscp)


def _constant(slots: Slots, rows, layer: str, header, name: str, value: int) -> None:
    size = header[name].width // 8
    row = np.frombuffer(value.to_bytes(size, "big"), np.uint8)
    values = np.broadcast_to(row, (len(rows), size))
    slots.write_field(rows, slots.offset(layer)[rows], header, name, values)


def _translate_dscp(slots: Slots, old: int, new: int) -> None:
    for version, header in ((4, IPV4), (6, IPV6)):
        rows = slots.ip(version)
        rows = rows[slots.columns["ip.dscp"][rows] == old]
        bit = header.offset("dscp")
        shift = 16 - bit % 8 - header["dscp"].width
        places = slots.starts[rows] + slots.offset("l3")[rows] + bit // 8
        both = slots.bytes[places].astype(np.int64) << 8 | slots.bytes[places + 1]
        both ^= (old ^ new) << shift
        slots.bytes[places], slots.bytes[places + 1] = both >> 8, both & 0xFF
