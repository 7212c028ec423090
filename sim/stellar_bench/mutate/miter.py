"""A block beside one of its mutants, as one circuit that says whether they differ.

Flip-flops are cut out of the block, so that only logic remains, and the logic stands twice: as it
is, and with the mutant. Both read the same flip-flops, those of the block as it is, but for those
that the mutant reaches at once::

    inputs ─┬─► as it is ──┬─► outputs, next state ──┐
    state ──┼──────────────┘ (and on to the state)   ├─► differ?
            └─► mutant ──┬───► outputs, next state ──┘
    own state ───────────┘ (and on to the own state)

If "differ?" is never true, then outputs and state of the mutant are those of the block in every
cycle, by induction; all but the *own state*, the registers whose next value depends on the mutated
place within the cycle. That may differ, as long as nothing else does: a value that is wrong while
nobody looks. Bits of state that lead to no output, in however many cycles, may differ as well.
Memories are cut out too, see :mod:`.memories`.
"""

import re
from dataclasses import dataclass, replace

from . import yosys
from .liveness import live_bits, reached_bits
from .memories import Memory, Unprovable, cut_memories
from .target import Contract

__all__ = ["CUT", "Cut", "Register", "Unprovable", "cut", "miter"]

STATELESS = re.compile(r"\$(?!.*(dff|latch|mem|sr$|^\$ff|fsm|any|allconst|allseq))")
INIT = "init"
CUT = "cut"
"""Name of the block's module without its flip-flops."""


@dataclass(frozen=True)
class Register:
    """Flip-flops that were cut out; ``initial`` is Verilog. ``own``: the mutant reaches them within
    a cycle."""

    name: str
    width: int
    initial: str
    own: bool = False


@dataclass(frozen=True)
class Cut:
    """What was cut out of a module."""

    registers: list[Register]
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
    registers = _cut_registers(module, clock, clock_bit, live)
    reached = reached_bits(module, module["ports"].get(yosys.SELECT, {"bits": []})["bits"])
    following = {one.name: module["ports"][f"{one.name}_d"]["bits"] for one in registers}
    registers = [replace(one, own=not reached.isdisjoint(following[one.name])) for one in registers]
    return Cut(registers, memories)


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
        registers.append(Register(name, len(held), f"{len(held)}'b{value}"))
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


def miter(module: dict, state: Cut, contract: Contract, widest: int | None = None) -> str:
    """Verilog of the two copies; the output ``differ`` is high in the cycle behind one in which
    they do, so that there always is a register, which ABC wants.

    Registers of more than ``widest`` bits may hold anything in any cycle, the same for both copies:
    a proof then holds all the more, and is found sooner, if it does not need them.
    """
    inner = {f"{one.name}_{end}" for one in state.registers for end in "qd"}
    ports = {name: port for name, port in module["ports"].items() if name not in inner}
    inputs = {
        name: len(port["bits"])
        for name, port in ports.items()
        if port["direction"] == "input" and name != yosys.SELECT
    }
    outputs = {
        name: len(port["bits"]) for name, port in ports.items() if port["direction"] == "output"
    }
    outputs |= {f"{one.name}_d": one.width for one in state.registers}
    free = {
        one.name: one.width
        for one in state.registers
        if widest is not None and one.width > widest and not one.own
    }
    entering = {contract.clock: 1} | inputs | free
    lines = [f"module miter({', '.join(entering)}, differ);", "output reg differ = 0;"]
    lines += [f"input [{width - 1}:0] {name};" for name, width in entering.items()]
    held = [one for one in state.registers if one.name not in free]
    lines += ["reg started = 0;", f"always @(posedge {contract.clock}) started <= 1;"]
    lines += [line for one in held for line in _register(one, contract.clock)]
    for copy, select in (("gold", 0), ("gate", 1)):
        lines += [f"wire [{width - 1}:0] {copy}_{name};" for name, width in outputs.items()]
        links = [f".{yosys.SELECT}(1'b{select})"]
        links += [f".{name}({name})" for name in inputs]
        links += [
            f".{one.name}_q({one.name}{'_own' if one.own and select else ''})"
            for one in state.registers
        ]
        links += [f".{name}({copy}_{name})" for name in outputs]
        lines.append(f"{CUT} {copy}({', '.join(links)});")
    unequal = _unequal(outputs, state, contract)
    lines.append(f"wire [{len(unequal) - 1}:0] unequal;")  # one expression would be too deep
    lines += [f"assign unequal[{at}] = {text};" for at, text in enumerate(unequal)]
    lines.append(f"always @(posedge {contract.clock}) differ <= |unequal;")
    lines += [line for name in contract.offers for line in _offer(name, inputs, contract)]
    lines += [f"always @* assume({text});" for text in contract.assumptions]
    return "\n".join([*lines, "endmodule", ""])


def _register(one: Register, clock: str):
    """The register as the block has it, and the mutant's own, which begins as the same."""
    bits = f"[{one.width - 1}:0]"
    yield f"reg {bits} {one.name} = {one.initial};"
    yield f"always @(posedge {clock}) {one.name} <= gold_{one.name}_d;"
    if one.own:
        yield f"reg {bits} {one.name}_next = {one.initial};"
        yield f"always @(posedge {clock}) {one.name}_next <= gate_{one.name}_d;"
        yield f"wire {bits} {one.name}_own = started ? {one.name}_next : {one.name};"


def _offer(name: str, inputs: dict[str, int], contract: Contract):
    """What is offered stays until it is taken."""
    running = f" && !{contract.reset}" if contract.reset in inputs else ""
    valid, payload = f"{name}__valid", f"{name}__payload"
    yield f"reg {name}_waits = 0;"
    yield f"reg [{inputs[payload] - 1}:0] {name}_offered = 0;"
    yield f"always @(posedge {contract.clock}) begin"
    yield f"{name}_waits <= {valid} && !gold_{name}__ready{running};"
    yield f"{name}_offered <= {payload};"
    yield "end"
    yield f"always @* assume(!{name}_waits || ({valid} && {payload} == {name}_offered));"


def _unequal(outputs, state, contract) -> list[str]:
    """Expressions that are true where the copies differ in what counts."""
    meant = {f"{stream}__payload": f"gold_{stream}__valid" for stream in contract.streams}
    apart = {name for memory in state.memories for name in memory.outputs}
    apart |= {f"{one.name}_d" for one in state.registers if one.own}
    found = [
        f"{meant.get(name, 1)} && gold_{name} != gate_{name}"
        for name in outputs
        if name not in apart
    ]
    return found + [text for memory in state.memories for text in memory.unequal]
