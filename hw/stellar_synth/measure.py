"""A block at one width: what is measured, and what of it is the block's."""

import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from amaranth.back.verilog import convert
from amaranth.lib import wiring

from stellar_bench.verilate import build_root
from stellar_nic import verilog

from .devices import Target
from .harness import Harness, Placeholder, StandIn
from .netlist import Netlist, synthesize
from .place import Routed, TimingPath, pack, route

__all__ = ["INSIDE", "Area", "Measurement", "Timing", "harness_text", "in_harness"]

INSIDE = "block.module."
"""What the names of the block's cells begin with."""

_LUT = "LUT4"


@dataclass(frozen=True)
class Area:
    """Cells by the keys of :data:`~stellar_synth.place.CELLS`, and ``lut4`` as yosys counts."""

    total: dict[str, int]
    harness: dict[str, int]

    @property
    def block(self) -> dict[str, int]:
        """What the block takes: the total less the harness."""
        return {key: self.total[key] - self.harness[key] for key in self.total}


@dataclass
class Timing:
    """What the seeds gave, in the seeds' order."""

    runs: list[Routed] = field(default_factory=list)

    @property
    def mhz(self) -> list[float]:
        """Maximum frequencies; 0 for a seed that failed."""
        return [run.mhz for run in self.runs]

    @property
    def median(self) -> float:
        """Their median; of an even number, the mean of the two in the middle."""
        return statistics.median(self.mhz)

    @property
    def median_run(self) -> Routed:
        """The seed in the middle; of an even number, the slower of two."""
        return sorted(self.runs, key=lambda run: run.mhz)[(len(self.runs) - 1) // 2]


class Measurement:
    """A block around which the harness stands.

    Parameters
    ----------
    block : wiring.Component
    name : str
        Of the block's module, a Verilog identifier.
    target : Target
    timeout : float
        Seconds for each run of a tool.

    Raises ``TypeError`` and ``ValueError`` for a block with no input or no output bit.
    """

    def __init__(self, block: wiring.Component, *, name: str, target: Target, timeout: float):
        self.name, self.target, self._timeout = name, target, timeout
        self._text = verilog.export(block, name)
        self._around = harness_text(self._text, block.signature, name)
        stand_in = verilog.export(StandIn(block.signature), name)
        self._alone = harness_text(stand_in, block.signature, name)
        self._folder = build_root() / "timing" / name

    def area(self) -> Area:
        """What block and harness take together, and the harness alone, after packing."""
        return Area(self._packed(self._around, "total"), self._packed(self._alone, "harness"))

    def modules(self) -> dict[str, Counter]:
        """The block's modules → their cells, from a synthesis that keeps every boundary."""
        return self._synthesize(self._text, self.name, flatten=False).cells()

    def route(self, seeds: list[int]) -> Iterator[Routed]:
        """Places and routes with every seed; yields them as they end."""
        folder = self._folder / self.target.part
        return route(self._netlist(self._around), self.target, folder, seeds, timeout=self._timeout)

    def _netlist(self, text: str) -> Netlist:
        return self._synthesize(text, "harness", keep=self.name)

    def _synthesize(self, text: str, top: str, **options) -> Netlist:
        return synthesize(text, top=top, timeout=self._timeout, **options)

    def _packed(self, text: str, part: str) -> dict[str, int]:
        netlist = self._netlist(text)
        lut4 = sum(cells[_LUT] for cells in netlist.cells().values())
        folder = self._folder / part
        return {**pack(netlist, self.target, folder, timeout=self._timeout), "lut4": lut4}


def harness_text(text: str, signature: wiring.Signature, name: str) -> str:
    """Verilog of the harness (module ``harness``) around module ``name``, which ``text`` has."""
    harness = Harness(Placeholder(signature, module=name, text=text))
    pads = [harness.clk, harness.si, harness.so]
    around = convert(harness, name="harness", ports=pads, emit_src=False, strip_internal_attrs=True)
    return f"{text}\n{around}"


def in_harness(path: TimingPath) -> bool:
    """Whether no cell of ``path`` is the block's: then the figure is the harness', and void."""
    return not any(cell.startswith(INSIDE) for cell in path.cells())
