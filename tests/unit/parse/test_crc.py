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
    """Rows of bytes with zeros for what is not covered: ``lead`` bytes, the message, ``tail``."""
    lanes = [0] * lead
    lanes += [0 if index in masked else byte for index, byte in enumerate(message)]
    lanes += [0] * tail
    return [bytes(lanes[at : at + width]) for at in range(0, len(lanes), width)]


def start_lane(rng, width):
    """Lane of the first covered byte."""
    return rng.choice([2, 6]) if width == 8 else 2 if width == 4 else 0


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
        lead = rng.randrange(1, 6) * width + start_lane(rng, width)
        pad = -(lead + len(message)) % width
        cases.append((beats(width, lead, message, masked, pad), lead, pad, not wrong))
    got = []

    async def bench(ctx):
        for rows, lead, pad, _ in cases:
            for index, row in enumerate(rows):
                ctx.set(dut.pad, pad if index == len(rows) - 1 else rng.randrange(width))
                clear = index < lead // width
                ctx.set(dut.valid, 1)
                ctx.set(dut.clear, clear)
                noise = rng.randbytes(width)  # means nothing in front of the message
                ctx.set(dut.data, int.from_bytes(noise if clear else row, "little"))
                if width == 8:
                    ctx.set(dut.late, index == lead // width and lead % width == 6)
                await ctx.tick()
            ctx.set(dut.valid, 0)
            got.append(bool(ctx.get(dut.right)))
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert got == [right for *_, right in cases]
    assert True in got and False in got
