"""What a newcomer meets first: make's errors on an incomplete machine, and .ci/run's summary.

The machine is a folder of links that stands alone on PATH; make and .ci/run run in a copy.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MACHINE = ("bash", "sh", "awk", "echo", "mkdir", "touch", "rm", "dirname", "find", "timeout", "wc")


class Machine:
    """A checkout without .venv, and the only folder on its PATH."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.bin = folder / "bin"
        self.bin.mkdir()
        for name in ("tools", ".ci"):
            shutil.copytree(ROOT / name, self.project / name)
        for name in ("Makefile", "pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, self.project)
        for name in MACHINE:
            (self.bin / name).symlink_to(shutil.which(name))

    def program(self, name: str, text: str) -> None:
        """Puts a shell script of this text on PATH."""
        (self.bin / name).write_text("#!/bin/sh\n" + text)
        (self.bin / name).chmod(0o755)

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            command,
            cwd=self.project,
            env={"PATH": str(self.bin), "HOME": str(self.project)} | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def make(self, *arguments: str) -> subprocess.CompletedProcess:
        return self.run(shutil.which("make"), *arguments)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


OLD = 'case "$2" in *join*) echo 3.9.2;; *) exit 1;; esac\n'
NO_VENV = 'case "$2" in *join*) echo 3.11.2;; *ensurepip*) exit 1;; esac\n'


@pytest.mark.parametrize(
    ("python", "message"),
    [
        (None, "no program 'python3'; install Python 3.11 or newer"),
        ("exit 3\n", "'python3' does not run; name a working Python 3.11 or newer"),
        (OLD, "'python3' is Python 3.9.2, too old; name 3.11 or newer: make PYTHON="),
        (NO_VENV, "lacks venv or ensurepip; on Debian and Ubuntu: apt install python3-venv"),
    ],
)
def test_unfit_python_is_named(machine, python, message):
    if python:
        machine.program("python3", python)
    result = machine.make("lint")
    assert result.returncode == 2
    assert result.stderr.startswith("error: ") and message in result.stderr
    assert not (machine.project / ".venv").exists()


def test_missing_compiler_is_named(machine):
    result = machine.make("compiler")
    assert result.returncode == 2
    assert "error: no C++ compiler 'c++', which Verilator calls" in result.stderr

    machine.program("c++", "exit 0\n")
    result = machine.make("compiler")
    assert result.returncode == 2
    assert "error: no usable 'perl', which Verilator calls" in result.stderr

    machine.program("perl", "exit 0\n")
    assert machine.make("compiler").returncode == 0


def test_unknown_waves_setting_is_named(machine):
    result = machine.make("sim", "WAVES=yes")
    assert result.returncode == 2
    assert "WAVES=yes is not known; give WAVES=1 to write waveforms" in result.stderr


def test_help_lists_every_target_that_a_person_calls(machine):
    result = machine.make()
    assert result.returncode == 0
    listed = {line.split()[1] for line in result.stdout.splitlines() if "  make " in line}
    assert {"sim", "test", "lint", "verilog", "docs", "clean", "help"} <= listed


def ci(machine, **environment):
    result = machine.run(shutil.which("bash"), ".ci/run", **environment)
    summary = result.stdout.partition("==== summary\n")[2].splitlines()
    return result, {line.split()[0]: line for line in summary}


def test_ci_runs_every_step_and_sums_up(machine):
    machine.program("make", "exit 0\n")
    result, rows = ci(machine)
    assert result.returncode == 0, result.stderr
    steps = ["install", "lint", "test", "sim", "formal", "mutate", "flow-mutate"]
    steps += ["hostile", "soak", "flow-soak", "port-soak", "total"]
    assert list(rows) == ["step", *steps, "corpus"]
    assert all(rows[name].endswith("passed") for name in steps)
    assert "NOT RUN" in rows["corpus"]


def test_ci_goes_on_after_a_failure_and_ends_red(machine):
    machine.program("make", '[ "$1" != lint ] || exit 2\n')
    result, rows = ci(machine)
    assert result.returncode == 1
    assert rows["lint"].endswith("FAILED (exit 2)")
    assert rows["test"].endswith("passed") and rows["sim"].endswith("passed")
    assert rows["total"].endswith("FAILED")


def test_ci_hands_on_the_corpus_as_an_absolute_path(machine):
    corpus = machine.project / "captures"
    corpus.mkdir()
    (corpus / "a.pcap").write_bytes(b"")
    machine.program("make", f'[ "$STELLAR_CORPUS" = "{corpus}" ]\n')
    result, rows = ci(machine, STELLAR_CORPUS="captures")
    assert result.returncode == 0, result.stdout
    assert rows["corpus"] == "corpus tests: used, 1 captures"


def test_ci_refuses_a_corpus_that_is_not_there(machine):
    machine.program("make", "exit 0\n")
    result, rows = ci(machine, STELLAR_CORPUS="nowhere")
    assert (result.returncode, rows) == (1, {})
    assert "error: STELLAR_CORPUS=nowhere is no folder" in result.stderr


def test_scripts_are_executable():
    for name in (".ci/run", "tools/install.sh", "tools/pins.sh"):
        assert os.access(ROOT / name, os.X_OK), name
