"""What in a netlist depends on what, counted bit by bit through the common cells."""

__all__ = ["live_bits", "reached_bits"]

BITWISE = {"$and", "$or", "$xor", "$xnor", "$not", "$mux", "$pos", "$dff"}
"""Cells of which bit n of the output depends on bit n of the operands, and on their one-bit
control inputs."""


def live_bits(module: dict, outputs) -> set[int]:
    """The bits of ``module`` (Yosys' JSON) on which a bit of ``outputs`` depends.

    Through flip-flops too, so over any number of cycles. Some are too many: where a cell is not
    bitwise, each of its output bits is taken to depend on all of its inputs.
    """
    sources: dict[int, list] = {}
    for cell in module["cells"].values():
        for bit, needed in _dependencies(cell):
            sources.setdefault(bit, []).append(needed)
    live, left = set(), [bit for bit in outputs if isinstance(bit, int)]
    while left:
        bit = left.pop()
        if bit in live:
            continue
        live.add(bit)
        for needed in sources.get(bit, ()):
            left += [one for one in needed if isinstance(one, int) and one not in live]
    return live


def reached_bits(module: dict, inputs) -> set[int]:
    """The bits of ``module`` that depend on a bit of ``inputs``, through its cells.

    Some are too many, as in :func:`live_bits`.
    """
    users: dict[int, list[int]] = {}
    for cell in module["cells"].values():
        for bit, needed in _dependencies(cell):
            for one in needed:
                users.setdefault(one, []).append(bit)
    reached, left = set(), list(inputs)
    while left:
        bit = left.pop()
        if bit not in reached:
            reached.add(bit)
            left += users.get(bit, ())
    return reached


def _dependencies(cell):
    ends = cell["connections"]
    inputs = {name: ends[name] for name, way in cell["port_directions"].items() if way == "input"}
    outputs = [ends[name] for name, way in cell["port_directions"].items() if way == "output"]
    everything = [bit for bits in inputs.values() for bit in bits]
    for bits in outputs:
        for at, bit in enumerate(bits):
            if not isinstance(bit, int):
                continue
            if cell["type"] == "$mem_v2":
                yield bit, _memory(cell, inputs, at)
            elif cell["type"] in BITWISE:
                # Of a short operand the last bit may stand for those that it lacks.
                yield bit, [row[at] if at < len(row) else row[-1] for row in inputs.values()]
            else:
                yield bit, everything


def _memory(cell, inputs, at):
    """What bit ``at`` of a memory's read data depends on: of the words written, its own bit."""
    width = int(cell["parameters"]["WIDTH"], 2)
    for name, row in inputs.items():
        yield from row[at % width :: width] if name in ("WR_DATA", "WR_EN") else row
