"""The numbers of flows: none twice, the oldest first."""

from collections import deque

from amaranth.sim import Simulator

from stellar_nic.flow.handles import FlowNumbers


def test_oldest_first_and_none_twice(rng):
    dut = FlowNumbers(count=8)
    free, taken = deque(), set()

    async def give(ctx, number):
        ctx.set(dut.given, number)
        ctx.set(dut.give, 1)
        await ctx.tick()
        ctx.set(dut.give, 0)
        free.append(number)

    async def bench(ctx):
        for number in range(8):
            await give(ctx, number)
        for _ in range(300):
            if taken and rng.random() < 0.5:
                number = rng.choice(sorted(taken))
                taken.remove(number)
                await give(ctx, number)
            else:
                await ctx.tick().repeat(5)
                assert ctx.get(dut.available) == bool(free)
                if free:
                    assert ctx.get(dut.number) == free[0]
                    ctx.set(dut.take, 1)
                    await ctx.tick()
                    ctx.set(dut.take, 0)
                    taken.add(free.popleft())
        ctx.set(dut.forget, 1)
        await ctx.tick()
        ctx.set(dut.forget, 0)
        await ctx.tick().repeat(6)
        assert not ctx.get(dut.available)

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
