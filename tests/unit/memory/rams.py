"""RAMs side by side under one Verilog top, their stimulus, and what they must say."""

import numpy as np
from amaranth.back import verilog
from amaranth.hdl import Cat, Module, Signal

from stellar_nic.memory import PairRAM, PipelinedMultiplier

__all__ = ["INPUTS", "Bench", "expected", "stimulus"]

ADDRESS, WIDTH = 16, 347
FIELDS = {
    "write_enable": 1,
    "write_address": ADDRESS,
    "write_data": WIDTH,
    "read_address": ADDRESS,
    "address": ADDRESS + 1,
    "upper_address": ADDRESS,
    "lower_address": ADDRESS,
    "a": 18,
    "b": 18,
}
"""Inputs of the top, lowest bit first: every component takes as many bits as it needs."""

COLUMNS, _at = {}, 0
for _name, _width in FIELDS.items():
    COLUMNS[_name] = slice(_at, _at + _width)
    _at += _width
INPUTS = _at


class Bench:
    """A top with ``components`` side by side, and where in its output each one's is.

    ``text`` is what ``back`` makes of it: Verilog, or RTLIL, which is much quicker for yosys.
    """

    def __init__(self, components, back=verilog):
        m, i, self.columns, outputs, at = Module(), Signal(INPUTS, name="i"), [], [], 0
        for index, component in enumerate(components):
            m.submodules[f"part_{index}"] = component
            for name, columns in COLUMNS.items():
                if hasattr(component, name):
                    port = getattr(component, name)
                    m.d.comb += port.eq(i[columns][: len(port)])
            names = ("read_data", "upper_data", "lower_data", "product")
            outputs.append(Cat(*(getattr(component, n) for n in names if hasattr(component, n))))
            self.columns.append(slice(at, at := at + len(outputs[-1])))
        self.outputs = at
        o = Signal(at, name="o")
        m.d.comb += o.eq(Cat(*outputs))
        self.text = back.convert(m, name="top", ports=[i, o], emit_src=False)


def stimulus(random, cycles, depths):
    """Random inputs: addresses far apart and near, in bursts on few words, and everything else.

    Addresses of reads and writes are often the same, or were so a few cycles ago.
    """
    bits = random.integers(0, 2, (cycles, INPUTS), dtype=np.uint8)
    span = np.repeat(random.choice(depths, -(-cycles // 64)), 64)[:cycles]
    few = np.repeat(random.integers(0, 2, -(-cycles // 256)), 256)[:cycles]
    base = np.repeat(random.integers(0, 1 << ADDRESS, -(-cycles // 256)), 256)[:cycles]
    for name in ("write_address", "read_address", "address", "upper_address", "lower_address"):
        near = base + random.integers(0, 6, cycles) * (span >> 3 | 1)
        address = np.where(few, near, random.integers(0, 1 << ADDRESS, cycles)) % (1 << ADDRESS)
        bits[:, COLUMNS[name]][:, :ADDRESS] = address[:, None] >> np.arange(ADDRESS) & 1
    return bits


def _numbers(bits, name):
    columns = bits[:, COLUMNS[name]].astype(np.int64)
    return columns @ (1 << np.arange(columns.shape[1], dtype=np.int64))


def expected(component, bits):
    """What ``component`` must give: its output's bits in every cycle, and which of them count.

    A word that was written in the cycle in which it was read does not count.
    """
    cycles = len(bits)
    if isinstance(component, PipelinedMultiplier):
        product = np.zeros(cycles, dtype=np.int64)
        product[3:] = (_numbers(bits, "a") * _numbers(bits, "b"))[:-3]
        return product[:, None] >> np.arange(36) & 1, np.ones((cycles, 1), dtype=bool)
    enable = bits[:, COLUMNS["write_enable"]][:, 0] == 1
    if isinstance(component, PairRAM):
        depth = component.depth
        first = _numbers(bits, "address") % (2 * depth)
        upper = depth + _numbers(bits, "upper_address") % depth
        lower = _numbers(bits, "lower_address") % depth
        reads = (first, upper, lower)[: component.ports]
        found = [_read(component, bits, enable, first, address) for address in reads]
        out, counts = (np.stack(parts, axis=1) for parts in zip(*found, strict=True))
        if component.ports == 2:
            counts[2:, 1] &= first[:-2] < depth
        out = out.reshape(cycles, -1)
        return out, np.repeat(counts, component.width, axis=1)
    read = _numbers(bits, "read_address") % component.depth
    write = _numbers(bits, "write_address") % component.depth
    out, counts = _read(component, bits, enable, write, read)
    return out, counts[:, None]


def _read(component, bits, enable, write, read):
    """The words at the addresses ``read``, two cycles later, and the cycles that count."""
    cycles = len(bits)
    last, source = {}, np.full(cycles, -1)  # address → cycle of its last write
    for cycle in range(cycles):
        source[cycle] = last.get(read[cycle], -1)
        if enable[cycle]:
            last[write[cycle]] = cycle
    data = bits[:, COLUMNS["write_data"]][:, : component.width]
    words = np.where(source[:, None] >= 0, data[source], 0)
    out = np.zeros((cycles, component.width), dtype=np.uint8)
    out[2:] = words[:-2]
    counts = np.ones(cycles, dtype=bool)
    counts[2:] = ~(enable & (read == write))[:-2]
    return out, counts
