"""What a batch of the soak does: its keys, commands, settings, and the traffic beside them."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from stellar_model.flow.hash import KEY_BITS
from stellar_spec.codes import KeyKind, Protocol
from stellar_spec.flow import FLOW_KEY, SLOT_BITS, TIME_BITS, FlowOp

from .engine import Commands, Traffic
from .ports import ACTION_BITS, TablePorts

__all__ = ["Batch", "Segment", "batch", "draw_keys"]

SHARES = (1.3, 1.6, 2.5)
"""Keys of the pool for each slot, drawn for each batch."""
LARGE = 1 << 15
"""Slots of a table that is not to be filled, as that takes too long: a few keys come and go."""
PROFILES = ("churn", "reseed", "ageing", "churn", "low", "learning", "collide", "both")
INVALID_OPS = tuple(set(range(8)) - set(FlowOp))


@dataclass(frozen=True)
class Segment:
    """Commands with the same settings, and what must come of them by itself, if anything must.

    ``learns_within``: the cycles in which one more key must be learned, again and again while there
    are commands.  ``aged_apart``: all keys must have been aged in the end, so many cycles from one
    to the next, on average, at least.  ``presets``: packets and bytes that flows which have
    counted anything have counted before, by their numbers.
    """

    commands: Commands
    settings: dict[str, int]
    learns_within: int | None = None
    aged_apart: int | None = None
    presets: list[tuple[int, int]] | None = None


@dataclass(frozen=True)
class Batch:
    """``profile`` names what it is about; segments run one behind the other, after a reset."""

    profile: str
    pool: list[int]
    segments: list[Segment]
    traffic: Traffic
    seed: int


def _pack(**values: int) -> int:
    key = at = 0
    for field in FLOW_KEY:
        key |= values[field.name] << at
        at += field.width
    return key


def draw_keys(rng: random.Random, count: int) -> list[int]:
    """Different keys of all kinds; half of them differ from a neighbour in a few bits only."""
    found = {_pack(kind=0, selector=1, src=2, dst=3): None}  # no key: can't be inserted
    base = {bits: (rng.getrandbits(bits), rng.getrandbits(bits)) for bits in (32, 128)}
    while len(found) < count:
        kind = rng.choice([kind for kind in KeyKind if kind])
        bits = 32 if kind in (KeyKind.IPV4_5TUPLE, KeyKind.IPV4_STELLAR) else 128
        stellar = kind in (KeyKind.IPV4_STELLAR, KeyKind.IPV6_STELLAR)
        if rng.random() < 0.5:
            src, dst = (address ^ 1 << rng.randrange(bits) for address in base[bits])
            ports = rng.randrange(64), 4791
        else:
            src, dst = rng.getrandbits(bits), rng.getrandbits(bits)
            ports = rng.getrandbits(16), rng.getrandbits(16)
        protocol = rng.choice((Protocol.TCP, Protocol.UDP))
        selector = rng.getrandbits(24) if stellar else protocol | ports[0] << 8 | ports[1] << 24
        found[_pack(kind=int(kind), selector=selector, src=src, dst=dst)] = None
    return list(found)


class _Believed:
    """Keys that ought to be present, as places in the pool; 0 is the one that is no key."""

    def __init__(self, rng, count):
        self._rng, self._count = rng, count
        self._row, self._places = [], {}

    def __len__(self):
        return len(self._row)

    def any_key(self):
        return self._rng.randrange(self._count)

    def present(self):
        return self._rng.choice(self._row) if self._row else self.any_key()

    def absent(self):
        for _ in range(20):
            key = 1 + self._rng.randrange(self._count - 1)
            if key not in self._places:
                return key
        return self.any_key()

    def add(self, key):
        if key and key not in self._places:
            self._places[key] = len(self._row)
            self._row.append(key)

    def drop(self, key):
        place = self._places.pop(key, None)
        if place is None:
            return
        last = self._row.pop()
        if last != key:
            self._row[place] = last
            self._places[last] = place

    def clear(self):
        self._row.clear()
        self._places.clear()


class _Commands:
    """Draws rows of op, key, action, slot."""

    def __init__(self, rng, slots, count):
        self._rng, self._slots = rng, slots
        self.believed = _Believed(rng, count)

    def _row(self, op, key, slot=None):
        slot = self._rng.randrange(self._slots + 1) if slot is None else slot
        return op, key, self._rng.getrandbits(ACTION_BITS), slot

    def clear(self):
        """One CLEAR."""
        self.believed.clear()
        return self._row(FlowOp.CLEAR, self.believed.any_key())

    def listing(self):
        """READ_SLOT of all slots and the stash."""
        for slot in range(self._slots + 1):
            yield self._row(FlowOp.READ_SLOT, self.believed.any_key(), slot)

    def towards(self, target: float):
        """A command that brings the table nearer to ``target`` of its slots, or looks at it."""
        draw, believed = self._rng.random(), self.believed
        if draw < 0.6:
            if len(believed) < target * self._slots:
                key = believed.absent()
                believed.add(key)
                return self._row(FlowOp.INSERT, key)
            key = believed.present()
            believed.drop(key)
            return self._row(FlowOp.DELETE, key)
        return self._other(draw)

    def _other(self, draw):
        believed, row = self.believed, self._row
        if draw < 0.68:
            return row(FlowOp.UPDATE, believed.present())
        if draw < 0.76:
            return row(FlowOp.READ, believed.present())
        if draw < 0.80:
            return row(FlowOp.INSERT, believed.present())
        if draw < 0.84:
            op = self._rng.choice((FlowOp.DELETE, FlowOp.UPDATE, FlowOp.READ, FlowOp.INSERT))
            key = believed.any_key()
            believed.drop(key) if op == FlowOp.DELETE else None
            believed.add(key) if op == FlowOp.INSERT else None
            return row(op, key)
        if draw < 0.98:
            slot = self._slots if draw < 0.87 else None
            return row(FlowOp.READ_SLOT, believed.any_key(), slot)
        if draw < 0.985:
            op = self._rng.choice((FlowOp.INSERT, FlowOp.DELETE, FlowOp.UPDATE, FlowOp.READ))
            return row(op, 0)  # no key
        if draw < 0.99:
            return row(self._rng.choice(INVALID_OPS), believed.any_key())
        # There is no such slot: one bit too many, wherever it is.
        more_bits = SLOT_BITS - self._slots.bit_length()  # the largest table has all of them
        within = self._slots + (1 << self._rng.randrange(self._slots.bit_length() - 1))
        above = self._slots << self._rng.randrange(1, 1 + more_bits) if more_bits else within
        last = (1 << SLOT_BITS) - 1
        return row(FlowOp.READ_SLOT, 0, self._rng.choice((above, within, within, last)))


def _targets(rng: random.Random, profile: str, slots: int, count: int) -> Iterator[float]:
    """The fill that is aimed at, command by command, for one round; six in ten change it by one."""
    if slots >= LARGE:
        yield from (count / 8 / slots,) * count
        return
    if profile == "low":
        yield from (rng.choice((0.1, 0.3, 0.6)),) * (2 * slots)
        return
    yield from (1.1,) * int(1.9 * slots)  # grow until it is full, and beyond
    for _ in range(min(3 * slots, count // 5)):
        yield rng.uniform(0.90, 0.98)
    yield from (0.0,) * int(1.75 * slots)


def _rounds(rng, profile, ports, count, pool):
    """Rows and settings, segment by segment."""
    draw = _Commands(rng, ports.slots, pool)
    settings, left, rows = _settings(rng, profile, ports), count, []
    while left > 0:
        block = [draw.towards(target) for target in _targets(rng, profile, ports.slots, count)]
        if rng.random() < 0.4:
            at = rng.randrange(len(block))
            block[at:at] = draw.listing()
        renew = rng.random() < (0.7 if profile == "reseed" else 0.1)
        if settings["seed"] == 0:  # every FULL is a search to the end of its bound: not too many
            block, renew = block[: count // 6], True
        if renew or rng.random() < 0.3:
            block.append(draw.clear())
        rows += block[:left]
        left -= len(block)
        if left > 0 and renew:
            yield rows, settings
            settings = _settings(rng, "churn" if profile == "collide" else profile, ports)
            rows = [draw.clear()]
            left -= 1
    yield rows, settings


def _settings(rng, profile, ports):
    seed = 0 if profile == "collide" else rng.getrandbits(ports.seed_bits)
    settings = {"seed": seed}
    if profile in ("learning", "both"):
        settings |= {
            "learn": 1,
            "learn_action": rng.getrandbits(ACTION_BITS),
            "learn_interval": rng.choice((0, 50, 2_000)),
        }
    return settings


def _traffic(rng, profile):
    busy = rng.random() < 0.15  # a packet accounted in every cycle that has one
    calm = (0, 0, 0.2, 0.7)
    return Traffic(
        idle=rng.choice((0, 0, 0, 0, 0.1, 0.9)),
        gap=rng.choice((0, 0, 0.05, 0.5)),
        stall_answer=rng.choice(calm),
        stall_event=rng.choice(calm),
        account=1.0 if busy else rng.choice((0.01, 0.05)),
        start=rng.choice((rng.getrandbits(TIME_BITS), (1 << TIME_BITS) - rng.randrange(2_000))),
        tick=rng.choice((1, 16, 300)) if profile not in ("ageing", "both") else 16,
    )


def batch(*, slots: int, seed: int, number: int, count: int) -> Batch:
    """Batch ``number`` of ``count`` commands; it depends on nothing else."""
    rng = random.Random(f"{seed}/flow_table/{slots}/{number}")
    profile = PROFILES[number % len(PROFILES)]
    ports = TablePorts(slots)
    pool = draw_keys(rng, int(slots * rng.choice(SHARES)))
    traffic = _traffic(rng, profile)
    # A key is asked for about once in as many cycles as there are keys.
    between = len(pool) / traffic.account / traffic.tick
    timeout = max(64, int(between * rng.choice((0.5, 1, 3))))
    segments = []
    for rows, settings in _rounds(rng, profile, ports, count, len(pool)):
        if profile in ("ageing", "both"):
            settings = settings | {"idle_timeout": timeout}
        segments.append(Segment(Commands.of(rows), settings))
    assert all(key < 1 << KEY_BITS for key in pool)
    return Batch(profile, pool, segments, traffic, rng.getrandbits(59))
