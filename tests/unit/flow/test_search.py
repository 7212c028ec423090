"""The search for a free slot against a plain breadth-first search."""

import pytest
from amaranth.sim import Simulator

from stellar_model.flow.hash import places as all_places
from stellar_nic.flow.search import FlowSearch


def shortest(taken, tables, bits, f, g, expansions):
    """Moves to the first free slot, and how many slots are looked at; ``None``: there is none."""
    nodes = []

    def look(slots, moves):
        for slot in slots:
            if slot not in taken:
                return moves
            if len(nodes) < expansions:
                nodes.append((slot, moves + 1))
        return None

    def others(own, at, g):
        """In the order of the distance to the table in which it is: that is free to choose."""
        f = at ^ all_places(0, g, bits)[own]
        places = all_places(f, g, bits)
        return [(t, places[t]) for t in sorted(range(tables), key=lambda t: t ^ own) if t != own]

    found = look([(0, f), *others(0, f, g)], 0)
    at = 0
    while found is None and at < len(nodes):
        (table, index), moves = nodes[at]
        own = taken[table, index]
        found = look(others(table, index, own), moves)
        at += 1
    return found


@pytest.mark.parametrize(("tables", "bits", "expansions"), [(4, 4, 16), (4, 4, 64), (2, 3, 8)])
def test_finds_the_fewest_moves(tables, bits, expansions, rng):
    dut = FlowSearch(tables=tables, index_bits=bits, expansions=expansions)
    size = 1 << bits
    counts = {"found": 0, "moved": 0, "none": 0}

    async def write(ctx, slot, g):
        ctx.set(dut.picture.write, 1)
        ctx.set(dut.picture.slot, {"table": slot[0], "index": slot[1]})
        ctx.set(dut.picture.taken, g is not None)
        ctx.set(dut.picture.g, g or 0)
        await ctx.tick()
        ctx.set(dut.picture.write, 0)

    async def node(ctx, number):
        ctx.set(dut.node, number)
        await ctx.tick().repeat(2)
        at = ctx.get(dut.at)
        return (at.slot.table, at.slot.index), at.g, at.step

    async def bench(ctx):
        for fill in [0.6, 0.8, 0.9, 0.95, 0.98, 1.0] * 4:
            slots = [(t, i) for t in range(tables) for i in range(size)]
            free = rng.sample(slots, round((1 - fill) * len(slots)))
            taken = {slot: rng.randrange(size) for slot in slots if slot not in free}
            for slot in slots:
                await write(ctx, slot, taken.get(slot))
            f, g = rng.randrange(size), rng.randrange(size)
            ctx.set(dut.f, f)
            ctx.set(dut.g, g)
            ctx.set(dut.start, 1)
            await ctx.tick()
            ctx.set(dut.start, 0)
            cycles = 1
            while not ctx.get(dut.done):
                await ctx.tick()
                cycles += 1
                assert cycles <= tables + 6 + expansions * (tables + 6)
            expected = shortest(taken, tables, bits, f, g, expansions)
            assert ctx.get(dut.found) == (expected is not None)
            if expected is None:
                counts["none"] += 1
                await ctx.tick()
                continue
            counts["found"] += 1
            counts["moved"] += expected > 0
            target, step = ctx.get(dut.free), ctx.get(dut.step)
            target = target.table, target.index
            assert target not in taken
            await ctx.tick()
            path = [target]
            while not step.root:
                source, own, step = await node(ctx, step.node)
                assert own == taken[source]
                base = source[1] ^ all_places(0, own, bits)[source[0]]
                assert path[-1][1] == all_places(base, own, bits)[path[-1][0]]
                path.append(source)
            assert path[-1][1] == all_places(f, g, bits)[path[-1][0]]
            assert len(path) - 1 == expected
            assert len(set(path)) == len(path)

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert all(counts.values()), counts
