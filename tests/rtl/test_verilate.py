"""The cache of Verilator builds: one build for many, none from a failed or interrupted one."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stellar_bench import verilate
from stellar_bench.verilate import BuildError, cached, content_key

BUILDER = """
import pathlib, sys, time
from stellar_bench.verilate import cached

def build(folder):
    with open(sys.argv[1], "a") as log:
        log.write("build\\n")
    (folder / "half").touch()
    time.sleep(float(sys.argv[2]))
    (folder / "product").write_text("whole")

print(cached("block", "0123", build))
"""


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("STELLAR_BUILD", str(tmp_path / "build"))
    return tmp_path / "build"


def start(count, seconds):
    """A process that builds for ``seconds`` and counts its builds in the file ``count``."""
    command = [sys.executable, "-c", BUILDER, str(count), str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def wait_for(path, seconds=20):
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear in {seconds} s"
        time.sleep(0.02)


def test_processes_at_once_build_once(root, tmp_path):
    count = tmp_path / "count"
    processes = [start(count, 0.5) for _ in range(4)]
    folders = {process.communicate(timeout=60)[0].strip() for process in processes}
    assert [process.returncode for process in processes] == [0] * 4
    assert folders == {str(root / "verilator" / "block-0123")}
    assert count.read_text() == "build\n"
    assert (root / "verilator" / "block-0123" / "product").read_text() == "whole"


def test_a_killed_build_is_built_anew(root, tmp_path):
    count = tmp_path / "count"
    killed = start(count, 600)
    wait_for(root / "verilator" / "block-0123" / "half")
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=20)
    after = start(count, 0)
    after.communicate(timeout=60)
    assert (after.returncode, count.read_text()) == (0, "build\nbuild\n")


def test_a_failed_build_is_built_anew_and_keeps_its_log():
    built = []

    def fail(folder):
        built.append(sorted(path.name for path in folder.iterdir()))
        (folder / "rest").touch()
        verilate.run(["sh", "-c", "seq 100; echo no such luck >&2; exit 3"], folder)

    for _ in range(2):
        with pytest.raises(
            BuildError, match="(?s)sh failed with exit code 3\nend of .*build.log"
        ) as e:
            cached("block", "1", fail)
        lines = str(e.value).splitlines()
        assert (len(lines), lines[-1].strip(), lines[-2].strip()) == (22, "no such luck", "100")
    assert built == [[], []]
    folder = cached("block", "1", lambda folder: (folder / "product").touch())
    assert cached("block", "1", fail) == folder


def test_key_depends_on_every_part():
    keys = [content_key(*parts) for parts in (["ab", "c"], ["a", "bc"], ["abc"], ["c", "ab"], [])]
    assert len(set(keys)) == len(keys)
    assert content_key("ab", b"c") == keys[0]
    assert all(len(key) == 16 for key in keys)


def test_tools_are_part_of_the_key(monkeypatch, tmp_path):
    other = tmp_path / "other-g++"
    other.write_text("#!/bin/sh\necho another compiler\n")
    other.chmod(0o755)
    before = verilate.tool_versions()
    monkeypatch.setenv("CXX", str(other))
    assert verilate.compiler() == str(other)
    assert "another compiler\n" in verilate.tool_versions() != before


def test_missing_tools(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(
        BuildError, match=r"no C\+\+ compiler: g\+\+ or c\+\+ is not on PATH; install"
    ):
        verilate.compiler()
    monkeypatch.setenv("CXX", "clang-99")
    with pytest.raises(BuildError, match=r"no C\+\+ compiler: clang-99 is not on PATH"):
        verilate.tool_versions()
    with pytest.raises(BuildError, match=r"perl is not on PATH; install it"):
        verilate.cocotb_build("module a; endmodule", "a")
    (tmp_path / "perl").touch(0o755)
    with pytest.raises(BuildError, match=r"make is not on PATH; install it"):
        verilate.cocotb_build("module a; endmodule", "a")
    with pytest.raises(BuildError, match=r"cannot run nonesuch: No such file"):
        verilate.run(["nonesuch"], tmp_path)


def test_environment_of_verilator():
    env = verilate.verilator_env()
    command = ["verilator", "--version"]
    shown = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert "rev" in shown.stdout
    found = shutil.which("verilator", path=env["PATH"])
    assert Path(found) == verilate.verilator_root() / "bin" / "verilator"
    assert env["PATH"].endswith(os.environ["PATH"])


def test_build_for_cocotb_shows_what_is_wrong(root):
    wrong = "module a(input clk);\nassign nonsense = ;\nendmodule\n"
    environment = dict(os.environ)
    with pytest.raises(BuildError, match="(?s)build of a for cocotb: .*build.log.*syntax error"):
        verilate.cocotb_build(wrong, "a")
    assert dict(os.environ) == environment


def test_where_builds_stand(monkeypatch, root, tmp_path):
    assert verilate.build_dir("a", "b") == root / "verilator" / "a-b"
    monkeypatch.delenv("STELLAR_BUILD")
    assert (verilate.build_root().parent / "pyproject.toml").is_file()
    installed = tmp_path / "site-packages" / "stellar_bench" / "verilate.py"
    monkeypatch.setattr(verilate, "__file__", str(installed))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert verilate.build_root() == tmp_path / "cache" / "stellar-nic"
