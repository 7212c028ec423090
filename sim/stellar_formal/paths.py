"""Combinational paths between the ports of a design, in its netlist.

A path cannot be seen at clock edges, so no property about cycles finds it.  Yosys breaks the
design into gates; what a port depends on in the same cycle is what is found going backwards from
it until registers are met.  A cell of an unknown kind counts as a path from each of its inputs to
each of its outputs: that may report a path too many, never one too few.
"""

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from .sby import Outcome, fresh
from .top import Top

__all__ = ["Netlist", "broken_rules", "run_paths"]

_SCRIPT = (
    "read_rtlil design.il; prep -top top -flatten; memory_map; opt_clean; simplemap; opt_clean; "
    "write_json netlist.json"
)
_REGISTERS = ("$_DFF", "$_SDFF", "$_ALDFF", "$_FF_", "$ff", "$dff", "$sdff", "$aldff", "$adff")


class Netlist:
    """A flat netlist as Yosys writes it (``write_json``)."""

    def __init__(self, text: str):
        top = json.loads(text)["modules"]["top"]
        self._ports = top["ports"]
        self._inputs = {
            bit: name
            for name, port in self._ports.items()
            if port["direction"] == "input"
            for bit in port["bits"]
        }
        self._drivers: dict[int, list | None] = {}  # None: a register
        for cell in top["cells"].values():
            sides = {"input": [], "output": []}
            for port, bits in cell["connections"].items():
                sides[cell["port_directions"][port]] += bits
            stops = cell["type"].startswith(_REGISTERS)
            for bit in sides["output"]:
                self._drivers[bit] = None if stops else sides["input"]

    def cone(self, port: str) -> tuple[set[str], int]:
        """Input ports that ``port`` depends on in the same cycle, and how many register bits."""
        if port not in self._ports:
            raise LookupError(f"no port {port!r}; there are: {', '.join(self._ports)}")
        seen: set[int] = set()
        todo = list(self._ports[port]["bits"])
        inputs, registers = set(), 0
        while todo:
            bit = todo.pop()
            if isinstance(bit, str) or bit in seen:  # a constant
                continue
            seen.add(bit)
            if bit in self._inputs:
                inputs.add(self._inputs[bit])
            elif bit not in self._drivers:
                raise LookupError(f"nothing drives net {bit} behind port {port!r}")
            elif self._drivers[bit] is None:
                registers += 1
            else:
                todo += self._drivers[bit]
        return inputs, registers


def broken_rules(netlist: Netlist, top: Top) -> Iterator[str]:
    """What is wrong: for each output the inputs that it must not depend on."""
    ready = {f"{name}__ready" for name, flow in top.streams if flow == "out"}
    for name, flow in top.streams:
        outputs = ("valid", "payload") if flow == "out" else ("ready",)
        for output in outputs:
            port = f"{name}__{output}"
            inputs, _ = netlist.cone(port)
            wrong = inputs if top.registered else inputs & ready if flow == "out" else set()
            for source in sorted(wrong):
                yield f"{port} depends on {source} in the same cycle"


def run_paths(folder: Path, top: Top, rtlil: str, *, timeout: int, bin: Path) -> Outcome:
    """Looks for forbidden paths; ``reached`` counts outputs that come from registers, and paths
    that are allowed and were expected.
    """
    fresh(folder, rtlil)
    began = time.monotonic()
    log = folder / "yosys.log"
    try:
        with log.open("wb") as sink:
            code = subprocess.run(
                [bin.resolve() / "yosys", "-q", "-p", _SCRIPT],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                timeout=timeout,
                check=False,
            ).returncode
    except subprocess.TimeoutExpired:
        return Outcome("TIMEOUT", time.monotonic() - began, log)
    if code:
        return Outcome("ERROR", time.monotonic() - began, log)
    netlist = Netlist((folder / "netlist.json").read_text(encoding="utf-8"))
    wrong = list(broken_rules(netlist, top))
    with log.open("a", encoding="utf-8") as sink:
        sink.writelines(f"{line}\n" for line in wrong)
    reached = sum(
        netlist.cone(f"{name}__{'valid' if flow == 'out' else 'ready'}")[1] > 0
        for name, flow in top.streams
    )
    reached += sum(source in netlist.cone(port)[0] for port, source in top.paths)
    return Outcome(
        status="FAIL" if wrong else "PASS",
        seconds=time.monotonic() - began,
        log=log,
        failed=wrong[0] if wrong else "",
        reached=reached,
    )
