"""Damage to many frames: what ``stellar_bench.frames.mutations`` does to one, in numpy."""

from collections.abc import Callable

import numpy as np

from stellar_spec.codes import TPIDS, EtherType, Layer, Protocol
from stellar_spec.headers import ETHERNET, IPV4, IPV6, STELLAR, UDP

from .slots import SLACK, Slots

__all__ = ["damage"]

_SPECIAL = np.array((0, 0xFF, 17, 6, 44, 51, 131, 137, 201), np.uint8)
_TYPES = np.array((*TPIDS, EtherType.IPV4, EtherType.IPV6))
_PROTOCOLS = np.array(list(Protocol), np.uint8)
_FIRST = ETHERNET.offset("type") // 8
_DEEP = 64  # bytes behind the IP header's start, in which most damage falls

Rng = np.random.Generator
Rows = np.ndarray


def damage(slots: Slots, rows: Rows, rng: Rng) -> None:
    """One to three kinds of damage to each frame of ``rows``."""
    rounds = rng.choice((1, 1, 1, 2, 3), len(rows))
    for number in range(max(rounds, default=0)):
        left = rows[rounds > number]
        kinds = rng.integers(0, len(KINDS), len(left))
        for kind, change in enumerate(KINDS):
            change(slots, left[kinds == kind], rng)


def flip(slots: Slots, rows: Rows, rng: Rng) -> None:
    """A bit, most often one of a header."""
    slots.bytes[_places(slots, rows, rng)] ^= np.uint8(1) << rng.integers(0, 8, len(rows), np.uint8)


def overwrite(slots: Slots, rows: Rows, rng: Rng) -> None:
    """A byte by another, or by one that matters somewhere."""
    values = rng.integers(0, 256, len(rows), np.uint8)
    special = rng.random(len(rows)) < 0.5
    values[special] = rng.choice(_SPECIAL, special.sum())
    slots.bytes[_places(slots, rows, rng)] = values


def cut(slots: Slots, rows: Rows, rng: Rng) -> None:
    """An end anywhere behind the MAC addresses."""
    end = slots.lengths[rows]
    slots.lengths[rows] = rng.integers(np.minimum(ETHERNET.size, end), end + 1)


def extend(slots: Slots, rows: Rows, rng: Rng) -> None:
    """Some bytes more, as far as there is room."""
    room = slots.columns["trailer.length"][rows].astype(np.int64) + SLACK - slots.lengths[rows]
    more = np.minimum(room, rng.integers(1, 21, len(rows)))
    values = rng.integers(0, 256, (len(rows), SLACK), np.uint8)
    for count in np.unique(more):
        same = rows[more == count]
        slots.write(same, slots.lengths[same], values[more == count, :count])
    slots.lengths[rows] += more


def edit_length(slots: Slots, rows: Rows, rng: Rng) -> None:
    """The IP or the UDP length: a little off, or any value."""
    rows = _showing(slots, rows, Layer.IP)
    four = slots.columns["ip.version"][rows] == 4
    field = np.where(four, IPV4.offset("total_length"), IPV6.offset("payload_length")) // 8
    at = slots.offset("l3")[rows] + field
    udp = (slots.layers[rows] & Layer.UDP != 0) & (rng.random(len(rows)) < 0.5)
    at[udp] = slots.offset("l4")[rows][udp] + UDP.offset("length") // 8
    rows, at = _inside(slots, rows, at, 2)
    places = slots.starts[rows] + at
    old = slots.bytes[places].astype(np.int64) << 8 | slots.bytes[places + 1]
    count = len(rows)
    new = np.choose(
        rng.integers(0, 3, count),
        [
            old + rng.integers(-9, 10, count),
            old + rng.integers(-60, 61, count),
            rng.integers(0, 0x10000, count),
        ],
    )
    _write_number(slots, rows, at, np.clip(new, 0, 0xFFFF))


def edit_type(slots: Slots, rows: Rows, rng: Rng) -> None:
    """The EtherType or the protocol: another that leads on."""
    inner = (slots.layers[rows] & Layer.IP != 0) & (rng.random(len(rows)) < 0.6)
    chosen = rows[inner]
    four = slots.columns["ip.version"][chosen] == 4
    field = np.where(four, IPV4.offset("protocol"), IPV6.offset("next_header")) // 8
    chosen, at = _inside(slots, chosen, slots.offset("l3")[chosen] + field, 1)
    slots.write(chosen, at, rng.choice(_PROTOCOLS, (len(chosen), 1)))
    chosen = rows[~inner]
    at = np.maximum(slots.offset("l3")[chosen], ETHERNET.size) - 2
    chosen, at = _inside(slots, chosen, at, 2)
    number = rng.choice(_TYPES, len(chosen))
    other = rng.random(len(chosen)) < 1 / 6
    number[other] = rng.integers(0, 0x10000, other.sum())
    _write_number(slots, chosen, at, number)


def edit_stellar(slots: Slots, rows: Rows, rng: Rng) -> None:
    """The base header's first byte (version, opcode) or its flags, or a byte of an extension."""
    rows = _showing(slots, rows, Layer.STELLAR)
    at, count = slots.offset("l4")[rows] + UDP.size, len(rows)
    values = rng.integers(0, 256, count, np.uint8)
    draw = rng.random(count)
    first = draw < 0.35
    values[first & (rng.random(count) < 0.75)] &= 2 ** STELLAR["opcode"].width - 1
    at = at + np.select([first, draw < 0.7], [0, 1], STELLAR.size + rng.integers(0, 40, count))
    chosen, place = _inside(slots, rows, at, 1)
    slots.write(chosen, place, values[at < slots.lengths[rows]][:, None])


KINDS: tuple[Callable[[Slots, Rows, Rng], None], ...] = (
    *(flip, flip, overwrite, overwrite),
    *(cut, extend, edit_length, edit_length, edit_type, edit_stellar, edit_stellar),
)


def _places(slots: Slots, rows: Rows, rng: Rng) -> np.ndarray:
    """A byte of each frame, most often of what lies around the IP and UDP headers."""
    end = slots.lengths[rows]
    near = rng.random(len(rows)) < 0.7
    first = np.where(near, np.minimum(_FIRST, end - 1), 0)
    last = np.where(near, np.minimum(slots.offset("l3")[rows] + _DEEP, end), end)
    return slots.starts[rows] + rng.integers(first, np.maximum(last, first + 1))


def _showing(slots: Slots, rows: Rows, layer: Layer) -> Rows:
    return rows[slots.layers[rows] & layer != 0]


def _inside(slots: Slots, rows: Rows, at: np.ndarray, size: int) -> tuple[Rows, np.ndarray]:
    """Of the rows those that still have ``size`` bytes at ``at``."""
    there = at + size <= slots.lengths[rows]
    return rows[there], at[there]


def _write_number(slots: Slots, rows: Rows, at: np.ndarray, number: np.ndarray) -> None:
    slots.write(rows, at, number.astype(">u2").view(np.uint8).reshape(-1, 2))
