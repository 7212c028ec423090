# amaranth: UnusedElaboratable=no
"""One's complement sums: the gateware's verdict against a plain sum."""

import random

import pytest
from amaranth.sim import Simulator

from stellar_nic.parse.sums import OnesSum


def right(words, start=0):
    """RFC 1071: add, fold the carries in, compare with all ones."""
    total = start + sum(words)
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total == 0xFFFF


def run(dut, packets):
    """For each packet (rows of words) the verdict one cycle behind its last row."""
    verdicts = []

    async def bench(ctx):
        for rows in packets:
            ctx.set(dut.clear, 1)
            await ctx.tick()
            ctx.set(dut.clear, 0)
            for row in rows:
                ctx.set(dut.valid, 1)
                for k, word in enumerate(row):
                    ctx.set(dut.terms[k], word)
                await ctx.tick()
            verdicts.append(ctx.get(dut.right))
            ctx.set(dut.valid, 0)
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return verdicts


@pytest.mark.parametrize("terms", range(1, 7))
@pytest.mark.parametrize("start", [0, 17])
def test_verdict_equals_a_plain_sum(terms, start, seed):
    rng = random.Random(f"{seed} {terms} {start}")
    packets, expected = [], []
    for _ in range(150):
        rows = [
            [rng.choice([0, 1, 0xFFFF, 0xFFFE, rng.getrandbits(16)]) for _ in range(terms)]
            for _ in range(rng.randrange(1, 9))
        ]
        if rng.random() < 0.6:  # mend the last word so that the sum is right
            rows[-1][-1] = 0
            total = (start + sum(map(sum, rows))) % 0xFFFF
            rows[-1][-1] = 0xFFFF - total
        packets.append(rows)
        expected.append(right([word for row in rows for word in row], start))
    assert any(expected) and not all(expected)
    assert run(OnesSum(terms=terms, start=start), packets) == expected


@pytest.mark.parametrize("total", [0x1FFFE, 0x2FFFD, 0xFFFF, 0x3FFFC, 0x1FFFF, 0x2FFFE, 0])
def test_sums_that_need_two_folds(total):
    rows, left = [], total
    while left > 0:
        rows.append([min(left, 0xFFFF)])
        left -= 0xFFFF
    rows = rows or [[0]]
    assert run(OnesSum(terms=1), [rows]) == [right([word for row in rows for word in row])]


@pytest.mark.parametrize("terms", [0, 7, "2"])
def test_terms_out_of_range_are_refused(terms):
    with pytest.raises(ValueError, match=f"terms is {terms!r}; 1 to 6 can be added"):
        OnesSum(terms=terms)


@pytest.mark.parametrize("terms", [1, 2])
def test_bytes_sum_as_their_words_do(terms, seed):
    rng = random.Random(f"{seed} bytes {terms}")
    packets, expected = [], []
    for _ in range(150):
        words = [rng.getrandbits(16) for _ in range(2 * rng.randrange(1, 9))]
        if rng.random() < 0.6:
            words[-1] = 0
            words[-1] = 0xFFFF - (17 + sum(words)) % 0xFFFF
        row = b"".join(word.to_bytes(2, "big") for word in words)
        half = len(row) // terms
        packets.append(
            list(zip(*(row[k * half : (k + 1) * half] for k in range(terms)), strict=True))
        )
        expected.append(right(words, 17))
    assert any(expected) and not all(expected)
    assert run(OnesSum(terms=terms, bits=8, start=17), packets) == expected


def test_bits_out_of_range_are_refused():
    with pytest.raises(ValueError, match="bits is 12; a term has 8 or 16"):
        OnesSum(terms=1, bits=12)
