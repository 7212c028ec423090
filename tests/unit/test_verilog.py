"""The export as Verilog: names, the same text in every run, messages."""

import os
import subprocess
import sys

import pytest

from stellar_nic import verilog
from stellar_nic.blocks import Block
from stellar_nic.stream import RegisterSlice

SCRIPT = """
from stellar_nic import verilog
print(verilog.export(verilog.BLOCKS["parser"](1), "parser"))
"""


def slice_of(width):
    if width > 4:
        raise ValueError(f"width is {width}; the slice takes 1 to 4")
    return RegisterSlice(shape=8 * width)


@pytest.fixture
def blocks(monkeypatch):
    block = Block(lambda width, _: slice_of(width), (1, 4))
    slots = Block(lambda size, _: slice_of(size), (2,), 2, "slots")
    named = {"slice": block, "other": block, "table": slots}
    monkeypatch.setattr(verilog, "BLOCKS", named)


def test_the_same_text_whatever_the_hashing_and_the_folder(tmp_path):
    texts = set()
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", SCRIPT]
        shown = subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True)
        texts.add(shown.stdout.decode())
    (text,) = texts
    assert "module parser(" in text
    assert str(tmp_path) not in text
    assert "parser.py" not in text


def test_names_of_ports():
    text = verilog.export(slice_of(2), "register_slice")
    assert "module register_slice(" in text
    for port in ("input [15:0] i__payload;", "input i__valid;", "output i__ready;", "input clk;"):
        assert port in text


@pytest.mark.parametrize("name", ["", "1st", "a b", "a;", "ä"])
def test_wrong_name(name):
    with pytest.raises(ValueError, match=f"module name '{name}' is no Verilog identifier"):
        verilog.export(None, name)


def test_command_writes_one_file_a_block_and_width(blocks, tmp_path, capsys):
    out = tmp_path / "a" / "b"
    assert verilog.main(["--out", str(out)]) == 0
    names = ["other_w1.v", "other_w4.v", "slice_w1.v", "slice_w4.v", "table_s2.v"]
    names.append("stellar_parser_fields.vh")
    assert sorted(path.name for path in out.iterdir()) == sorted(names)
    assert sorted(capsys.readouterr().out.split()) == sorted(str(out / name) for name in names)
    for name in names[:-1]:
        assert f"module {name.removesuffix('.v')}(" in (out / name).read_text()


def test_command_of_one_block(blocks, tmp_path):
    assert verilog.main(["--out", str(tmp_path), "--block", "slice", "--width", "2"]) == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["slice_w2.v", "stellar_parser_fields.vh"]


def test_wrong_commands(blocks, tmp_path, capsys):
    assert verilog.main(["--out", str(tmp_path), "--width", "8", "--block", "slice"]) == 2
    assert "slice at width 8: width is 8; the slice takes 1 to 4" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        verilog.main(["--out", str(tmp_path), "--block", "nonesuch"])
    assert stopped.value.code == 2
    assert "invalid choice: 'nonesuch' (choose from" in capsys.readouterr().err
    file = tmp_path / "file"
    file.touch()
    assert verilog.main(["--out", str(file), "--block", "slice", "--width", "1"]) == 2
    assert "exists" in capsys.readouterr().err
    with pytest.raises(ValueError, match="no block is called 'nonesuch'; there are: other, slice"):
        verilog.write(tmp_path, "nonesuch", 1)
