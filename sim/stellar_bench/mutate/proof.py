"""Proofs that a mutant can't be told from the block as it is.

``miter`` makes the circuit; ABC shows that its output ``differ`` is never true in a run from the
start, whatever the inputs do within the contract. First nodes that are equal in every state that
can be reached are merged (``scorr``: signal correspondence, by induction), which alone leaves
nothing to differ most often; for the rest there is property directed reachability (``pdr``).
Anything but its word that it is so, is no proof.

At first wide registers may hold anything: what a mutant does to control seldom hangs on the data.
Only if that gives no proof, all of the block counts.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from . import yosys
from .miter import CUT, Unprovable, cut, miter
from .target import Contract

__all__ = ["TIMEOUT", "Proof", "prove"]

TIMEOUT = 30
"""Seconds for ABC to search the states that can be reached, for one mutant."""
WIDEST = 32
"""Bits of the registers that are no data."""
# What is undefined may be anything in each copy, and another thing in the other one.
GATES = """
hierarchy -top miter
proc
chformal -lower
flatten
setundef -anyseq
opt_expr
opt_merge
opt_clean
techmap
opt_expr
dffunmap
aigmap
opt_clean
"""


@dataclass(frozen=True)
class Proof:
    """``proved``, and how or why not in one line."""

    proved: bool
    text: str


def prove(
    mutant: yosys.Mutant, folder: Path, contract: Contract, *, timeout: float = TIMEOUT
) -> Proof:
    """Tries to prove that ``mutant`` of the netlist in ``folder`` is equivalent to the block.

    ``timeout`` is that of ABC, in seconds. Raises :class:`yosys.YosysError`.
    """
    name = f"proof{mutant.number}"
    try:
        module, state = _netlist(mutant, folder, contract, name)
    except Unprovable as error:
        return Proof(False, str(error))
    proof = _attempt(module, state, folder, contract, name, timeout / 2, WIDEST)
    if not proof.proved and any(one.width > WIDEST for one in state.registers):
        proof = _attempt(module, state, folder, contract, name, timeout, None)
    return proof


def _attempt(module, state, folder, contract, name, timeout, widest) -> Proof:
    _circuit(module, state, folder, contract, name, widest)
    left, status = folder / f"{name}.left.aig", folder / f"{name}.status"
    for path in (left, status):
        path.unlink(missing_ok=True)
    commands = [
        f"read {name}.aig",
        *(["fold"] if contract.assumptions or contract.offers else []),
        *("scorr", "dc2", "dc2", "scorr"),
        f"write_aiger {left.name}",
        f"pdr -T {timeout:.0f}",
        f"write_status {status.name}",
    ]
    if not yosys.abc(commands, folder, name, 2 * timeout):
        return Proof(False, f"no proof within {2 * timeout:.0f} s")
    if not (left.exists() and status.exists()):
        raise yosys.YosysError(f"ABC has left no verdict; see {folder / name}_abc.log")
    return _verdict(left.read_bytes(), status.read_text(encoding="utf-8"), timeout)


def _netlist(mutant, folder, contract, name):
    """The block with ``mutant`` behind its input, without state (JSON, also in ``folder``), and
    what was cut out."""
    script = [
        f"read_rtlil {yosys.NETLIST}",
        yosys.with_select(mutant, 1, 1),
        "memory_map -rom-only",
        "dffunmap",
        "opt_clean",
        f"write_json {name}.json",
    ]
    yosys.run("\n".join(script), folder, f"{name}_netlist")
    path = folder / f"{name}.json"
    netlist = json.loads(path.read_text(encoding="utf-8"))
    (top,) = netlist["modules"]
    module = netlist["modules"].pop(top)
    state = cut(module, contract.clock)
    netlist["modules"][CUT] = module
    path.write_text(json.dumps(netlist), encoding="utf-8")
    return module, state


def _circuit(module, state, folder, contract, name, widest):
    """Leaves the miter in ``folder``, as AIGER."""
    (folder / f"{name}.v").write_text(miter(module, state, contract, widest), encoding="utf-8")
    read = f"read_json {name}.json\nread_verilog -formal {name}.v"
    yosys.run(f"{read}{GATES}write_aiger -zinit {name}.aig\n", folder, name)


def _verdict(left, status, timeout):
    if _is_false(left):
        return Proof(True, "equal by induction")
    if re.match(r"snl_UNSAT\b", status):
        return Proof(True, "equal in every state that can be reached")
    if re.match(r"snl_SAT\b", status):
        return Proof(False, "state or outputs differ in a run from the start")
    return Proof(False, f"no proof within {timeout:.0f} s")


def _is_false(aiger: bytes) -> bool:
    """Whether the one output of a circuit (AIGER 1.9, binary) is the constant 0."""
    first, *lines = aiger.split(b"\n")
    _, _, _, latches, outputs, *_ = first.split()
    return int(outputs) == 1 and lines[int(latches)] == b"0"
