"""The comparator: its forms say the same, with our model of the carry chain and with yosys' own."""

import numpy as np
import pytest
from amaranth.back import verilog
from amaranth.hdl import Cat, Module, Signal

from stellar_bench.ecp5 import VectorSimulation, cells_text
from stellar_nic.memory import TECHNOLOGIES, WideEqual

from .test_netlist import simulation_library

WIDTHS = (1, 2, 3, 4, 7, 99, 100, 101, 102, 200, 299, 320)
WIDEST = max(WIDTHS)
ROWS = 30_000


@pytest.fixture(scope="module", params=["ours", "yosys"])
def simulation(request):
    m, i = Module(), Signal(2 * WIDEST, name="i")
    found = []
    for width in WIDTHS:
        for technology in TECHNOLOGIES:
            part = WideEqual(width=width, technology=technology)
            m.submodules[f"{technology}_{width}"] = part
            a, b = i[:width], i[WIDEST : WIDEST + width]
            m.d.comb += [part.a.eq(a), part.b.eq(b)]
            found.append(part.equal)
    o = Signal(65, name="o")
    m.d.comb += o.eq(Cat(found))
    top = verilog.convert(m, name="top", ports=[i, o], emit_src=False, strip_internal_attrs=True)
    top = top.replace("module top(", "module top(clk, ", 1).replace(";", "; input clk;", 1)
    library, include = (cells_text(), "") if request.param == "ours" else simulation_library()
    files = {"top.v": top, "library.v": library}
    return VectorSimulation(files, inputs=len(i), outputs=len(o), include=include)


def stimulus(random):
    """Words that differ in no bit, in one or in two, anywhere."""
    a = random.integers(0, 2, (ROWS, WIDEST), dtype=np.uint8)
    b = a.copy()
    for share in (2, 4):
        rows = np.flatnonzero(random.integers(0, share, ROWS) == 0)
        b[rows, random.integers(0, WIDEST, len(rows))] ^= 1
    narrow = np.arange(0, ROWS, 3)
    b[narrow, random.integers(0, 8, len(narrow))] ^= 1
    return np.concatenate([a, b], axis=1)


def test_every_form_says_what_it_must(simulation, seed):
    bits = stimulus(np.random.default_rng(seed))
    a, b = bits[:, :WIDEST], bits[:, WIDEST:]
    out = simulation.run(bits)
    for number, width in enumerate(WIDTHS):
        differ = (a[:, :width] != b[:, :width]).sum(axis=1)
        want = differ == 0
        assert want.any()
        assert (differ == 1).any()
        for at, technology in enumerate(TECHNOLOGIES):
            wrong = np.flatnonzero(out[:, 2 * number + at] != want)
            assert not len(wrong), (width, technology, wrong[:3])


def test_every_single_bit_counts(simulation):
    rows = np.zeros((WIDEST, 2 * WIDEST), dtype=np.uint8)
    rows[:, :WIDEST] ^= np.eye(WIDEST, dtype=np.uint8)
    out = simulation.run(rows)
    for number, width in enumerate(WIDTHS):
        want = np.arange(WIDEST) >= width
        for at in range(len(TECHNOLOGIES)):
            assert (out[:, 2 * number + at] == want).all(), width


@pytest.mark.parametrize("width", [0, -1])
def test_a_wrong_width(width, unused):
    with pytest.raises(ValueError, match=f"width must be at least 1, not {width}"):
        WideEqual(width=width)
