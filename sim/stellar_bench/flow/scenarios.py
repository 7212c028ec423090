"""What the flow table is put through under cocotb; each begins behind a reset.

The native bench does the same at length and drives everything at once; here one thing is looked at
at a time, by other code.
"""

from stellar_model.flow.placement import guarantee
from stellar_spec.flow import TABLES, FlowOp, FlowStatus

from ..stream_agents import Throttle
from .batches import draw_keys
from .environment import FlowEnvironment
from .ports import ACTION_BITS

__all__ = ["SCENARIOS"]


def _start(env: FlowEnvironment):
    return {"seed": env.rng.getrandbits(env.ports.seed_bits)}


def _keys(env, count):
    return draw_keys(env.rng, count + 1)[1:]  # the first one is no key


def _action(env):
    return env.rng.getrandbits(ACTION_BITS)


async def commands(env: FlowEnvironment) -> None:
    """All commands on few keys in random order, with a lookup of them in every cycle."""
    await env.start(**_start(env))
    env.background = keys = _keys(env, 24)
    ops = [FlowOp.INSERT, FlowOp.DELETE, FlowOp.UPDATE, FlowOp.READ, FlowOp.READ_SLOT]
    seen = set()
    for _ in range(160):
        op = env.rng.choices(ops, (4, 3, 2, 2, 1))[0]
        known = await env.command(
            op, env.rng.choice(keys), _action(env), env.rng.randrange(env.slots + 1)
        )
        seen.add((op, known.code))
    assert {(FlowOp.INSERT, FlowStatus.OK), (FlowOp.INSERT, FlowStatus.UPDATED)} <= seen
    for op in ops[1:4]:
        assert {(op, FlowStatus.OK), (op, FlowStatus.NOT_FOUND)} <= seen, op
    await env.command(FlowOp.CLEAR)
    for key in keys:
        assert (await env.command(FlowOp.READ, key)).code == FlowStatus.NOT_FOUND


async def filling(env: FlowEnvironment) -> None:
    """Insertions up to FULL while all keys are looked up; a listing; then the table is emptied.

    What is in the stash goes last, and must be in a slot long before.
    """
    await env.start(**_start(env))
    keys, full = _keys(env, env.slots + 8), None
    for number, key in enumerate(keys):
        env.background.append(key)
        if (await env.command(FlowOp.INSERT, key, _action(env))).code == FlowStatus.FULL:
            full = number
            break
    assert full is not None and full >= guarantee(env.slots), full
    assert int(env.dut.present.value) == full
    env.result.note = f"FULL at {full} of {env.slots} slots, {env.refused} requests refused"
    cycles = len(env.looks) + env.refused
    assert 0 < env.refused <= cycles / 8, f"{env.refused} of {cycles} requests were refused"
    listed = [await env.command(FlowOp.READ_SLOT, slot=slot) for slot in range(env.slots + 1)]
    found = [record.key for record in listed if record.code == FlowStatus.OK]
    assert sorted(found) == sorted(keys[:full])
    leaving = env.rng.sample(keys[:full], full)
    if listed[-1].code == FlowStatus.OK:  # the one in the stash goes last
        leaving.sort(key=lambda key: key == listed[-1].key)
    for key in leaving:
        assert (await env.command(FlowOp.DELETE, key)).code == FlowStatus.OK
        if int(env.dut.present.value) <= TABLES:  # so one of any key's slots is free
            await env.ticks(64)
            assert not int(env.dut.stashed.value), "a key stays in the stash"
    assert int(env.dut.present.value) == 0


async def lookups(env: FlowEnvironment) -> None:
    """Hits and misses of all kinds of keys, back to back and with pauses; none is refused."""
    await env.start(**_start(env))
    keys = _keys(env, 40)
    for key in keys[:20]:
        await env.command(FlowOp.INSERT, key, _action(env))
    await env.ticks(20)
    env.refused = 0
    for idle in (0.0, 0.5):
        env.bench.sources["request"].throttle = Throttle(env.rng, idle)
        looked = await env.look(*env.rng.choices([*keys, 0], k=300))
        assert {look.found is None for look in looked} == {True, False}
    assert env.refused == 0


async def counting(env: FlowEnvironment) -> None:
    """Packets back to back, of one flow and of several; late packets reach no other flow."""
    await env.start(**_start(env))
    first, second, third = _keys(env, 3)
    handles = [(await env.command(FlowOp.INSERT, key))[3:5] for key in (first, second)]
    sizes = [60, 1514, (1 << 17) - 1]
    for _ in range(6):
        env.tick(3)
        chosen = env.rng.choices(handles, (3, 1), k=12)
        await env.account(*((*handle, env.rng.choice(sizes)) for handle in chosen))
        for key in (first, second):
            await env.command(FlowOp.READ, key)
    last = await env.command(FlowOp.DELETE, first)
    assert last.packets > 0
    before = env.stale
    await env.account((*handles[0], 99), (*handles[1], 100))
    assert env.stale == before + 1
    await env.command(FlowOp.INSERT, third)
    assert (await env.command(FlowOp.READ, third)).packets == 0
    await env.command(FlowOp.READ, second)


async def ageing(env: FlowEnvironment) -> None:
    """Keys without packets are removed and reported, others stay; none while the time is 0."""
    await env.start(**_start(env))
    keys = _keys(env, 6)
    handles = [(await env.command(FlowOp.INSERT, key))[3:5] for key in keys]
    env.tick(100)
    await env.account(*((*handle, 64) for handle in handles[:3]))
    await env.ticks(300 * env.slots)  # a round of the scan and more
    env.configure(**env.model.settings | {"idle_timeout": 50})
    aged = {(await env.event()).key for _ in range(3)}
    assert aged == set(keys[3:])
    await env.ticks(300 * env.slots)
    for key, status in zip(keys, [FlowStatus.OK] * 3 + [FlowStatus.NOT_FOUND] * 3, strict=True):
        assert (await env.command(FlowOp.READ, key)).code == status


async def learning(env: FlowEnvironment) -> None:
    """A key that misses is inserted and reported if learning is on, and only then."""
    await env.start(**_start(env))
    quiet, learned = _keys(env, 2)
    await env.look(quiet)
    await env.ticks(200)
    env.judge()
    env.configure(**env.model.settings, learn=1, learn_action=0x2ABCD)
    await env.ticks(40)
    await env.look(learned)
    event = await env.event()
    assert (event.key, event.action) == (learned, 0x2ABCD)
    (look,) = (await env.look(learned))[-1:]
    assert look.found == (0x2ABCD, event.flow, event.generation)
    env.looks.clear()  # what is learned stands on no timeline of commands
    assert (await env.command(FlowOp.READ, quiet)).code == FlowStatus.NOT_FOUND
    assert (await env.command(FlowOp.DELETE, learned)).code == FlowStatus.OK


async def resets(env: FlowEnvironment) -> None:
    """Reset at some moment of a command: the table is empty, and works."""
    await env.start(**_start(env))
    keys = _keys(env, 8)
    for round in range(12):
        for key in keys[:4]:
            await env.command(FlowOp.INSERT, key)
        await env.look(*keys)
        env.judge()
        env.bench.sources["command"].send(FlowOp.INSERT | keys[5] << 20)
        await env.ticks(1 + 7 * round)
        await env.reset(1 + round % 3)
        env.looks.clear()
        assert all(look.found is None for look in await env.look(*keys)), "found behind a reset"
        for key in keys:
            assert (await env.command(FlowOp.READ, key)).code == FlowStatus.NOT_FOUND


async def stalls(env: FlowEnvironment) -> None:
    """Answers that are taken late: what they say stays, and nothing is lost."""
    await env.start(**_start(env))
    env.bench.sinks["answer"].throttle = Throttle(env.rng, 0.9)
    env.background = keys = _keys(env, 12)
    for _ in range(60):
        op = env.rng.choice([FlowOp.INSERT, FlowOp.DELETE, FlowOp.READ])
        await env.command(op, env.rng.choice(keys), _action(env))


SCENARIOS = (commands, filling, lookups, counting, ageing, learning, resets, stalls)
"""All of them, in the order in which they run."""
