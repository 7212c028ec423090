"""What the exported AXI4-Stream parser is put through; each scenario is a test at every width.

The parser itself is tested in ``stellar_bench.parse``; here it is the ports that matter.
"""

from collections import Counter

from ..parse import stimuli
from .beats import DISTURBANCES, beats_of, disturb

__all__ = ["SCENARIOS"]

MIXES = ((0, 0), (0, 0.5), (0.5, 0), (0.3, 0.3), (0.1, 0.8))
"""Shares of paused time at the input and at the outputs."""


async def frames_and_settings(env):
    """Golden vectors, directed and random frames and settings, with pauses on all ports."""
    env.pause(0.15, 0.15)
    await env.play(stimuli.directed(env))
    for idle, stall in MIXES:
        env.pause(idle, stall)
        frames = stimuli.random_mix(env, 400)
        await env.play(sorted(frames, key=lambda case: case.settings.pack()))


async def full_rate(env):
    """With everything ready the source never waits."""
    before = env.watch.stalls
    for case in stimuli.plain(env, 1500):
        env.send(case)
    await env.drain()
    stalls = env.watch.stalls - before
    env.result.note = f"{stalls} cycles of waiting"
    assert not stalls, f"s_axis_tready was low in {stalls} cycles, though all outputs were ready"


async def keep_and_null_beats(env):
    """Everything that AXI4-Stream allows of ``tkeep``, good frames among it."""
    kinds = [kind for kind, (least, _) in DISTURBANCES.items() if env.width >= least]
    sent = Counter()
    for idle, stall in ((0, 0), (0.3, 0.3)):
        env.pause(idle, stall)
        for index, case in enumerate(stimuli.plain(env, 1500)):
            kind = kinds[index // 2 % len(kinds)] if index % 2 else "good"
            beats = beats_of(case.frame, env.width)
            env.send(case, disturb(kind, beats, env.width, env.rng))
            sent[kind] += 1
        await env.drain()
    env.result.note = ", ".join(f"{count} {kind}" for kind, count in sorted(sent.items()))
    assert set(sent) == set(kinds), f"never sent: {set(kinds) - set(sent)}"
    assert env.watch.bad == env.bad, (
        f"status_bad_tkeep was high in {env.watch.bad} cycles, {env.bad} frames have a bad tkeep"
    )


async def reset_in_packet(env):
    """After a reset at any moment the next frame is handled as if it were the first."""
    frames, inside = stimuli.plain(env, 1000), 0
    for start in range(0, len(frames) - 3, 4):
        env.pause(env.rng.choice((0, 0.3)), env.rng.choice((0, 0.3, 0.6)))
        group = frames[start : start + 4]
        for case in group[:2]:
            env.send(case)
        beats = sum(len(case.frame) for case in group[:2]) // env.width
        await env.ticks(env.rng.randrange(1, beats + 4))
        inside += not env.board.idle
        await env.reset(env.rng.randint(1, 3))
        for case in group[2:]:
            env.send(case)
        await env.drain()
    env.result.note = f"{inside} resets with a frame inside"
    assert inside, "no reset fell into a frame"


SCENARIOS = (frames_and_settings, full_rate, keep_and_null_beats, reset_in_packet)
"""All of them, in the order in which they run."""
