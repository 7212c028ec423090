"""Memories of a block in the proof of an equivalence.

A memory is one and the same for both copies of the logic: what it reads is an input that may be
anything, and in every cycle both copies must ask it for the same words and write the same into it.
Then it holds, and gives, the same to both in every cycle, by induction; that it may be anything
lets a proof know less than is true, and never more.
"""

from dataclasses import dataclass

__all__ = ["Memory", "Unprovable", "cut_memories"]


class Unprovable(Exception):
    """The block has what no proof is made for; the message says what."""


@dataclass(frozen=True)
class Memory:
    """A memory that was cut out: the module's ``outputs`` for it, and Verilog expressions that are
    true where the copies ``gold`` and ``gate`` do not use it alike."""

    outputs: tuple[str, ...]
    unequal: tuple[str, ...]


def cut_memories(module: dict, clock_bit: int, live: set[int]) -> list[Memory]:
    """Turns each memory of ``module`` (JSON) into an input for what is read and outputs for what it
    is asked; of words only the bits in ``live``, those that lead to an output.

    Raises :class:`Unprovable` for one with another clock, or that is written without one.
    """
    found = []
    for cell_name, cell in list(module["cells"].items()):
        if cell["type"] == "$mem_v2":
            _check_clocks(cell_name, cell, clock_bit)
            del module["cells"][cell_name]
            found.append(_cut(module, f"mem{len(found)}", cell, live))
    return found


def _check_clocks(name, cell, clock_bit):
    """A port that reads without a clock needs none: its address is compared in the same cycle."""
    for way in ("RD", "WR"):
        enabled, rising = (
            cell["parameters"][f"{way}_CLK_{end}"][::-1] for end in ("ENABLE", "POLARITY")
        )
        for port, clock in enumerate(cell["connections"][f"{way}_CLK"]):
            clocked = enabled[port] == "1"
            if (clocked or way == "WR") and (clock, rising[port], clocked) != (
                clock_bit,
                "1",
                True,
            ):
                raise Unprovable(f"no proof: {name} has a port with another clock, or none")


def _cut(module, name, cell, live):
    ends, parameters = cell["connections"], cell["parameters"]
    width, address = (int(parameters[which], 2) for which in ("WIDTH", "ABITS"))
    ports, outputs, unequal = module["ports"], [], []

    def put(end, bits):
        outputs.append(f"{name}_{end}")
        ports[outputs[-1]] = {"direction": "output", "bits": bits}
        return [f"{copy}_{outputs[-1]}" for copy in ("gold", "gate")]

    read = [bit for bit in ends["RD_DATA"] if bit in live]
    lanes = {at % width for at, bit in enumerate(ends["RD_DATA"]) if bit in live}
    if not read:
        return Memory((), ())
    ports[f"{name}_read"] = {"direction": "input", "bits": read}
    control = [*ends["RD_EN"], *ends["RD_ARST"], *ends["RD_SRST"]]
    gold, gate = put("control", control)
    unequal.append(f"{gold} != {gate}")
    for port in range(int(parameters["RD_PORTS"], 2)):
        gold, gate = put(f"read{port}", ends["RD_ADDR"][address * port : address * (port + 1)])
        unequal.append(f"gold_{name}_control[{port}] && {gold} != {gate}")
    for port in range(int(parameters["WR_PORTS"], 2)):
        kept = [width * port + lane for lane in sorted(lanes)]
        enable, other = put(f"enable{port}", [ends["WR_EN"][at] for at in kept])
        unequal.append(f"{enable} != {other}")
        gold, gate = put(f"data{port}", [ends["WR_DATA"][at] for at in kept])
        unequal.append(f"|({enable} & ({gold} ^ {gate}))")
        gold, gate = put(f"write{port}", ends["WR_ADDR"][address * port : address * (port + 1)])
        unequal.append(f"|{enable} && {gold} != {gate}")
    return Memory(tuple(outputs), tuple(unequal))
