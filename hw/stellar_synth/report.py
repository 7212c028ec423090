"""Results as text and as JSON."""

import json
from collections import Counter
from pathlib import Path

from .devices import Target
from .measure import INSIDE, Area, Timing, in_harness
from .netlist import OPTIONS
from .place import FREQUENCY, TIMING_WEIGHT, Routed, TimingPath

__all__ = ["area_table", "figures", "modules_table", "path_lines", "timing_lines", "write"]

COLUMNS = (
    ("COMB", "comb"),
    ("LUT4", "lut4"),
    ("FF", "ff"),
    ("EBR", "ebr"),
    ("DSP", "dsp"),
    ("RAMW", "ramw"),
)
KINDS = ("LUT4", "CCU2C", "PFUMX", "L6MUX21", "TRELLIS_FF", "DP16KD", "MULT18X18D", "DPR16X4C")
NAME_LIMIT = 72  # characters of a net's name; the tools make them as long as the path itself


def area_table(area: Area) -> list[str]:
    """What block, harness and both take."""
    lines = ["            " + "".join(f"{head:>8}" for head, _ in COLUMNS)]
    for name, cells in (("block", area.block), ("harness", area.harness), ("total", area.total)):
        lines.append(f"  {name:<10}" + "".join(f"{cells[key]:>8,}" for _, key in COLUMNS))
    return lines


def modules_table(modules: dict[str, Counter]) -> list[str]:
    """The cells of each module, its submodules not among them, largest first."""
    kinds = [kind for kind in KINDS if any(cells[kind] for cells in modules.values())]
    width = max(len(name) for name in modules)
    lines = [f"  {'':<{width}}" + "".join(f"{kind:>12}" for kind in kinds)]
    for name, cells in sorted(modules.items(), key=lambda row: -_luts(row[1])):
        if cells:
            lines.append(f"  {name:<{width}}" + "".join(f"{cells[kind]:>12,}" for kind in kinds))
    return lines


def _luts(cells: Counter) -> int:
    return cells["LUT4"] + 2 * cells["CCU2C"]  # a carry cell has two LUTs


def timing_lines(timing: Timing, latency: int | None) -> list[str]:
    """Frequencies, and the latency at their median."""
    mhz = timing.mhz
    lines = [f"  Fmax MHz  min {min(mhz):.1f}  median {timing.median:.1f}  max {max(mhz):.1f}"]
    if latency is not None:
        lines.append(f"  latency   {latency} cycles, {_ns(latency, timing.median)} at the median")
    for run in timing.runs:
        if run.path is not None and in_harness(run.path):
            lines.append(
                f"  seed {run.seed}: the slowest path is the harness' own; the block is faster"
            )
    return lines


def _ns(cycles: int, mhz: float) -> str:
    return f"{1000 * cycles / mhz:.1f} ns" if mhz else "no figure"


def path_lines(run: Routed) -> list[str]:
    """The slowest path of one seed, net by net."""
    path = run.path
    if path is None:
        return [f"  seed {run.seed}: {run.failure}"]
    lines = [
        f"  critical path of seed {run.seed}, the median: {path.ns():.2f} ns, "
        f"{path.ns('routing'):.2f} of them routing, {path.levels} LUT levels, "
        f"{path.carries} carry cells",
        f"    from {_shown(path.source)}",
        f"    to   {_shown(path.sink)} ({path.hops[-1].port})",
    ]
    return [*lines, "        ns  through", *(f"    {row}" for row in _hops(path))]


def _hops(path: TimingPath) -> list[str]:
    """Each net that is routed in no time left out: it is a connection inside a slice."""
    rows, ns = [], 0.0
    for hop in path.hops:
        ns += hop.ns
        if hop.kind == "routing" and hop.ns > 0 and hop.net is not None:
            net = _shown(hop.net)
            net = net if len(net) <= NAME_LIMIT else f"{net[: NAME_LIMIT - 1]}…"
            rows.append(f"{ns:6.2f}  {net} (+{hop.ns:.2f})")
    return rows


def _shown(name: str) -> str:
    return name.removeprefix(INSIDE) if name.startswith(INSIDE) else f"harness: {name}"


def figures(
    block: str,
    size: tuple[str, int],
    target: Target,
    area: Area,
    timing: Timing,
    latency: int | None,
    versions: dict[str, str],
) -> dict:
    """The results as one object, numbers of the block first."""
    shown = timing.median_run
    path = shown.path
    return {
        "block": block,
        "device": target.device,
        "speed": target.speed,
        size[0]: size[1],
        **area.block,
        "seeds": [run.seed for run in timing.runs],
        "fmax_mhz": [round(mhz, 2) for mhz in timing.mhz],
        "fmax_median_mhz": round(timing.median, 2),
        "latency_cycles": latency,
        "harness": area.harness,
        "total": area.total,
        "critical_path": path
        and {
            "seed": shown.seed,
            "from": _shown(path.source),
            "to": _shown(path.sink),
            "ns": round(path.ns(), 3),
            "routing_ns": round(path.ns("routing"), 3),
            "lut_levels": path.levels,
            "carry_cells": path.carries,
        },
        "failures": {str(run.seed): run.failure for run in timing.runs if run.failure},
        "target_mhz": FREQUENCY,
        "timing_weight": TIMING_WEIGHT,
        "synth_options": list(OPTIONS),
        "versions": versions,
    }


def write(path: Path, results: dict) -> None:
    """Writes ``results`` as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
