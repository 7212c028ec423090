"""The masked CRC-32 against zlib."""

import random
import zlib

import pytest
from amaranth.sim import Simulator

from stellar_nic.parse.crc import MaskedCrc32, advance, residues

WIDTHS = [1, 2, 4, 8]


def test_one_byte_at_a_time_is_zlibs_crc():
    state = 0xFFFFFFFF
    for byte in b"123456789":
        state = advance(state, byte)
    assert state ^ 0xFFFFFFFF == zlib.crc32(b"123456789") == 0xCBF43926


def test_a_message_and_its_check_leave_the_residue():
    message = b"any message"
    state = 0xFFFFFFFF
    for byte in message + zlib.crc32(message).to_bytes(4, "little"):
        state = advance(state, byte)
    assert state == residues(8)[0]


def beats(width, lead, message, masked, tail):
    """Lanes of (byte, covered, inverted) in beats: ``lead`` uncovered bytes, then the message."""
    lanes = [(0xA5, 0, 0)] * lead
    lanes += [(byte, index not in masked, index < 4) for index, byte in enumerate(message)]
    lanes += [(0x5A, 0, 0)] * tail
    return [lanes[at : at + width] for at in range(0, len(lanes), width)]


@pytest.mark.parametrize("width", WIDTHS)
def test_right_and_wrong_checks(width, seed):
    rng = random.Random(f"{seed} crc {width}")
    dut = MaskedCrc32(width=width)
    cases = []
    for _ in range(120):
        body = rng.randbytes(rng.randrange(8, 60))
        masked = set(rng.sample(range(4, len(body)), rng.randrange(0, 4)))
        plain = bytes(0 if index in masked else byte for index, byte in enumerate(body))
        check = zlib.crc32(plain)
        wrong = rng.random() < 0.4
        check ^= 1 << rng.randrange(32) if wrong else 0
        message = body + check.to_bytes(4, "little")
        lead = rng.randrange(0, 20)
        pad = -(lead + len(message)) % width
        cases.append((beats(width, lead, message, masked, pad), pad, not wrong))
    got = []

    async def bench(ctx):
        for rows, pad, _ in cases:
            for index, row in enumerate(rows):
                ctx.set(dut.valid, 1)
                ctx.set(dut.first, index == 0)
                ctx.set(dut.data, int.from_bytes(bytes(lane[0] for lane in row), "little"))
                for name, at in (("mask", 1), ("invert", 2)):
                    bits = sum(bool(lane[at]) << k for k, lane in enumerate(row))
                    ctx.set(getattr(dut, name), bits)
                await ctx.tick()
            ctx.set(dut.valid, 0)
            ctx.set(dut.pad, pad)
            got.append(bool(ctx.get(dut.right)))
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert got == [right for _, _, right in cases]
    assert True in got and False in got
