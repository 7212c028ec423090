"""The gateware's hash against the model's."""

import pytest
from amaranth.sim import Simulator

from stellar_model.flow.hash import hash_key
from stellar_nic.flow import FlowHash

SIZES = [(299, 4), (299, 9), (299, 10), (299, 14), (80, 3), (36, 9), (20, 1)]


@pytest.mark.parametrize(("key_bits", "index_bits"), SIZES)
def test_a_key_a_cycle_equals_the_model(key_bits, index_bits, rng):
    dut = FlowHash(key_bits=key_bits, index_bits=index_bits)
    seed = rng.getrandbits(dut.seed_bits)
    keys = [0, (1 << key_bits) - 1, *(rng.getrandbits(key_bits) for _ in range(60))]
    got = []

    async def bench(ctx):
        ctx.set(dut.seed, seed)
        for cycle in range(len(keys) + dut.latency):
            if cycle >= dut.latency:
                got.append((ctx.get(dut.f), ctx.get(dut.g)))
            ctx.set(dut.key, keys[cycle] if cycle < len(keys) else rng.getrandbits(key_bits))
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert got == [hash_key(key, seed, index_bits, key_bits) for key in keys]


def test_latency_of_the_parsers_key(unused):
    assert FlowHash(key_bits=299, index_bits=9).latency == 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"key_bits": 17, "index_bits": 9}, "key_bits must be at least 18, not 17"),
        ({"key_bits": 299, "index_bits": 0}, "index_bits must be from 1 to 18, not 0"),
        ({"key_bits": 299, "index_bits": 19}, "index_bits must be from 1 to 18, not 19"),
    ],
)
def test_wrong_parameters(arguments, message, unused):
    with pytest.raises(ValueError, match=message):
        FlowHash(**arguments)
