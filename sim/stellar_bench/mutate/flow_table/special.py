"""Stimuli that look for one kind of fault."""

from random import Random

from stellar_model.flow.hash import KEY_BITS
from stellar_spec.flow import FLOW_KEY, TIME_BITS, FlowOp

from ...flow.batches import Batch, Segment, draw_keys
from ...flow.engine import Commands, Traffic
from ...flow.ports import ACTION_BITS

__all__ = ["neighbours"]

KIND_BITS = FLOW_KEY[0].width
TOGETHER = 5
"""Keys that have room where all collide: one in each table, and one in the stash."""


def neighbours(rng: Random, slots: int, count: int) -> Batch:
    """Keys that differ from one in a single bit and share all its places: seed 0.

    They come and go, so that the one is in each table and in the stash, while all are looked up:
    a bit that is not compared shows, wherever it is.
    """
    none, base = draw_keys(rng, 2)
    pool = [none, base, *(base ^ 1 << bit for bit in range(KEY_BITS))]
    pool = [key for key in pool if key == none or key & (1 << KIND_BITS) - 1]

    def row(op, key):
        return op, key, rng.getrandbits(ACTION_BITS), rng.randrange(slots + 1)

    rows = []
    while len(rows) < count:
        keys = [1, *rng.sample(range(2, len(pool)), TOGETHER - 1)]
        rng.shuffle(keys)
        rows += [row(FlowOp.INSERT, key) for key in keys]
        rows += [row(FlowOp.READ, rng.choice(keys)) for _ in range(3)]
        rng.shuffle(keys)
        rows += [row(FlowOp.DELETE, key) for key in keys]
    traffic = Traffic(gap=0.7, account=0.05, start=rng.getrandbits(TIME_BITS))
    return Batch(
        *("neighbours", pool, [Segment(Commands.of(rows[:count]), {"seed": 0})], traffic),
        rng.getrandbits(59),
    )
