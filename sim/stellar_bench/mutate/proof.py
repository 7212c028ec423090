"""Proofs that a mutant can't be told from the block as it is.

Flip-flops are cut out of the block, so that only logic remains, and the logic stands twice: as it
is, and with the mutant. Both read the same flip-flops, those of the block as it is::

    inputs ─┬─► as it is ──┬─► outputs, next state ──┐
    state ──┼──────────────┘ (and on to the state)   ├─► differ?
            └─► mutant ──────► outputs, next state ──┘

If "differ?" is never true, then state and outputs of the mutant are those of the block in every
cycle, by induction. That it never is, Yosys' SAT solver shows, by induction over up to ``STEPS``
cycles. Equal logic of the two is merged beforehand, so what it has to look at is small. Bits of
state that lead to no output, in however many steps, may differ.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from . import yosys
from .liveness import live_bits
from .target import Contract

__all__ = ["STEPS", "TIMEOUT", "Proof", "prove"]

STEPS = 4
"""Longest induction, in cycles."""
TIMEOUT = 60
"""Seconds for one proof."""

STATELESS = re.compile(r"\$(?!.*(dff|latch|mem|sr$|^\$ff|fsm|any|allconst|allseq))")
INIT = "init"
CUT = "cut"


@dataclass(frozen=True)
class Proof:
    """``proved``, and how or why not in one line."""

    proved: bool
    text: str


def prove(
    mutant: yosys.Mutant, folder: Path, contract: Contract, *, timeout: float = TIMEOUT
) -> Proof:
    """Tries to prove that ``mutant`` of the netlist in ``folder`` is equivalent to the block."""
    name = f"proof{mutant.number}"
    try:
        return _prove(mutant, folder, contract, name, timeout)
    except TimeoutError:
        return Proof(False, f"no proof within {timeout:g} s")


def _prove(mutant, folder, contract, name, timeout):
    script = [
        f"read_rtlil {yosys.NETLIST}",
        yosys.with_select(mutant, 1, 1),
        "memory_map",
        "dffunmap",
        "opt_clean",
        f"write_json {name}.json",
    ]
    yosys.run("\n".join(script), folder, f"{name}_netlist", timeout)
    path = folder / f"{name}.json"
    netlist = json.loads(path.read_text(encoding="utf-8"))
    (top,) = netlist["modules"]
    module = netlist["modules"].pop(top)
    registers = cut_registers(module, contract.clock)
    netlist["modules"][CUT] = module
    path.write_text(json.dumps(netlist), encoding="utf-8")
    text = miter(module, registers, contract)
    (folder / f"{name}.v").write_text(text, encoding="utf-8")
    script = [
        f"read_json {name}.json",
        f"read_verilog -formal {name}.v",
        "hierarchy -top miter",
        "proc",
        "chformal -lower",
        "flatten",
        "opt_expr",
        "opt_merge",
        "opt_clean",
        f"sat -tempinduct -prove differ 0 -set-assumes -maxsteps {STEPS} -timeout {timeout:g}"
        " miter",
    ]
    # Time for the optimisations on top of what the solver may take.
    log = yosys.run("\n".join(script), folder, name, 2 * timeout)
    return _read(log, timeout)


def _read(log, timeout):
    steps = len(re.findall(r"\[induction step\]|Trying to prove induction", log, re.I))
    if "Induction step proven: SUCCESS!" in log:
        return Proof(True, f"equal by induction over {max(1, steps)} cycles")
    if "model found for base case" in log:
        return Proof(False, "the state differs in a run from the start")
    if "Interrupted SAT solver" in log or "TIMEOUT" in log.upper():
        return Proof(False, f"no proof within {timeout:g} s")
    return Proof(False, f"no proof by induction over {STEPS} cycles")


def cut_registers(module: dict, clock: str) -> list[tuple[str, int, str]]:
    """Turns each flip-flop of ``module`` (JSON) into an input for what it holds, an output for what
    it takes next; returns names, widths, initial values as Verilog. Bits that lead to no output are
    left out.

    Raises :class:`yosys.YosysError` where there is state of another kind.
    """
    (clock_bit,) = module["ports"][clock]["bits"]
    initial = _initial_values(module)
    outputs = [port["bits"] for port in module["ports"].values() if port["direction"] == "output"]
    live = live_bits(module, [bit for bits in outputs for bit in bits])
    registers = []
    for cell_name, cell in list(module["cells"].items()):
        if cell["type"] != "$dff":
            if not STATELESS.match(cell["type"]):
                raise yosys.YosysError(f"no proof for cells {cell['type']} ({cell_name})")
            continue
        rising = int(cell["parameters"]["CLK_POLARITY"], 2)
        if cell["connections"]["CLK"] != [clock_bit] or not rising:
            raise yosys.YosysError(f"{cell_name} has another clock than rising {clock}")
        name = f"ff{len(registers)}"
        del module["cells"][cell_name]
        ends = zip(cell["connections"]["Q"], cell["connections"]["D"], strict=True)
        if not (bits := [pair for pair in ends if pair[0] in live]):
            continue
        held, following = zip(*bits, strict=True)
        module["ports"][f"{name}_q"] = {"direction": "input", "bits": held}
        module["ports"][f"{name}_d"] = {"direction": "output", "bits": following}
        value = "".join(initial.get(bit, "x") for bit in reversed(held))
        registers.append((name, len(held), f"{len(held)}'b{value}"))
    for net in module["netnames"].values():
        net["attributes"].pop(INIT, None)
    return registers


def _initial_values(module):
    found = {}
    for net in module["netnames"].values():
        if INIT in net["attributes"]:
            bits = net["bits"]
            value = net["attributes"][INIT].rjust(len(bits), "x")
            found.update(
                (bit, digit)
                for bit, digit in zip(bits, reversed(value), strict=True)
                if digit in "01"
            )
    return found


def miter(module: dict, registers: list[tuple[str, int, str]], contract: Contract) -> str:
    """Verilog of the two copies; the output ``differ`` is high where they do."""
    cut = {f"{name}_{end}" for name, _, _ in registers for end in "qd"}
    ports = {name: port for name, port in module["ports"].items() if name not in cut}
    inputs = {
        name: len(port["bits"])
        for name, port in ports.items()
        if port["direction"] == "input" and name != yosys.SELECT
    }
    outputs = {
        name: len(port["bits"]) for name, port in ports.items() if port["direction"] == "output"
    }
    outputs |= {f"{name}_d": width for name, width, _ in registers}
    lines = [f"module miter({', '.join(inputs)}, differ);", "output differ;"]
    lines += [f"input [{width - 1}:0] {name};" for name, width in inputs.items()]
    for name, width, value in registers:
        lines.append(f"reg [{width - 1}:0] {name} = {value};")
        lines.append(f"always @(posedge {contract.clock}) {name} <= gold_{name}_d;")
    for copy, select in (("gold", 0), ("gate", 1)):
        lines += [f"wire [{width - 1}:0] {copy}_{name};" for name, width in outputs.items()]
        links = [f".{yosys.SELECT}(1'b{select})"]
        links += [f".{name}({name})" for name in inputs]
        links += [f".{name}_q({name})" for name, _, _ in registers]
        links += [f".{name}({copy}_{name})" for name in outputs]
        lines.append(f"{CUT} {copy}({', '.join(links)});")
    meant = {f"{stream}__payload": f"gold_{stream}__valid" for stream in contract.streams}
    unequal = [f"({meant.get(name, 1)} && gold_{name} != gate_{name})" for name in outputs]
    lines.append(f"assign differ = {' || '.join(unequal)};")
    lines += [f"always @* assume({text});" for text in contract.assumptions]
    return "\n".join([*lines, "endmodule", ""])
