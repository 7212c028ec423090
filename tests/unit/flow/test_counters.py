"""Counters of flows against a dictionary."""

from amaranth.sim import Simulator

from stellar_nic.flow.counters import CounterOp, FlowCounters
from stellar_nic.flow.layouts import FlowLayouts

LAYOUTS = FlowLayouts(slots=8, seed_bits=1)


def run(dut, *benches):
    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    for bench, background in benches:
        simulator.add_testbench(bench, background=background)
    simulator.run()


def test_packets_of_few_flows_back_to_back(rng):
    """All packets of current generations count, in the order of their transfers; others do not."""
    dut = FlowCounters(layouts=LAYOUTS)
    truth = {flow: [0, 0, 0, 0] for flow in range(8)}  # generation, packets, bytes, seen
    stale = {"expected": 0, "found": 0}
    busy = {"most": 0}

    async def account(ctx):
        while True:
            flow = rng.choice([0, 0, 0, 1, 2, 7])
            generation = max(0, truth[flow][0] - (rng.random() < 0.2))
            size = rng.choice([0, 60, 9000, (1 << 17) - 1])
            ctx.set(dut.account.payload.handle.flow, flow)
            ctx.set(dut.account.payload.handle.generation, generation)
            ctx.set(dut.account.payload.bytes, size)
            ctx.set(dut.account.valid, rng.random() < 0.9)
            waited = 0
            while ctx.get(dut.account.valid) and not ctx.get(dut.account.ready):
                await ctx.tick()
                waited += 1
            busy["most"] = max(busy["most"], waited)
            if ctx.get(dut.account.valid):
                if generation == truth[flow][0]:
                    truth[flow][1] += 1
                    truth[flow][2] += size
                else:
                    stale["expected"] += 1
            await ctx.tick()

    async def watch(ctx):
        while True:
            stale["found"] += ctx.get(dut.stale)
            await ctx.tick()

    async def engine(ctx):
        for step in range(300):
            await ctx.tick().repeat(rng.randint(8, 20))
            flow = rng.choice([0, 1, 2, 7])
            op = rng.choice(list(CounterOp))
            ctx.set(dut.flow, flow)
            ctx.set(dut.op, op)
            ctx.set(dut.wanted, 1)
            # Carried out two cycles before done: packets behind it wait for it.
            history = []
            while not ctx.get(dut.done):
                history.append(list(truth[flow]))
                await ctx.tick()
            history.append(list(truth[flow]))
            await ctx.tick()
            ctx.set(dut.wanted, 0)
            was = history[-3]
            assert ctx.get(dut.counters.packets) == was[1] % (1 << 48), step
            assert ctx.get(dut.counters.bytes) == was[2] % (1 << 48), step
            assert ctx.get(dut.generation) == was[0], step
            if op is not CounterOp.READ:
                truth[flow][0] += op is CounterOp.RETIRE
                truth[flow][1:3] = [truth[flow][1] - was[1], truth[flow][2] - was[2]]
                assert truth[flow][1:3] == [0, 0]

    # In this order: the engine's wish of a cycle decides whether a packet is taken in it.
    run(dut, (engine, False), (account, True), (watch, True))
    assert busy["most"] <= 7
    assert stale["expected"] > 20
    assert 0 <= stale["expected"] - stale["found"] <= 2
