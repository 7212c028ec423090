"""Builds the shared library: harness and Verilated flow table."""

import json
import re
from pathlib import Path

from stellar_spec.flow import GENERATION_BITS

from .. import native
from ..native.build import Harness, exported
from ..native.memories import memory_path
from ..native.shell import find_module, shell
from .ports import COUNTS_BITS, OUTPUTS, TablePorts

__all__ = ["build", "generated", "presets"]

HERE, SHARED = Path(__file__).parent, Path(native.__file__).parent
SOURCES = (
    *(HERE / name for name in ("harness.cpp", "run.h", "traffic.h", "keys.h", "interface.h")),
    *(SHARED / name for name in ("bits.h", "random.h", "held.h")),
)
ZEROS = re.compile(r"^ *initial begin\n(?: *\w+\[\d+\] = \d+'h0+;\n)+ *end\n", re.MULTILINE)
"""That a memory begins with zeros: Verilator's do anyway, and a line a word takes it minutes."""
REPORT_WITHIN = 512
"""Cycles from the first lookup that misses an aged key to the event that says so, at most: the
engine waits for lookups that are under way, and needs cycles that lookups leave."""


def generated(slots: int, *, engine_port: bool = False) -> tuple[str, int]:
    """The gateware's Verilog with ``slots`` slots, and its latency.

    Raises ``ValueError`` for a size that it does not take.
    """

    def write(folder):
        from stellar_nic.flow import FlowTable
        from stellar_nic.verilog import export

        table = FlowTable(slots=slots, engine_port=engine_port)
        (folder / "latency.json").write_text(json.dumps(table.latency))
        text = ZEROS.sub("", export(table, "flow_table"))
        (folder / "table.v").write_text(text, encoding="utf-8")

    size = f"{slots}_port" if engine_port else str(slots)
    folder = exported("flow_table", size, write)
    text = (folder / "table.v").read_text(encoding="utf-8")
    return text, json.loads((folder / "latency.json").read_text())


def presets(text: str, top: str, ports: TablePorts) -> tuple[dict[str, int], str]:
    """What stands beside the table to set a flow's counters: inputs, and what they do.

    Counters of 48 bits come to their upper halves in years; a test has them there at once. Those
    that are 0 stay: a flow that no key has must have counted nothing. Where the Verilog has no
    such memory, there is nothing, and the harness is built without.
    """
    path = memory_path(text, top, ports.counted_bits, ports.slots)
    if path is None:
        return {}, ""
    flow_bits = (ports.slots - 1).bit_length()
    low, high = GENERATION_BITS, GENERATION_BITS + COUNTS_BITS - 1
    counts = f"dut.{path}[preset_flow_now][{high}:{low}]"
    body = (
        f"always @(posedge clk) if (preset_valid_now && {counts} != 0)\n"
        f"  {counts} <= preset_counts_now;"
    )
    return {"preset_valid": 1, "preset_flow": flow_bits, "preset_counts": COUNTS_BITS}, body


def build(ports: TablePorts, text: str, latency: int, source: str) -> Path:
    """The shared library for ``text``, the Verilog of such a table.

    Raises ``ValueError`` for Verilog with other ports, :class:`stellar_bench.verilate.BuildError`
    when a tool is missing or fails.
    """
    what = f"{source} is no flow table of {ports.slots} slots"
    top = find_module(text, ports.ports, what)
    beside, body = presets(text, top, ports)
    verilog = {
        "dut.v": text,
        "shell.v": shell(top, ports.ports, OUTPUTS, beside=beside, body=body),
    }
    macros = ports.macros | {"LATENCY": latency, "REPORT_WITHIN": REPORT_WITHIN}
    macros |= {"PRESETS": 1} if beside else {}
    harness = Harness(SOURCES, native.library.SELECT_FLAGS if ports.select else ())
    return harness.build(top, verilog, macros)
