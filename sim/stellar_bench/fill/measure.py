"""Random keys into the gateware's table until it says FULL for the first time."""

import random
from dataclasses import dataclass

import numpy as np

from stellar_spec.flow import FlowOp, FlowStatus

from ..flow import Commands, NativeFlowTable, Traffic
from ..flow.batches import draw_keys

__all__ = ["Filling", "fill"]

SURE = 0.9
"""Share of the slots that is filled in one run: FULL below it would be found all the same."""
STEP = 32
"""Insertions of each run behind it, of which the last is FULL."""
IDLE = 0.999
"""Chance of a cycle without a lookup, where there are to be none."""


@dataclass(frozen=True)
class Filling:
    """One table: keys it took before FULL, and the cycles of each insertion in order.

    ``cycles`` count from the command's offer to its answer's; ``refused`` is the share of cycles in
    which a lookup was offered and not taken.
    """

    slots: int
    present: int
    cycles: np.ndarray
    refused: float

    @property
    def share(self) -> float:
        """Of all slots, the stash included."""
        return self.present / (self.slots + 1)

    def around(self, share: float) -> np.ndarray:
        """The cycles of the insertions in the last hundredth below a ``share`` of all slots."""
        whole = self.slots + 1
        return self.cycles[round((share - 0.01) * whole) : round(share * whole)]


def fill(engine: NativeFlowTable, *, seed: int, lookups: bool = False) -> Filling:
    """Fill ``engine``'s table with keys and a hash seed drawn from ``seed``.

    ``lookups``: one is offered in every cycle beside the insertions.
    """
    rng = random.Random(f"fill {engine.slots} {seed}")
    keys = draw_keys(rng, engine.slots + 3)  # the first is no key; the table can't take all
    engine.pool(keys)
    settings = {"seed": rng.getrandbits(engine.ports.seed_bits)}
    traffic = Traffic(idle=0.0 if lookups else IDLE, account=0.0)
    cycles, statuses, refused, asked, at = [], [], 0, 0, 1
    while FlowStatus.FULL not in statuses:
        count = round(SURE * engine.slots) if at == 1 else STEP
        rows = [(FlowOp.INSERT, key, 0, 0) for key in range(at, min(at + count, len(keys)))]
        run = engine.run(Commands.of(rows), settings=settings, traffic=traffic, seed=seed)
        at += len(rows)
        times = run.answer_times
        cycles += (times["valid"] - times["offered"]).tolist()
        statuses += [engine.answer_format.unpack(answer).code for answer in run.answers]
        refused += run.counts["refused"]
        asked += run.counts["lookups"]
    present = statuses.index(FlowStatus.FULL)
    if any(status != FlowStatus.OK for status in statuses[:present]):
        raise AssertionError(f"an insertion of a new key was not OK: {set(statuses[:present])}")
    share = refused / (refused + asked) if lookups else 0.0
    return Filling(engine.slots, present, np.array(cycles[:present]), share)
