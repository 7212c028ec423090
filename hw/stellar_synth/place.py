"""Area, and maximum frequency over seeds, with nextpnr."""

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .devices import Target
from .netlist import Netlist
from .tools import Job, command, run, run_all

__all__ = ["CELLS", "FREQUENCY", "TIMING_WEIGHT", "Hop", "TimingPath", "Routed", "pack", "route"]

FREQUENCY = 200
"""MHz that nextpnr is asked for, in every run: above what the blocks reach, so that it never stops
trying, and near enough that it weighs the slow paths."""

TIMING_WEIGHT = 80
"""How much nextpnr's placer cares for slow paths beside the wires' length, in every run.  Its own
default is 10; with more, the parser comes out some 10 % quicker."""

CELLS = {
    "comb": "TRELLIS_COMB",
    "ff": "TRELLIS_FF",
    "ramw": "TRELLIS_RAMW",
    "ebr": "DP16KD",
    "dsp": "MULT18X18D",
}
"""What is counted: key of the results → nextpnr's name."""


@dataclass(frozen=True)
class Hop:
    """A step of a path: ``kind`` as nextpnr names it, nanoseconds, cell and port where it ends."""

    kind: str
    ns: float
    cell: str
    port: str
    net: str | None


@dataclass(frozen=True)
class TimingPath:
    """A path from clock edge to clock edge: where it starts, and its steps."""

    source: str
    hops: tuple[Hop, ...]

    @property
    def sink(self) -> str:
        """The cell where it ends."""
        return self.hops[-1].cell

    @property
    def carries(self) -> int:
        """Carry cells (CCU2C) on it."""
        return len({hop.cell for hop in self.hops if hop.kind == "logic" and hop.port == "FCO"})

    @property
    def levels(self) -> int:
        """LUTs and LUT multiplexers on it."""
        return sum(hop.kind == "logic" and hop.port != "FCO" for hop in self.hops)

    def ns(self, kind: str | None = None) -> float:
        """Its delay, or what of it is of one ``kind``."""
        return sum(hop.ns for hop in self.hops if kind in (None, hop.kind))

    def cells(self) -> set[str]:
        """Every cell on it."""
        return {self.source, *(hop.cell for hop in self.hops)}


@dataclass(frozen=True)
class Routed:
    """One seed: its frequency in MHz and its slowest path, or why there is none."""

    seed: int
    mhz: float
    path: TimingPath | None
    failure: str | None = None


def pack(netlist: Netlist, target: Target, folder: Path, *, timeout: float) -> dict[str, int]:
    """Cells that ``netlist`` takes, by the keys of :data:`CELLS`.

    Raises :class:`~stellar_synth.tools.ToolError` when nextpnr fails.
    """
    arguments = (*_fresh(netlist, target, folder), "--pack-only")
    run(Job(arguments, folder, "nextpnr.log"), timeout=timeout)
    used = json.loads((folder / "report.json").read_text())["utilization"]
    return {key: used[name]["used"] for key, name in CELLS.items()}


def route(
    netlist: Netlist, target: Target, folder: Path, seeds: Sequence[int], *, timeout: float
) -> Iterator[Routed]:
    """Places and routes with every seed, two at a time; yields them as they end.

    A seed that takes longer than ``timeout`` seconds, or fails, has 0 MHz.
    """
    jobs = []
    for seed in seeds:
        own = folder / f"seed{seed}"
        options = ("--seed", str(seed), "--freq", str(FREQUENCY), "--timing-allow-fail")
        options += ("--placer-heap-timingweight", str(TIMING_WEIGHT))
        jobs.append(Job((*_fresh(netlist, target, own), *options), own, "nextpnr.log"))
    for index, code in run_all(jobs, timeout=timeout):
        own = jobs[index].folder
        if code == 0:
            yield Routed(seeds[index], *_read(own / "report.json"))
        else:
            why = f"no end after {timeout:g} s" if code is None else f"exit code {code}"
            yield Routed(seeds[index], 0, None, f"{why}, see {own / 'nextpnr.log'}")


def _fresh(netlist: Netlist, target: Target, folder: Path) -> tuple[str, ...]:
    """Empties ``folder``, puts the netlist there; the start of nextpnr's arguments."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "netlist.json").hardlink_to(netlist.path)
    files = ("--json", "netlist.json", "--report", "report.json", "--lpf-allow-unconstrained")
    return (command("nextpnr-ecp5"), *target.options, *files)


def _read(report: Path) -> tuple[float, TimingPath]:
    """The frequency and the slowest path of the design's one clock."""
    found = json.loads(report.read_text())
    ((clock, row),) = found["fmax"].items()
    edge = f"posedge {clock}"
    (path,) = (p for p in found["critical_paths"] if (p["from"], p["to"]) == (edge, edge))
    steps = path["path"]
    hops = (
        Hop(step["type"], step["delay"], step["to"]["cell"], step["to"]["port"], step.get("net"))
        for step in steps
    )
    return row["achieved"], TimingPath(steps[0]["from"]["cell"], tuple(hops))
