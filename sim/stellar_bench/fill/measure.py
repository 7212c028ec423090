"""Random keys into the gateware's table until it says FULL for the first time."""

import random
from dataclasses import dataclass

import numpy as np

from stellar_spec.flow import FlowOp, FlowStatus

from ..flow import Commands, FlowError, NativeFlowTable, Traffic
from ..flow.batches import draw_keys

__all__ = ["FillError", "Filling", "fill"]

SURE = 0.9
"""Share of the slots that is filled in one run: FULL below it would be found all the same."""
STEP = 32
"""Insertions of each run behind it, of which the last is FULL."""
IDLE = 0.999
"""Chance of a cycle without a lookup, where there are to be none."""
_READY = Commands.of([(FlowOp.READ_SLOT, 0, 0, 0)])


class FillError(RuntimeError):
    """The table broke a rule while it was filled; the message says which, where and the seed."""


@dataclass(frozen=True)
class Filling:
    """One table: keys it took before FULL, and the cycles of each insertion in order.

    ``cycles`` count from the command's offer to its answer's; ``refused`` is the share of the
    insertions' cycles in which a lookup was offered and not taken.
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

    ``lookups``: one is offered in every cycle beside the insertions.  Raises :class:`FillError`
    where the gateware breaks a rule: that new keys are inserted until one is FULL, or one of those
    that :class:`..flow.NativeFlowTable` looks after.
    """
    try:
        return _filled(engine, seed, lookups)
    except FlowError as error:  # has more in it than can be handed from process to process
        raise FillError(f"{engine.slots} slots, seed {seed}: {error}") from None


def _filled(engine, seed, lookups):
    rng = random.Random(f"fill {engine.slots} {seed}")
    keys = draw_keys(rng, engine.slots + 2)  # the first is no key; the table can't take all others
    engine.pool(keys)
    settings = {"seed": rng.getrandbits(engine.ports.seed_bits)}
    traffic = Traffic(idle=0.0 if lookups else IDLE, account=0.0)
    # Answered when the table has emptied itself, which is no insertion's business.
    engine.run(_READY, settings=settings, traffic=traffic, seed=seed)
    cycles, statuses, refused, at = [], [], 0, 1
    while FlowStatus.FULL not in statuses and at < len(keys):
        count = round(SURE * engine.slots) if at == 1 else STEP
        rows = [(FlowOp.INSERT, key, 0, 0) for key in range(at, min(at + count, len(keys)))]
        run = engine.run(Commands.of(rows), settings=settings, traffic=traffic, seed=seed)
        at += len(rows)
        times = run.answer_times
        cycles += (times["valid"] - times["offered"]).tolist()
        statuses += [engine.answer_format.unpack(answer).code for answer in run.answers]
        refused += run.counts["refused"]
    present = _present(statuses, f"{engine.slots} slots, seed {seed}")
    share = refused / sum(cycles) if lookups else 0.0
    return Filling(engine.slots, present, np.array(cycles[:present]), share)


def _present(statuses, what):
    """Keys that were inserted before the first FULL."""
    first = next((at for at, code in enumerate(statuses) if code != FlowStatus.OK), None)
    if first is None:
        raise FillError(f"{what}: {len(statuses)} keys are inserted, and none is FULL")
    if statuses[first] != FlowStatus.FULL:
        raise FillError(
            f"{what}: key {first + 1} is new, and its insertion says "
            f"{FlowStatus(statuses[first]).name}"
        )
    return first
