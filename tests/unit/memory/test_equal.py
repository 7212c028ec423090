"""Generic components, those of ECP5 cells and a model of both say the same in every cycle."""

import numpy as np
import pytest

from stellar_bench.ecp5 import VectorSimulation, cells_text
from stellar_nic.memory import TECHNOLOGIES, OutputRAM, PairRAM, PipelinedMultiplier

from .rams import INPUTS, Bench, expected, stimulus

CYCLES = 12_000
BOTH = (
    *((347, 512), (135, 2048), (36, 16), (36, 1024), (29, 2), (29, 512), (29, 4096)),
    *((10, 2048), (10, 8192), (3, 16384), (2, 32768)),
)
PAIRS = ((347, 512), (20, 2), (9, 1024), (11, 2048), (5, 4096), (3, 8192), (2, 16384))
THREE_PORTS = ((36, 512), (11, 2048), (20, 2))
# The generic ones say in their Verilog that each word is 0 at first.
ECP5_ALONE, ECP5_ALONE_THREE_PORTS = ((2, 65536),), ((2, 32768),)


@pytest.fixture(scope="module")
def components():
    rams = [(*shape, technology) for shape in BOTH for technology in TECHNOLOGIES]
    rams += [(*shape, "ecp5") for shape in ECP5_ALONE]
    made = [OutputRAM(width=w, depth=d, technology=t) for w, d, t in rams]
    made += [PairRAM(width=w, depth=d, technology=t) for w, d in PAIRS for t in TECHNOLOGIES]
    pairs = [(*shape, technology) for shape in THREE_PORTS for technology in TECHNOLOGIES]
    pairs += [(*shape, "ecp5") for shape in ECP5_ALONE_THREE_PORTS]
    made += [PairRAM(width=w, depth=d, ports=3, technology=t) for w, d, t in pairs]
    return made + [PipelinedMultiplier(technology=technology) for technology in TECHNOLOGIES]


@pytest.fixture(scope="module")
def run(components, seed):
    bench = Bench(components)
    files = {"top.v": bench.text, "cells.v": cells_text()}
    simulation = VectorSimulation(files, inputs=INPUTS, outputs=bench.outputs)
    bits = stimulus(np.random.default_rng(seed), CYCLES, [depth for _, depth in BOTH])
    out = simulation.run(bits)
    return bits, [out[:, columns] for columns in bench.columns]


def name(component):
    if isinstance(component, PipelinedMultiplier):
        return f"multiplier, {component.technology}"
    kind = type(component).__name__
    if isinstance(component, PairRAM):
        kind += f" of {component.ports} ports"
    return f"{kind}, {component.width} bits, {component.depth} words, {component.technology}"


def test_all_say_what_they_must(components, run):
    bits, outputs = run
    wrong = {}
    for component, output in zip(components, outputs, strict=True):
        want, counts = expected(component, bits)
        assert counts.mean() > 0.4 and (want & counts).any(axis=1).mean() > 0.05, name(component)
        differ = ((output != want) & counts).any(axis=1)
        if differ.any():
            wrong[name(component)] = (int(differ.sum()), int(differ.argmax()))
    assert not wrong, "component: (cycles that differ, the first)"
