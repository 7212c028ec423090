"""docs/dissectors.md: what it shows is run, and gives what it says."""

import re
import shlex
import subprocess
import warnings
from pathlib import Path

from stellar_model import parse
from stellar_spec.codes import Verdict
from stellar_wire.files import FOLDER

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/dissectors.md").read_text(encoding="utf-8")


def block(language):
    [text] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return text


def test_commands(tshark):
    commands, outputs = [], []
    for line in block("console").splitlines():
        if line.startswith("$ "):
            commands.append(shlex.split(line[2:]))
            outputs.append([])
        else:
            outputs[-1].append(line)
    assert len(commands) == 3 and all(outputs)
    for command, output in zip(commands, outputs, strict=True):
        assert command[0] == "tshark"
        result = subprocess.run(
            [tshark, *command[1:]], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
        assert result.stdout.splitlines() == output, result.stderr


def test_python_program():
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Scapy's imports warn of what others will remove one day
        exec(compile(block("python"), "docs/dissectors.md", "exec"), names)
    parsed = parse(names["frame"])
    assert parsed.trailer["verdict"] == Verdict.STELLAR and parsed.trailer["flags"] == 0


def test_c_program(tmp_path):
    (tmp_path / "a.c").write_text(block("c"))
    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-I", FOLDER, tmp_path / "a.c"]
    subprocess.run([*command, "-o", tmp_path / "a"], check=True, timeout=60)
    result = subprocess.run([tmp_path / "a"], capture_output=True, text=True, timeout=10)
    assert (result.returncode, result.stdout) == (0, block("text"))
