"""A block of a few gates: some of its mutants can't be told from it, some only by what ``POOR``
stimuli lack.  With it a simulation that crashes, hangs or lies at a mutant that a test chooses.
"""

import ctypes
import os
import time
from dataclasses import dataclass
from pathlib import Path

from stellar_bench import verilate
from stellar_bench.mutate import Contract, MutationTarget, Source

TEXT = """
module tiny(input clk, input rst, input [3:0] a, output reg [4:0] y);
    reg never = 0, last = 0;
    always @(posedge clk) begin
        never <= never & a[0];          // stays 0
        last <= a[1] & ~rst;
    end
    always @* begin
        y[0] = a[0] | (a[0] & a[1]);    // what is in brackets adds nothing
        y[1] = last ^ a[2];
        y[2] = a[2] ^ never;
        y[3] = a[3] & a[2];
        y[4] = a[3] & ~a[2];
    end
endmodule
"""
SHELL = """
#include "Vdut.h"
#include <memory>
extern "C" void tiny_run(unsigned mutant, unsigned count, const uint8_t* in, uint8_t* out) {
    VerilatedContext context;
    auto top = std::make_unique<Vdut>(&context);
    top->mutsel = mutant, top->clk = 0;
    for (unsigned i = 0; i < count; ++i) {
        top->a = in[i] & 15, top->rst = in[i] >> 4, top->clk = 0, top->eval(), out[i] = top->y;
        top->clk = 1, top->eval();
    }
}
"""


@dataclass(frozen=True)
class Steps:
    """Values of ``a`` and, in bit 4, ``rst``, one a cycle."""

    name: str
    values: bytes


def answer(values):
    """The model: ``y`` in each cycle."""
    last, found = 0, []
    for a in values:
        bit = [a >> n & 1 for n in range(4)]
        y = (bit[0], last ^ bit[2], bit[2], bit[3] & bit[2], bit[3] & ~bit[2] & 1)
        found.append(sum(value << n for n, value in enumerate(y)))
        last = bit[1] & ~(a >> 4) & 1
    return bytes(found)


def rich(width, seed):
    """Every value behind every other."""
    pairs = bytes(value for a in range(32) for b in range(32) for value in (a, b))
    return [Steps("low", bytes(range(8)) * 2), Steps("pairs", pairs)]


def poor(width, seed):
    """``a[3]`` stays 0."""
    return rich(width, seed)[:1]


def source(width):
    return Source(TEXT, "verilog", "tiny")


def contract(width):
    return Contract()


class Device:
    """The Verilated block."""

    def __init__(self, width, verilog: Path, bits: int):
        self._run = ctypes.CDLL(str(build(verilog))).tiny_run

    def select(self, mutant):
        self._mutant = mutant

    def run(self, stimuli):
        out = ctypes.create_string_buffer(len(stimuli.values))
        self._run(self._mutant, len(stimuli.values), stimuli.values, out)
        wrong = [n for n, y in enumerate(answer(stimuli.values)) if y != out.raw[n]]
        return f"cycle {wrong[0]}" if wrong else None


def build(verilog: Path):
    """The simulation as a library."""
    text = verilog.read_text()

    def make(folder):
        (folder / "dut.v").write_text(text)
        tool = str(verilate.verilator_root() / "bin" / "verilator_bin")
        flags = ["--cc", "--prefix", "Vdut", "--output-split", "0", "-Wno-lint", "-Mdir", "."]
        verilate.run([tool, *flags, "dut.v"], folder, verilate.verilator_env())
        include = verilate.verilator_root() / "include"
        units = [f"{include}/verilated.cpp", f"{include}/verilated_threads.cpp"]
        units += [path.name for path in sorted(folder.glob("Vdut*.cpp"))]
        # One unit: the headers are read once.
        (folder / "unity.cpp").write_text("".join(f'#include "{unit}"\n' for unit in units) + SHELL)
        command = [verilate.compiler(), "-std=c++17", "-O0", "-fPIC", "-shared", "unity.cpp"]
        command += [f"-D{name}=0" for name in ("VM_COVERAGE", "VM_SC", "VM_TIMING", "VM_TRACE")]
        command += [f"-I{include}", f"-I{include / 'vltstd'}", "-I."]
        verilate.run([*command, "-pthread", "-o", "tiny.so"], folder)

    key = verilate.content_key(text, SHELL, *verilate.tool_versions())
    return verilate.cached("tiny", key, make) / "tiny.so"


POOR = MutationTarget("tiny", (1,), source, poor, Device, contract)
RICH = MutationTarget("tiny", (1,), source, rich, Device, contract)


class Acted:
    """No simulation at all: what becomes of a mutant stands in its stimuli's values."""

    def __init__(self, width, verilog, bits):
        if bits == 99:
            os._exit(5)

    def select(self, mutant):
        self._mutant = mutant

    def run(self, stimuli):
        match chr(stimuli.values[self._mutant]):
            case "w":
                return "wrong"
            case "c":
                os._exit(3)
            case "k":
                os.kill(os.getpid(), 9)
            case "h":
                time.sleep(1000)
        return None


ACTED = MutationTarget("acted", (1,), source, rich, Acted, contract)
