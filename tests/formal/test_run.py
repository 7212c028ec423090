"""The runner's judgement: with the real tools on a small design, and on tools that fail."""

import dataclasses
import shutil
import uuid

import pytest

from stellar_bench.verilate import build_root
from stellar_formal import Twin
from stellar_formal.report import line, summary
from stellar_formal.sby import run_sby
from stellar_formal.shims import make_shims
from stellar_formal.tasks import run, tasks_of
from tests.formal.wheel import PROOF, TWIN, Wheel


@pytest.fixture
def root():
    """A folder in build/: the tools do not see /tmp."""
    folder = build_root() / f"formal_test_{uuid.uuid4().hex[:8]}"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def results(proof, root):
    bin = make_shims(root / "bin")
    return {task.name: run(task, root, bin) for task in tasks_of(proof)}


@pytest.mark.parametrize(("engine", "depth"), [("pdr", 1), ("induction", 2)])
def test_a_good_proof(root, engine, depth):
    proof = dataclasses.replace(PROOF, engine=engine, depth=depth)
    found = results(proof, root)
    assert {name: result.fault for name, result in found.items()} == {
        "proof": "",
        "twin: does not wrap": "",
        "cover": "",
    }
    twin = found["twin: does not wrap"].outcome
    assert (twin.status, twin.failed) == ("FAIL", "never above five")
    assert twin.trace.is_file()
    text = line(proof, list(found.values()))
    assert text.endswith("proof PASS / twins fail 1 of 1 / covers 1 of 1")
    assert summary([list(found.values())], 1).endswith("\n1 passed, 0 failed")


def _too_strict(top):
    dut = Wheel()
    top.design(dut)
    top.prove(dut.count <= 4, "never above four")
    top.cover(dut.count == 5, "five")
    top.cover(dut.count == 7, "seven")


def _harmless(m, s):
    m.d.comb += s.wrap.eq(s.count == 5)


def test_what_is_wrong_is_told(root):
    proof = dataclasses.replace(PROOF, build=_too_strict)
    found = results(proof, root)
    assert found["proof"].fault.startswith("never above four; waveform: ")
    assert found["proof"].outcome.trace.is_file()
    assert "only 1 of 2 covers are reached" in found["cover"].fault
    text = line(proof, list(found.values()))
    assert "proof FAIL / twins fail 1 of 1 / covers 1 of 2\n  FAILED proof: never above" in text
    assert summary([list(found.values())], 1).endswith("\n0 passed, 1 failed")


def test_a_step_that_fails_is_neither_proof_nor_refutation(root):
    def build(top):
        dut = Wheel()
        top.design(dut)
        top.prove(dut.count != 7, "never seven")
        top.cover(dut.count == 5, "five")

    [task, *_] = tasks_of(
        dataclasses.replace(PROOF, build=build, engine="induction", depth=1, timeout=60)
    )
    result = run(task, root, make_shims(root / "bin"))
    assert result.outcome.status == "UNKNOWN"
    assert result.fault.startswith("UNKNOWN, neither proved nor refuted (never seven); waveform: ")
    assert result.outcome.trace.name == "trace_induct.vcd"


def test_a_harmless_twin_is_a_failure(root):
    [_, task, _] = tasks_of(dataclasses.replace(PROOF, twins=(Twin("harmless", _harmless),)))
    result = run(task, root, make_shims(root / "bin"))
    assert result.fault == "the twin does not fail within 12 cycles"


def test_a_bound_too_small_sees_nothing_and_pdr_does(root):
    bin = make_shims(root / "bin")
    rtlil = PROOF.top(TWIN).rtlil()  # shows six in the seventh cycle
    ends = {
        (engine, depth): run_sby(
            root / "run", rtlil, engine=engine, depth=depth, timeout=60, bin=bin
        ).status
        for engine, depth in (("bmc", 6), ("bmc", 7), ("pdr", 1))
    }
    assert ends == {("bmc", 6): "PASS", ("bmc", 7): "FAIL", ("pdr", 1): "FAIL"}


@pytest.mark.parametrize(
    ("name", "tool", "fault"),
    [
        ("proof", "exit 3", "ERROR, see "),
        ("twin: does not wrap", "exit 3", "ERROR, see "),
        ("cover", "exit 3", "ERROR, see "),
        ("twin: does not wrap", "exec sleep 60", "TIMEOUT after 1 s, see "),
    ],
)
def test_tools_that_fail_or_hang_are_failures(root, name, tool, fault):
    [task] = [t for t in tasks_of(dataclasses.replace(PROOF, timeout=1)) if t.name == name]
    bin = make_shims(root / "bin")
    (bin / "yosys").write_text(f"#!/bin/sh\n{tool}\n")
    assert run(task, root, bin).fault.startswith(fault)


def test_a_proof_that_cannot_be_built_is_a_failure(root):
    twin = Twin("no such place", _harmless, at="nowhere")
    [_, task, _] = tasks_of(dataclasses.replace(PROOF, twins=(twin,)))
    result = run(task, root, root / "bin")
    assert result.fault.startswith("cannot be built: no submodule 'nowhere'")
