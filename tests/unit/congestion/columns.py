"""Blocks in every technology on columns of numbers: a row for each cycle."""

from collections.abc import Callable, Mapping

import numpy as np
from amaranth.back import verilog
from amaranth.hdl import Cat, Module, Signal, Value

from stellar_bench.ecp5 import VectorSimulation, cells_text
from stellar_nic.memory import TECHNOLOGIES

__all__ = ["ColumnBench"]


class ColumnBench:
    """``build(m, fields, technology)`` adds blocks to ``m`` and returns their outputs.

    ``inputs`` and ``outputs`` are names and bits; ``fields`` are the inputs by name.
    """

    def __init__(
        self,
        inputs: Mapping[str, int],
        outputs: Mapping[str, int],
        build: Callable[[Module, dict[str, Value], str], list[Value]],
    ):
        self._inputs, self._outputs = inputs, outputs
        m, i = Module(), Signal(sum(inputs.values()), name="i")
        at, fields = 0, {}
        for name, width in inputs.items():
            fields[name], at = i[at : at + width], at + width
        found = [value for technology in TECHNOLOGIES for value in build(m, fields, technology)]
        assert [len(value) for value in found] == [*outputs.values()] * len(TECHNOLOGIES)
        o = Signal(sum(map(len, found)), name="o")
        m.d.comb += o.eq(Cat(found))
        options = {"ports": [i, o], "emit_src": False, "strip_internal_attrs": True}
        top = verilog.convert(m, name="top", **options)
        files = {"top.v": top, "cells.v": cells_text()}
        self._simulation = VectorSimulation(files, inputs=len(i), outputs=len(o))

    def run(self, columns: Mapping[str, np.ndarray]) -> dict[str, dict[str, np.ndarray]]:
        """What came out in each cycle, by technology and name; inputs modulo their width."""
        rows = [
            ((columns[name] % (1 << width))[:, None] >> np.arange(width) & 1).astype(np.uint8)
            for name, width in self._inputs.items()
        ]
        bits, at = self._simulation.run(np.concatenate(rows, axis=1)), 0
        found = {}
        for technology in TECHNOLOGIES:
            found[technology] = {}
            for name, width in self._outputs.items():
                powers = 1 << np.arange(width, dtype=np.int64)
                found[technology][name] = bits[:, at : at + width] @ powers
                at += width
        return found
