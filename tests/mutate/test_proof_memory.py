"""Proofs of a block with a memory: what is asked of it counts, what nobody reads does not."""

import re

import pytest

from stellar_bench.mutate import Contract, Source, yosys
from stellar_bench.mutate.proof import prove

# Words of two bits, of which the upper one leads nowhere; the lower one is written as 0 or d.
TEXT = """
module top(input clk, input we, input d, input [1:0] wa, input [1:0] ra, output y, output reg z);
    reg [1:0] words [0:3];
    reg [1:0] q;
    wire masked = d & we;
    always @(posedge clk) begin
        if (we) words[wa] <= {d, masked};
        q <= words[ra];
        z <= d;
    end
    assign y = q[0];
endmodule
"""
CASES = {
    "data": ("inv", "WR_DATA", 0, False),
    "data that nobody reads": ("inv", "WR_DATA", 1, True),
    "enable": ("const1", "WR_EN", 0, False),
    "enable of what nobody reads": ("const1", "WR_EN", 1, True),
    "where it is written": ("inv", "WR_ADDR", 1, False),
    "where it is read": ("const0", "RD_ADDR", 0, False),
}


@pytest.fixture(scope="module")
def folder(builds):
    found = builds / "proof_of_memories"
    found.mkdir(parents=True)
    yosys.prepare(Source(TEXT, "verilog", "top"), found)
    return found


def attempt(folder, number, mode, cell, port, bit):
    line = f"mutate -mode {mode} -module top -cell {cell} -port {port} -portbit {bit}"
    return prove(yosys.Mutant(number, line), folder, Contract(), timeout=10)


def mask(folder):
    """The name of the only gate."""
    (name,) = re.findall(r"cell \$and (\S+)", (folder / yosys.NETLIST).read_text())
    return name


@pytest.mark.parametrize("name", CASES)
def test_what_is_asked_of_a_memory(folder, name):
    mode, port, bit, equivalent = CASES[name]
    number = 1 + list(CASES).index(name)
    proof = attempt(folder, number, mode, "words", port, bit)
    assert proof.proved == equivalent, proof.text
    if not equivalent:
        assert proof.text == "state or outputs differ in a run from the start"


def test_data_mean_something_while_they_are_written(folder):
    assert attempt(folder, 20, "const1", mask(folder), "B", 0).proved  # the enable
    assert not attempt(folder, 21, "const1", mask(folder), "A", 0).proved  # the bit


def test_another_clock_is_named(builds):
    write = "if (we) words[wa] <= {d, masked};"
    text = TEXT.replace(write, "").replace("assign", f"always @(negedge clk) {write}\n    assign")
    place = builds / "proof_of_another_clock"
    place.mkdir(parents=True)
    yosys.prepare(Source(text, "verilog", "top"), place)
    proof = attempt(place, 1, "const0", mask(place), "A", 0)
    assert not proof.proved
    assert "words has a port with another clock, or none" in proof.text
