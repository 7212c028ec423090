"""Ageing that is switched off at any moment."""

from amaranth.sim import Simulator

from stellar_nic.flow import FlowTable
from stellar_spec.codes import KeyKind
from stellar_spec.flow import FlowOp, FlowStatus

SLOTS, KEYS, EVERY = 16, 12, 32
LONG, NOW = 1 << 23, 1000


async def insert(ctx, table, number):
    key = {"kind": KeyKind.IPV4_5TUPLE, "src": number}
    ctx.set(table.command.payload, {"op": FlowOp.INSERT, "key": key})
    ctx.set(table.command.valid, 1)
    (status,) = await ctx.tick().sample(table.answer.payload.status).until(table.command.ready)
    ctx.set(table.command.valid, 0)
    assert status == FlowStatus.OK


def present_after(rng, timeouts, later=0):
    """Keys that are left when ``idle_timeout`` has had these values in turn, for some cycles each,
    ``later`` units of time behind their insertion."""
    table = FlowTable(slots=SLOTS, scan_every=EVERY)
    left = []

    async def drive(ctx):
        ctx.set(table.settings.seed, rng.getrandbits(len(table.settings.seed)))
        ctx.set(table.now, NOW)
        ctx.set(table.answer.ready, 1)
        ctx.set(table.event.ready, 1)
        for number in range(1, KEYS + 1):
            await insert(ctx, table, number)
        ctx.set(table.now, NOW + later)
        for timeout, cycles in timeouts:
            ctx.set(table.settings.idle_timeout, timeout)
            await ctx.tick().repeat(cycles)
            left.append(ctx.get(table.present))

    simulator = Simulator(table)
    simulator.add_clock(1e-8)
    simulator.add_testbench(drive)
    simulator.run()
    return left


def test_no_key_goes_when_ageing_is_switched_off(rng):
    """Whatever the engine was about to do with a key that it had looked at."""
    steps = [(LONG, EVERY + cycle) for cycle in range(3 * EVERY)]
    off = [(0, EVERY)] * len(steps)
    timeouts = [step for pair in zip(steps, off, strict=True) for step in pair]
    assert set(present_after(rng, timeouts)) == {KEYS}


def test_old_keys_go_only_while_ageing_is_on(rng):
    """So the other test looks at keys that could go."""
    rounds = 2 * (SLOTS + 1) * EVERY
    assert present_after(rng, [(0, rounds), (LONG, rounds)], later=LONG) == [KEYS, 0]
