"""``stellar-analyzer`` with the gateware: it agrees, and a wrong constant is found."""

import re

import pytest

from stellar_bench.vectors import FOLDER
from stellar_nic.verilog import write
from stellar_sdk.capture import read_capture
from tests.host.analyzer_run import parse

EXAMPLE = FOLDER.parents[1] / "docs" / "examples" / "stellartp.pcap"
WIDTH = 8


@pytest.fixture
def verilog(tmp_path):
    """Function of a pattern and its replacement: the parser's Verilog with that one edit."""

    def edited(pattern, replacement):
        file = write(tmp_path, "parser", WIDTH)
        text, count = re.subn(pattern, replacement, file.read_text())
        assert count, f"nothing in the exported Verilog matches {pattern!r}"
        file.write_text(text)
        return file

    return edited


def test_gateware_and_model_agree(capsys):
    both = parse(capsys, "-i", EXAMPLE, "--engine", "both", "--width", WIDTH)
    assert (both.code, both.errors) == (0, "")
    assert len(both.objects) == len(list(read_capture(EXAMPLE)))
    assert both.objects == parse(capsys, "-i", EXAMPLE).objects
    assert both.objects == parse(capsys, "-i", EXAMPLE, "--engine", "rtl").objects


def test_one_wrong_constant_is_found(capsys, tmp_path, verilog):
    file = verilog(r"== 16'h86dd", "== 16'h86de")  # IPv6 is not known for what it is
    kept = tmp_path / "kept.pcap"
    arguments = ["--engine", "both", "--width", WIDTH, "--verilog", file, "--counterexample", kept]
    run = parse(capsys, "-i", EXAMPLE, *arguments)
    model = parse(capsys, "-i", EXAMPLE).objects
    bad = next(row["frame"] for row in model if row["ip"] and row["ip"]["version"] == 6)
    assert (run.code, run.objects) == (1, model[: bad - 1])
    assert run.errors.startswith(f"stellar-analyzer: frame {bad}: state.layers differs: model 0x")
    assert "Traceback" not in run.errors
    whole = {frame.number: frame.data for frame in read_capture(EXAMPLE)}
    assert [frame.data for frame in read_capture(kept)] == [whole[bad]]
    again = parse(capsys, "-i", kept, *arguments)
    assert (again.code, again.objects) == (1, [])
    assert again.errors.startswith("stellar-analyzer: frame 1: state.layers differs: model 0x")


def test_verilog_of_something_else_is_bad_input(capsys, tmp_path):
    file = tmp_path / "other.v"
    for text in (None, "module other(clk);\n  input clk;\nendmodule\n"):
        if text:
            file.write_text(text)
        run = parse(capsys, "-i", EXAMPLE, "--engine", "rtl", "--verilog", file)
        assert (run.code, run.objects) == (2, [])
        assert run.errors.startswith("stellar-analyzer: the gateware can't be simulated: ")
        assert str(file) in run.errors
