"""Builds the shared library: harness and Verilated flow table."""

import json
from pathlib import Path

from .. import native
from ..native.build import Harness, exported
from ..native.shell import find_module, shell
from .ports import OUTPUTS, TablePorts

__all__ = ["build", "generated"]

HERE, SHARED = Path(__file__).parent, Path(native.__file__).parent
SOURCES = (
    *(HERE / name for name in ("harness.cpp", "run.h", "traffic.h", "keys.h", "interface.h")),
    *(SHARED / name for name in ("bits.h", "random.h", "held.h")),
)
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
        (folder / "table.v").write_text(export(table, "flow_table"), encoding="utf-8")

    size = f"{slots}_port" if engine_port else str(slots)
    folder = exported("flow_table", size, write)
    text = (folder / "table.v").read_text(encoding="utf-8")
    return text, json.loads((folder / "latency.json").read_text())


def build(ports: TablePorts, text: str, latency: int, source: str) -> Path:
    """The shared library for ``text``, the Verilog of such a table.

    Raises ``ValueError`` for Verilog with other ports, :class:`stellar_bench.verilate.BuildError`
    when a tool is missing or fails.
    """
    what = f"{source} is no flow table of {ports.slots} slots"
    top = find_module(text, ports.ports, what)
    verilog = {"dut.v": text, "shell.v": shell(top, ports.ports, OUTPUTS)}
    macros = ports.macros | {"LATENCY": latency, "REPORT_WITHIN": REPORT_WITHIN}
    harness = Harness(SOURCES, native.library.SELECT_FLAGS if ports.select else ())
    return harness.build(top, verilog, macros)
