"""Stimuli that look for one kind of fault."""

import gc
import warnings
from random import Random

from amaranth.hdl import UnusedElaboratable

from stellar_model.flow.hash import KEY_BITS, Seed, compress
from stellar_spec.flow import FLOW_KEY, TIME_BITS, WORD, FlowOp

from ...flow.batches import Batch, Segment, draw_keys
from ...flow.engine import Commands, Traffic
from ...flow.ports import ACTION_BITS, COUNTS_BITS, INTERVAL_BITS, TablePorts

__all__ = ["ages", "edges", "intervals", "neighbours", "years"]

KIND_BITS = FLOW_KEY[0].width
TOGETHER = 5
"""Keys that have room where all collide: one in each table, and one in the stash."""
COUNT_BITS = COUNTS_BITS // 2
WIDE = 1 << 2 * WORD
"""The hash counts modulo this."""
LEARNED_IN = 400
"""Cycles behind the interval in which a key must be learned if there is nothing else to do, and few
lookups are left out."""


class _Rows:
    """Draws rows of op, key, action, slot."""

    def __init__(self, rng: Random, slots: int):
        self._rng, self.slots = rng, slots

    def row(self, op, key, slot=None):
        slot = self._rng.randrange(self.slots + 1) if slot is None else slot
        return op, key, self._rng.getrandbits(ACTION_BITS), slot

    def listing(self):
        """All slots and the stash."""
        return [self.row(FlowOp.READ_SLOT, 0, slot) for slot in range(self.slots + 1)]


def _traffic(rng, **values):
    return Traffic(**{"gap": 0.7, "account": 0.05, "start": rng.getrandbits(TIME_BITS)} | values)


def neighbours(rng: Random, slots: int, count: int) -> Batch:
    """Keys that differ from one in a single bit and share all its places: seed 0.

    They come and go, so that the one is in each table and in the stash, while all are looked up:
    a bit that is not compared shows, wherever it is. Where one goes, that in the stash must follow.
    """
    none, base = draw_keys(rng, 2)
    pool = [none, base, *(base ^ 1 << bit for bit in range(KEY_BITS))]
    pool = [key for key in pool if key == none or key & (1 << KIND_BITS) - 1]
    rows, row = [], _Rows(rng, slots).row
    while len(rows) < count:
        keys = [1, *rng.sample(range(2, len(pool)), TOGETHER - 1)]
        rng.shuffle(keys)
        rows += [row(FlowOp.INSERT, key) for key in keys]
        rows += [row(FlowOp.READ, rng.choice(keys)) for _ in range(3)]
        rng.shuffle(keys)
        rows += [row(FlowOp.DELETE, keys[0])]
        rows += [row(FlowOp.READ, rng.choice(keys)) for _ in range(8)]
        rows += [row(FlowOp.DELETE, key) for key in keys[1:]]
    segments = [Segment(Commands.of(rows[:count]), {"seed": 0})]
    return Batch("neighbours", pool, segments, _traffic(rng), rng.getrandbits(59))


def edges(rng: Random, slots: int, count: int) -> Batch:
    """Keys whose hash is one up, or one down, from other places.

    A sum that is wrong by little, in a bit far below those that count, leads them elsewhere; of
    keys drawn by chance it would hardly any. A listing tells where they are.
    """
    ports, pool = TablePorts(slots), draw_keys(rng, 64)
    draw, segments = _Rows(rng, slots), []
    while count > 0:
        pair = rng.sample(range(1, len(pool)), 2)
        rows = [draw.row(FlowOp.CLEAR, 0)]
        rows += [draw.row(FlowOp.INSERT, key) for key in pair]
        rows += draw.listing() + [draw.row(FlowOp.CLEAR, 0)]
        seed = _edge_seed(rng, ports, [pool[key] for key in pair])
        segments.append(Segment(Commands.of(rows), {"seed": seed}))
        count -= len(rows)
    return Batch("edges", pool, segments, _traffic(rng, gap=0), rng.getrandbits(59))


def _edge_seed(rng: Random, ports: TablePorts, keys: list[int]) -> int:
    """A seed under which the first key's hash is f, followed by zeros, and the other's by ones."""
    unit = WIDE >> ports.index_bits
    one, other = rng.randrange(1, 1 << ports.index_bits), rng.randrange(1 << ports.index_bits)
    targets = one * unit, (other + 1) * unit - 1
    while True:
        seed = rng.getrandbits(ports.seed_bits)
        parts = Seed.of(seed, ports.index_bits)
        if len(parts.factors) > 1:
            raise ValueError(f"{ports.slots} slots have two hashes; this is made for one")
        (low, high), (low2, high2) = (divmod(compress(key, parts), 1 << WORD)[::-1] for key in keys)
        if (determinant := low * high2 - low2 * high) % 2:
            break  # a and b, of which h = a · low + b · high for both
    inverse = pow(determinant, -1, WIDE)
    a = (targets[0] * high2 - targets[1] * high) * inverse % WIDE
    b = (low * targets[1] - low2 * targets[0]) * inverse % WIDE
    at = len(parts.words) * WORD
    return seed & (1 << at) - 1 | a << at | b << at + 2 * WORD


def intervals(rng: Random, slots: int, count: int) -> Batch:
    """Keys are learned as fast as they may be, with intervals of all lengths.

    The short ones show what is learned too late, the others what is learned too early.
    """
    pool, draw, segments = draw_keys(rng, 2 * slots), _Rows(rng, slots), []
    for bit in range(INTERVAL_BITS):
        interval = 1 << bit
        short = interval < 1 << 15
        # A command takes about 60 cycles with the pause behind it.
        commands = max(count, 3 * interval // 60) if short else count
        rows = [draw.row(FlowOp.CLEAR, 0)]
        rows += [draw.row(FlowOp.READ, 1) for _ in range(commands)]
        settings = {"seed": rng.getrandbits(TablePorts(slots).seed_bits), "learn": 1}
        settings |= {"learn_action": rng.getrandbits(ACTION_BITS), "learn_interval": interval}
        within = interval + LEARNED_IN if short else None
        segments.append(Segment(Commands.of(rows), settings, within))
    traffic = _traffic(rng, idle=0.3, gap=1, account=0, tick=1)
    return Batch("intervals", pool, segments, traffic, rng.getrandbits(59))


def ages(rng: Random, slots: int, count: int) -> Batch:
    """The table is filled and left alone, but for commands that change nothing: all keys must go.

    Wherever one is, it is looked at, and no slot more often than it should be.
    """
    pool, draw, every = draw_keys(rng, slots + 1), _Rows(rng, slots), _scan_every(slots)
    # A command takes about 60 cycles with the pause behind it; a round is looked at, and half one.
    reads = 3 * every * (slots + 1) // (2 * 60)
    segments = []
    while count > 0:
        keys = rng.sample(range(1, len(pool)), slots)
        rows = [draw.row(FlowOp.CLEAR, 0)]
        rows += [draw.row(FlowOp.INSERT, key) for key in keys]
        rows += [draw.row(FlowOp.READ, rng.choice(keys)) for _ in range(reads)]
        settings = {"seed": rng.getrandbits(TablePorts(slots).seed_bits), "idle_timeout": 1 << 9}
        segments.append(Segment(Commands.of(rows), settings, aged_apart=every))
        count -= len(rows)
    return Batch("ages", pool, segments, _traffic(rng, gap=1, account=0), rng.getrandbits(59))


def years(rng: Random, slots: int, count: int) -> Batch:
    """Flows that have counted for years: high bits of the counters, and carries into them.

    What they come to is read by commands, and once, when all keys age, by events.
    """
    pool, draw, segments = draw_keys(rng, slots), _Rows(rng, slots), []
    settings = {"seed": rng.getrandbits(TablePorts(slots).seed_bits)}
    rows = [draw.row(FlowOp.INSERT, key) for key in range(1, 3 * slots // 4)]
    segments.append(Segment(Commands.of(rows), settings))
    ops = (FlowOp.READ, FlowOp.READ, FlowOp.READ, FlowOp.UPDATE, FlowOp.DELETE, FlowOp.INSERT)
    while count > 0:
        rows = [draw.row(rng.choice(ops), rng.randrange(1, slots)) for _ in range(3 * slots)]
        segments.append(Segment(Commands.of(rows), settings, presets=_old(rng, slots)))
        count -= len(rows)
    rows = [draw.row(FlowOp.READ, 1)]
    last = settings | {"idle_timeout": 1 << 7}
    segments.append(Segment(Commands.of(rows), last, presets=_old(rng, slots)))
    return Batch("years", pool, segments, _traffic(rng, gap=1, account=1.0), rng.getrandbits(59))


def _old(rng, slots):
    """Packets and bytes for each flow: anything, or a little less than a power of two."""

    def drawn(step):
        if rng.random() < 0.5:
            return rng.getrandbits(COUNT_BITS)
        return (1 << rng.randrange(1, COUNT_BITS + 1)) - 1 - rng.randrange(step)

    return [(max(0, drawn(4)), max(0, drawn(4_000))) for _ in range(slots)]


def _scan_every(slots):
    """Cycles from one slot that is looked at to the next."""
    from stellar_nic.flow import FlowTable

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedElaboratable)
        every = FlowTable(slots=slots).scan_every
        gc.collect()  # the table was made for this number alone, and is in a ring of references
    return every
