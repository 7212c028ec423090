"""Proofs: what may be assumed counts, and what differs somewhere is never called equivalent."""

import re

import pytest

from stellar_bench.mutate import Contract, Source, yosys
from stellar_bench.mutate.proof import prove


def block(name, body):
    """Inputs ``a`` and ``b``, a stream of two bits, and ``body``; its cells have names."""
    return f"""
module \\{name}
  wire input 1 \\clk
  wire width 2 input 2 \\a
  wire input 3 \\b
  wire output 4 \\s__valid
  wire output 5 \\s__payload
  wire \\n
{body}
end
"""


def gate(kind, name, a, b, y):
    widths = "".join(f"    parameter \\{p}_WIDTH 1\n" for p in "ABY")
    widths += "    parameter \\A_SIGNED 0\n    parameter \\B_SIGNED 0\n"
    ends = f"    connect \\A {a}\n    connect \\B {b}\n    connect \\Y {y}\n"
    return f"  cell ${kind} \\{name}\n{widths}{ends}  end\n"


def flop(name, d, q, kind="$dff", extra=""):
    clock = "    parameter \\CLK_POLARITY 1\n    parameter \\WIDTH 1\n"
    ends = f"    connect \\CLK \\clk\n    connect \\D {d}\n    connect \\Q {q}\n"
    return f"  cell {kind} \\{name}\n{clock}{extra}{ends}  end\n"


STREAM = "  connect \\s__valid \\b\n"
# n = both bits of a.
BOTH = gate("and", "both", "\\a [0]", "\\a [1]", "\\n")
ON_PAYLOAD = STREAM + BOTH + "  connect \\s__payload \\n\n"
# The payload is n where b is low, that is, where there is no valid.
UNSEEN = (
    BOTH
    + "  wire \\nb\n"
    + gate("xor", "not_b", "\\b", "1'1", "\\nb")
    + gate("and", "hide", "\\n", "\\nb", "\\s__payload")
    + STREAM
)
# A bit that is 0 from the start and stays so, in an or with the output.
STUCK = (
    "  attribute \\init 1'0\n  wire \\q\n"
    + gate("and", "stays", "\\q", "\\a [0]", "\\n")
    + flop("bit", "\\n", "\\q")
    + gate("or", "add", "\\q", "\\a [1]", "\\s__payload")
    + STREAM
)
# Two cycles until the fault is at an output; the bit on the way is not one.
LATE = (
    "  wire \\q\n  attribute \\init 1'0\n  wire \\p\n  attribute \\init 1'0\n  wire \\r\n"
    + BOTH
    + flop("one", "\\n", "\\p")
    + flop("two", "\\p", "\\r")
    + "  connect \\s__payload \\r\n"
    + STREAM
)
# The flip-flop that the mutant changes leads nowhere.
DEAD = (
    "  attribute \\init 1'0\n  wire \\q\n"
    + BOTH
    + flop("bit", "\\n", "\\q")
    + "  connect \\s__payload \\a [0]\n"
    + STREAM
)
# q takes n in the cycles behind which nobody looks at it, else a bit of a.
UNREAD = (
    "  wire \\nb\n  wire \\h\n  wire \\t\n  wire \\d\n"
    + "  attribute \\init 1'0\n  wire \\q\n  attribute \\init 1'0\n  wire \\v\n"
    + BOTH
    + gate("xor", "not_b", "\\b", "1'1", "\\nb")
    + gate("and", "hide", "\\n", "\\nb", "\\h")
    + gate("and", "take", "\\a [1]", "\\b", "\\t")
    + gate("or", "choose", "\\h", "\\t", "\\d")
    + flop("bit", "\\d", "\\q")
    + flop("look", "\\b", "\\v")
    + "  connect \\s__payload \\q\n  connect \\s__valid \\v\n"
)
READ = UNREAD.replace(flop("look", "\\b", "\\v"), flop("look", "\\nb", "\\v"))
NEVER_BOTH = Contract(("s",), ("!(a[0] && a[1])",))
PLAIN = Contract(("s",))

CASES = {
    "seen": (ON_PAYLOAD, "const0", "both", PLAIN, False),
    "outside the contract": (ON_PAYLOAD, "const0", "both", NEVER_BOTH, True),
    "inside the contract": (ON_PAYLOAD, "const1", "both", NEVER_BOTH, False),
    "without valid": (UNSEEN, "const0", "both", PLAIN, True),
    "always compared": (UNSEEN, "const0", "both", Contract(), False),
    "never reached": (STUCK, "const0", "stays", PLAIN, True),
    "reached": (STUCK, "inv", "stays", PLAIN, False),
    "late": (LATE, "const0", "both", PLAIN, False),
    "dead": (DEAD, "const0", "both", PLAIN, True),
    "wrong while nobody looks": (UNREAD, "const0", "both", PLAIN, True),
    "wrong while somebody looks": (READ, "const0", "both", PLAIN, False),
}


def try_proof(builds, name, body, mode, cell, contract):
    folder = builds / f"proof_{name.replace(' ', '_')}"
    folder.mkdir(parents=True)
    (folder / yosys.NETLIST).write_text(block("top", body))
    line = f"mutate -mode {mode} -module top -cell {cell} -port Y -portbit 0"
    return prove(yosys.Mutant(1, line), folder, contract, timeout=10)


@pytest.mark.parametrize("name", CASES)
def test_proofs(builds, name):
    body, mode, cell, contract, equivalent = CASES[name]
    proof = try_proof(builds, name, body, mode, cell, contract)
    assert proof.proved == equivalent, proof.text
    if not equivalent:
        assert proof.text == "state or outputs differ in a run from the start"


# Forty bits that are 0 from the start and stay so; in the first attempt they may be anything.
WIDE = """
module top(input clk, input [39:0] a, output reg y);
    reg [39:0] wide = 0;
    always @(posedge clk) begin
        wide <= wide & a;
        y <= (wide == 40'd5) && a[0];
    end
endmodule
"""


# What is offered is looked at again when it is taken.
OFFER = """
module top(input clk, input c__valid, input c__payload, output c__ready, output reg y);
    reg seen = 0, kept = 0;
    assign c__ready = seen;
    always @(posedge clk) begin
        seen <= c__valid & ~seen;
        kept <= c__payload;
        y <= seen && (kept ^ c__payload);
    end
endmodule
"""
VERILOG = {
    "wide registers": (WIDE, "const0", Contract(), True),
    "wide registers, seen": (WIDE, "const1", Contract(), False),
    "offers stay": (OFFER, "const0", Contract(offers=("c",)), True),
    "offers go": (OFFER, "const0", Contract(), False),
    "offers stay, seen": (OFFER, "const1", Contract(offers=("c",)), False),
}


@pytest.mark.parametrize("name", VERILOG)
def test_proofs_of_the_only_condition(builds, name):
    text, mode, contract, equivalent = VERILOG[name]
    folder = builds / f"proof_{name.replace(' ', '_')}"
    folder.mkdir(parents=True)
    yosys.prepare(Source(text, "verilog", "top"), folder)
    (cell,) = re.findall(r"cell \$logic_and (\S+)", (folder / yosys.NETLIST).read_text())
    line = f"mutate -mode {mode} -module top -cell {cell} -port Y -portbit 0"
    proof = prove(yosys.Mutant(1, line), folder, contract, timeout=10)
    assert proof.proved == equivalent, proof.text


def test_state_of_another_kind_is_named(builds):
    latch = "  wire \\q\n" + BOTH + "  cell $dlatch \\hold\n    parameter \\EN_POLARITY 1\n"
    latch += "    parameter \\WIDTH 1\n    connect \\EN \\b\n    connect \\D \\n\n"
    latch += "    connect \\Q \\q\n  end\n  connect \\s__payload \\q\n" + STREAM
    proof = try_proof(builds, "latch", latch, "const0", "both", PLAIN)
    assert not proof.proved
    assert "$dlatch" in proof.text


def test_another_clock_is_named(builds):
    body = LATE.replace("\\CLK_POLARITY 1", "\\CLK_POLARITY 0")
    proof = try_proof(builds, "clock", body, "const0", "both", PLAIN)
    assert not proof.proved
    assert "another clock than rising clk" in proof.text


def test_broken_text_is_an_error():
    with pytest.raises(ValueError, match="language is 'vhdl'; it must be rtlil or verilog"):
        Source("", "vhdl", "top")
