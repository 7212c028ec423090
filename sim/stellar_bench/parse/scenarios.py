"""What the parser is put through, whatever the simulator: each scenario is a test at every width.

A scenario drives an ``Environment``; the scoreboard compares all that comes out, and the scenario
asserts what a comparison can't see: throughput, latency, independence, recovery.
"""

from . import stimuli

__all__ = ["SCENARIOS", "corpus"]

MIXES = ((0, 0), (0, 0.5), (0.5, 0), (0.3, 0.3), (0.8, 0.1), (0.1, 0.8))
"""Shares of idle and of stalled time that random traffic goes through."""

STAND_STILL = 4
"""Cycles for which the input must stand still before the output moves."""


async def directed(env):
    """Golden vectors, every length, every cut, every mix, with pauses everywhere."""
    env.throttle(0.1, 0.1)
    await env.play(stimuli.directed(env))


async def random_traffic(env):
    """Random frames and settings, through all mixes of idle and stalled time."""
    for idle, stall in MIXES:
        env.throttle(idle, stall)
        frames = stimuli.random_mix(env, 250)
        await env.play(sorted(frames, key=lambda case: case.settings.pack()))


async def long_frames(env):
    """Around the length limits, saturation included, each followed by a good frame."""
    env.throttle(0, 0.01)
    await env.play(stimuli.long_frames(env))


async def full_rate(env):
    """With everything ready a beat is taken in every cycle, and every record is in time."""
    traffic = env.traffic
    traffic.send(*stimuli.plain(env, 600))
    await env.drain()
    bubbles = traffic.bubbles()
    assert not bubbles, f"{bubbles} cycles without a beat taken, though all was ready"
    header, trailer = max(traffic.latencies("header")), max(traffic.latencies("trailer"))
    env.result.note = f"1 beat per cycle, latency: header {header}, trailer {trailer}"
    assert header <= env.latency, f"a header record came {header} cycles after its last byte"
    assert trailer <= env.latency, f"a trailer record came {trailer} cycles after the last beat"


async def header_is_independent(env):
    """The header record comes in time though no beat behind the last header byte ever came."""
    await _in_time(env, stimuli.plain(env, 200), "header", hold_packet=False)


async def header_without_output(env):
    """The same while the packet's output moves no beat more than it takes to get there."""
    await _in_time(env, stimuli.plain(env, 200), "header", hold_packet=True)


async def trailer_without_output(env):
    """The trailer record comes in time behind the last beat, with the packet still inside."""
    await _in_time(env, stimuli.plain(env, 200), "trailer", hold_packet=True)


async def _in_time(env, frames, name, *, hold_packet):
    traffic = env.traffic
    worst = 0
    for frame in frames:
        traffic.send(frame)
        mark = getattr(traffic.marks[-1], name)
        sink = getattr(traffic, name)
        traffic.input.limit = mark + 1
        await _push(env, mark, hold_packet)
        accepted = traffic.source.transfers[mark]
        while len(sink.transfers) < len(traffic.marks) and env.cycle <= accepted + env.latency:
            await env.ticks()
        came = sink.transfers[-1] if len(sink.transfers) == len(traffic.marks) else env.cycle
        assert came - accepted <= env.latency, (
            f"{name} record of frame {len(traffic.marks) - 1} ({frame.name}) is not offered "
            f"{env.latency} cycles after beat {mark}, which has its last byte"
        )
        worst = max(worst, came - accepted)
        traffic.input.limit = None
        traffic.packet_gate.open = True
        await env.until(lambda: env.scoreboard.idle, "the rest of the frame")
    await env.drain()
    env.result.note = f"latency {worst}"


async def _push(env, beat, hold_packet):
    """Wait until ``beat`` is accepted; with ``hold_packet`` the output moves only when the input
    has stood still for a while, and then by one beat.
    """
    traffic = env.traffic
    accepted, count, stood = traffic.source.transfers, 0, 0
    traffic.packet_gate.open = not hold_packet
    while len(accepted) <= beat:
        await env.ticks()
        stood = stood + 1 if len(accepted) == count else 0
        count = len(accepted)
        if hold_packet:
            traffic.packet_gate.open = stood % STAND_STILL == STAND_STILL - 1
        assert stood < env.PATIENCE, f"beat {beat} is not accepted"
    traffic.packet_gate.open = not hold_packet


async def header_not_taken(env):
    """A header record that is not taken holds up at most the packets behind it."""
    await _not_taken(env, ("header",))


async def trailer_not_taken(env):
    """Nor does a trailer record."""
    await _not_taken(env, ("trailer",))


async def no_record_taken(env):
    """Nor do both."""
    await _not_taken(env, ("header", "trailer"))


async def _not_taken(env, names):
    traffic, board = env.traffic, env.scoreboard
    frames = stimuli.plain(env, 90)
    others = [name for name in ("header", "trailer", "packet") if name not in names]
    for start in range(0, len(frames), 3):
        for name in names:
            getattr(traffic, f"{name}_gate").open = False
        # The first is not yet wholly inside when its header record waits.
        group = [stimuli.long_body(env), *frames[start : start + 3]]
        traffic.send(*group)
        for other in others:
            left = len(group) - 1
            await env.until(
                lambda other=other, left=left: board.outstanding(other) <= left,
                f"the {other} of the frame whose {' and '.join(names)} is not taken",
            )
        await env.ticks(env.rng.randrange(2 * sum(len(f.frame) for f in group) // env.width + 9))
        for name in names:
            getattr(traffic, f"{name}_gate").open = True
        await env.until(lambda: board.idle, "all to come once the records are taken")
    await env.drain()


async def reset_in_packet(env):
    """After a reset at any moment the next frame is handled as if it were the first."""
    traffic = env.traffic
    inside = 0
    frames = stimuli.plain(env, 400)
    for start in range(0, len(frames), 4):
        env.throttle(env.rng.choice((0, 0.3)), env.rng.choice((0, 0.3, 0.6)))
        group = frames[start : start + 4]
        traffic.send(*group[:2])
        await env.ticks(env.rng.randrange(sum(len(f.frame) for f in group[:2]) // env.width + 4))
        inside += traffic.inside_packet
        await env.reset(env.rng.randint(1, 3))
        traffic.restart()
        traffic.send(*group[2:])
        await env.until(lambda: env.scoreboard.idle, "the frames behind a reset")
    await env.drain()
    env.result.note = f"{inside} of {-(-len(frames) // 4)} resets inside a packet"
    assert inside, "no reset fell into a packet"


async def corpus(env):
    """Real captures."""
    env.throttle(0.05, 0.05)
    await env.play(stimuli.corpus(env))


SCENARIOS = (
    directed,
    random_traffic,
    long_frames,
    full_rate,
    header_is_independent,
    header_without_output,
    trailer_without_output,
    header_not_taken,
    trailer_not_taken,
    no_record_taken,
    reset_in_packet,
)
"""Every scenario that needs no capture."""
