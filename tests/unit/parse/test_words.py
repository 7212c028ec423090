"""Beats become words: bytes 2-5, 6-9, … whole, and the first byte of the word that is cut."""

import pytest
from amaranth.sim import Simulator

from stellar_nic.parse.words import Words

WIDTHS = [1, 2, 4, 8]


def run(width, frames):
    """Per frame: its words in order, and tail byte (None: not there) at its last beat."""
    dut = Words(width=width)
    results = []

    async def bench(ctx):
        for frame in frames:
            words, tail, firsts = [], None, []
            for at in range(0, len(frame), width):
                part = frame[at : at + width]
                ctx.set(dut.i_valid, 1)
                ctx.set(dut.i.data, int.from_bytes(part, "little"))
                ctx.set(dut.i.keep, (1 << len(part)) - 1)
                ctx.set(dut.i.last, at + width >= len(frame))
                await ctx.tick()
                assert ctx.get(dut.valid)
                firsts.append(ctx.get(dut.beat.first))
                for lane in range(len(dut.words)):
                    if ctx.get(dut.words[lane].there):
                        words.append(ctx.get(dut.words[lane].data))
                if ctx.get(dut.beat.packet.last):
                    tail = ctx.get(dut.beat.tail) if ctx.get(dut.beat.tail_there) else None
            ctx.set(dut.i_valid, 0)
            await ctx.tick()
            assert not ctx.get(dut.valid)
            results.append((words, tail, firsts))

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return results


@pytest.mark.parametrize("width", WIDTHS)
def test_every_length(width):
    frames = [bytes(range(1, length + 1)) for length in range(1, 40)]
    for frame, (words, tail, firsts) in zip(frames, run(width, frames), strict=True):
        whole = [int.from_bytes(frame[at : at + 4], "big") for at in range(2, len(frame) - 3, 4)]
        assert words[1:] == whole, len(frame)  # word 0 ends with byte 1
        assert len(words) == (len(frame) + 2) // 4
        cut = 4 * len(words) - 2  # where the word that is cut begins
        if len(frame) >= 2:
            assert tail == (frame[cut] if cut < len(frame) else None), len(frame)
        assert firsts == [1] + [0] * (len(firsts) - 1)
