"""Builds the shared library: harness and Verilated parser at one width."""

from pathlib import Path

from .build import Harness, exported
from .ports import HEADER_BITS, META_BITS, SETTINGS_BITS, TRAILER_BITS, shell, top_module

__all__ = ["SOURCES", "build", "generated"]

HERE = Path(__file__).parent
SHARED = tuple(HERE / name for name in ("bits.h", "random.h", "held.h"))
SOURCES = (*(HERE / name for name in ("harness.cpp", "run.h", "interface.h")), *SHARED)
SELECT_FLAGS = ("-Wno-UNOPTFLAT",)
"""A flattened netlist has vectors of which one bit depends on another: slower, but no loop. What a
mutant closes into one is found when it runs, and then it is that mutant's fault."""


def generated(width):
    """The Verilog of the gateware's parser at ``width`` bytes a beat."""

    def write(folder):
        from stellar_nic import verilog

        text = verilog.export(verilog.BLOCKS["parser"](width), "parser")
        (folder / "parser.v").write_text(text, encoding="utf-8")

    return (exported("parser", str(width), write) / "parser.v").read_text(encoding="utf-8")


def build(width, text, source="the Verilog", select=0):
    """The shared library for ``text``, the Verilog of a parser of ``width`` bytes a beat.

    ``select`` is the number of bits of the input that chooses a mutant; 0: there is none.

    Raises ``ValueError`` for Verilog with other ports, :class:`stellar_bench.verilate.BuildError`
    when a tool is missing or fails.
    """
    top = top_module(text, width, source, select)
    macros = {
        "WIDTH": width,
        "META_BITS": META_BITS,
        "HEADER_BITS": HEADER_BITS,
        "TRAILER_BITS": TRAILER_BITS,
        "SETTINGS_BITS": SETTINGS_BITS,
    }
    if select:
        macros["SELECT_BITS"] = select
    harness = Harness(SOURCES, SELECT_FLAGS if select else ())
    return harness.build(top, {"dut.v": text, "shell.v": shell(top, width, select)}, macros)
