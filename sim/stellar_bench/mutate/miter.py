"""A block beside one of its mutants, as one circuit that says whether they differ.

Flip-flops are cut out of the block, so that only logic remains, and the logic stands twice: as it
is, and with the mutant. Both read the same flip-flops, those of the block as it is::

    inputs ─┬─► as it is ──┬─► outputs, next state ──┐
    state ──┼──────────────┘ (and on to the state)   ├─► differ?
            └─► mutant ──────► outputs, next state ──┘

If "differ?" is never true, then state and outputs of the mutant are those of the block in every
cycle, by induction. Bits of state that lead to no output, in however many cycles, may differ.
Memories are cut out too, see :mod:`.memories`.
"""

import re
from dataclasses import dataclass

from . import yosys
from .liveness import live_bits
from .memories import Memory, Unprovable, cut_memories
from .target import Contract

__all__ = ["CUT", "Cut", "Unprovable", "cut", "miter"]

STATELESS = re.compile(r"\$(?!.*(dff|latch|mem|sr$|^\$ff|fsm|any|allconst|allseq))")
INIT = "init"
CUT = "cut"
"""Name of the block's module without its flip-flops."""


@dataclass(frozen=True)
class Cut:
    """What was cut out of a module: names, widths and initial values (as Verilog) of flip-flops,
    and the memories."""

    registers: list[tuple[str, int, str]]
    memories: list[Memory]


def cut(module: dict, clock: str) -> Cut:
    """Turns each flip-flop of ``module`` (JSON) into an input for what it holds, an output for what
    it takes next, and each memory likewise. Bits that lead to no output are left out.

    Raises :class:`Unprovable` where there is state of another kind.
    """
    (clock_bit,) = module["ports"][clock]["bits"]
    outputs = [port["bits"] for port in module["ports"].values() if port["direction"] == "output"]
    live = live_bits(module, [bit for bits in outputs for bit in bits])
    memories = cut_memories(module, clock_bit, live)
    return Cut(_cut_registers(module, clock, clock_bit, live), memories)


def _cut_registers(module, clock, clock_bit, live):
    initial = _initial_values(module)
    registers = []
    for cell_name, cell in list(module["cells"].items()):
        if cell["type"] != "$dff":
            if not STATELESS.match(cell["type"]):
                raise Unprovable(f"no proof for cells {cell['type']} ({cell_name})")
            continue
        rising = int(cell["parameters"]["CLK_POLARITY"], 2)
        if cell["connections"]["CLK"] != [clock_bit] or not rising:
            raise Unprovable(f"no proof: {cell_name} has another clock than rising {clock}")
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


def miter(module: dict, state: Cut, contract: Contract) -> str:
    """Verilog of the two copies; the output ``differ`` is high in the cycle behind one in which
    they do, so that there always is a register, which ABC wants."""
    registers = state.registers
    inner = {f"{name}_{end}" for name, _, _ in registers for end in "qd"}
    ports = {name: port for name, port in module["ports"].items() if name not in inner}
    inputs = {
        name: len(port["bits"])
        for name, port in ports.items()
        if port["direction"] == "input" and name != yosys.SELECT
    }
    outputs = {
        name: len(port["bits"]) for name, port in ports.items() if port["direction"] == "output"
    }
    outputs |= {f"{name}_d": width for name, width, _ in registers}
    inputs.setdefault(contract.clock, 1)
    lines = [f"module miter({', '.join(inputs)}, differ);", "output reg differ = 0;"]
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
    written = {name for memory in state.memories for name in memory.outputs}
    unequal = [
        f"{meant.get(name, 1)} && gold_{name} != gate_{name}"
        for name in outputs
        if name not in written
    ]
    unequal += [text for memory in state.memories for text in memory.unequal]
    lines.append(f"wire [{len(unequal) - 1}:0] unequal;")  # one expression would be too deep
    lines += [f"assign unequal[{at}] = {text};" for at, text in enumerate(unequal)]
    lines.append(f"always @(posedge {contract.clock}) differ <= |unequal;")
    lines += [f"always @* assume({text});" for text in contract.assumptions]
    return "\n".join([*lines, "endmodule", ""])
