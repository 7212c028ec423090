"""A memory test judges the model of the block RAM, and finds faults that are planted in it."""

import numpy as np
import pytest

from stellar_bench.ecp5 import VectorSimulation, block_ram_text

from .march import COLUMNS, INPUTS, WIDTHS, march, random_operations

ALL = set(WIDTHS)
READ = "wire [35:0] read_b = word(ad_b, LOW_B)"
WRITE = "if (writes_a) write(ad_a, {di_b, di_a}, LOW_A);"
NINES = "nines[{ad[13:4], 1'd1}], nines[{ad[13:4], 1'd0}]"
SWAPPED = "nines[{ad[13:4], 1'd0}], nines[{ad[13:4], 1'd1}]"
FAULTS = {
    "read address, bit stuck at 0": (READ, READ.replace("ad_b,", "ad_b & ~14'h200,"), ALL),
    "read address, bit stuck at 1": (READ, READ.replace("ad_b,", "ad_b | 14'h2000,"), ALL),
    "write address, bit stuck": (WRITE, WRITE.replace("ad_a,", "ad_a | 14'h20,"), ALL),
    "read address, bits swapped": (
        READ,
        READ.replace("ad_b,", "{ad_b[12], ad_b[13], ad_b[11:0]},"),
        ALL,
    ),
    "one cell stuck at 0": ("latch_b <= read_b;", "latch_b <= read_b & ~(ad_b[13:5] == 300);", ALL),
    "one cell couples to another": (
        WRITE,
        "if (writes_a) begin write(ad_a, {di_b, di_a}, LOW_A); "
        "if (ad_a[13:5] == 7 && di_a[0]) nines[1200] <= 0; end",
        ALL,
    ),
    "data pin stuck": (WRITE, WRITE.replace("di_a}", "di_a & ~18'h1}"), ALL),
    "data pins shorted": (WRITE, WRITE.replace("di_a}", "di_a | di_a[1]}"), ALL - {1}),
    "halves swapped": ("out_b[35:18] :", "low_half[17:0] :", {36}),
    "nines swapped": (NINES, SWAPPED, {18}),
    "write enable ignored": ("(we_a | PAIRED_WRITE)", "1'b1", ALL - {36}),
    "a nine's enable ignored (18)": ("if (ad[1]) nines[{ad[13:4]", "nines[{ad[13:4]", {18}),
    "a nine's enable ignored (36)": ("if (ad[3]) nines", "nines", {36}),
    "clock enable of A ignored": ("on_a = ce_a &", "on_a =", ALL),
    "clock enable of B ignored": ("on_b = ce_b &", "on_b =", ALL),
    "chip select of A ignored": ("cs_a == 0", "1'b1", ALL),
    "chip select of B ignored": ("cs_b == 0", "1'b1", ALL),
    "reset of A lets it write": ("cs_a == 0 & ~rst_a", "cs_a == 0", ALL),
    "reset ignored by the register": (
        "register_b <= rst_b ? 0 : latch_b",
        "register_b <= latch_b",
        ALL,
    ),
    "reset ignored by the latch": ("if (rst_b) latch_b <= 0;", "if (0) latch_b <= 0;", ALL),
    "output enable ignored": ("if (oce_b)", "if (1)", ALL),
    "output register bypassed": ("REGISTER_B ? register_b", "0 ? register_b", ALL),
    "register of the low half bypassed": ("REGISTER_A ? register_b", "0 ? register_b", {36}),
}
"""Fault → what of the model becomes what, and the widths of words at which it must be found."""

VARIANTS = ("none", *FAULTS)


def models():
    """The model, and copies with a fault each, as modules ``ram_0``, ``ram_1``, …"""
    text = block_ram_text()
    for index, fault in enumerate(VARIANTS):
        old, new, _ = FAULTS.get(fault, ("", "", None))
        assert fault == "none" or text.count(old) == 1, fault
        copy = text.replace(old, new) if old else text
        yield copy.replace("module block_ram #", f"module ram_{index} #")


def top():
    """Every variant at every width; the inputs' ``shape`` tells which width is clocked and seen."""
    shape = COLUMNS["shape"]
    select = f"i[{shape.stop - 1}:{shape.start}]"
    pins = ", ".join(
        f".{name}(i[{columns.stop - 1}:{columns.start}])"
        for name, columns in COLUMNS.items()
        if name != "shape"
    )
    wires, parts = [], []
    for place, width in enumerate(WIDTHS):
        wires.append(f"wire clk_{place} = clk & {select} == {place};")
        wires.append(f"wire [{36 * len(VARIANTS) - 1}:0] o_{place};")
        for index in range(len(VARIANTS)):
            out = f".do_b(o_{place}[{36 * index + 18} +: 18]), .do_a(o_{place}[{36 * index} +: 18])"
            clocks = f".clk_a(clk_{place}), .clk_b(clk_{place})"
            settings = f".WIDTH_A({width}), .WIDTH_B({width}), .REGISTER_A(1), .REGISTER_B(1)"
            parts.append(f"ram_{index} #({settings}) r_{place}_{index} ({clocks}, {pins}, {out});")
    chosen = " : ".join(f"{select} == {place} ? o_{place}" for place in range(len(WIDTHS)))
    ports = f"input clk, input [{INPUTS - 1}:0] i, output [{36 * len(VARIANTS) - 1}:0] o"
    body = "\n".join([*wires, *parts, f"assign o = {chosen} : 0;"])
    return f"module top({ports});\n{body}\nendmodule\n"


@pytest.fixture(scope="module")
def simulation():
    files = {"top.v": top(), "models.v": "\n".join(models())}
    return VectorSimulation(files, inputs=INPUTS, outputs=36 * len(VARIANTS))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_memory_test_passes_and_finds_each_fault(simulation, seed, width):
    random = np.random.default_rng(seed)
    found = set()
    for bits, cycles, want in (march(width, random), random_operations(width, random, 4000)):
        out = simulation.run(bits)[cycles]
        for index, fault in enumerate(VARIANTS):
            start = 36 * index + (0 if width == 36 else 18)
            if (out[:, start : start + width] != want).any():
                found.add(fault)
    assert "none" not in found, "the model itself fails the memory test"
    missed = {fault for fault, (_, _, widths) in FAULTS.items() if width in widths} - found
    assert not missed
