"""The test run's own promises: no silent skip, one printed seed, clear words for bad settings.

Each test runs pytest on a small tree that holds a copy of tests/conftest.py.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKERS = pytest.mark.parametrize("workers", [0, 2])


@pytest.fixture
def run(tmp_path):
    """Runs pytest on ``files`` (name: text) with the given settings in the environment."""
    shutil.copy(ROOT / "tests/conftest.py", tmp_path / "conftest.py")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\n")

    def run(files, workers=0, **settings):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        environment = {
            k: v for k, v in os.environ.items() if not k.startswith(("STELLAR", "PYTEST"))
        }
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-n", str(workers), "-p", "no:cacheprovider"],
            cwd=tmp_path,
            env=environment | settings,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


PASS = "def test_pass():\n    assert True\n"
MARKED = "import pytest\n@pytest.mark.{}(reason='too slow today')\ndef test_a():\n    assert 0\n"
SKIPS = {
    "test_call.py": "import pytest\ndef test_a():\n    pytest.skip('too slow today')\n",
    "test_mark.py": MARKED.format("skip"),
    "test_module.py": "import pytest\npytest.skip('too slow today', allow_module_level=True)\n",
    "test_xfail.py": MARKED.format("xfail"),
}


@WORKERS
def test_skip_without_leave_is_listed(run, workers):
    result = run({"test_pass.py": PASS, **SKIPS}, workers)
    assert result.returncode == 1, result.stdout
    lines = [line for line in result.stdout.splitlines() if line.startswith("NOT ALLOWED")]
    assert [line.split(": ")[1].partition("::")[0] for line in lines] == sorted(SKIPS)
    assert all(line.endswith("too slow today") for line in lines)
    assert "4 not run, 4 of them without leave" in result.stdout


@pytest.mark.parametrize("name", SKIPS)
def test_each_skip_without_leave_is_red(run, name):
    result = run({"test_pass.py": PASS, name: SKIPS[name]})
    assert result.returncode == 1, result.stdout


CORPUS = "def test_a(corpus):\n    assert [p.name for p in corpus.iterdir()] == ['a.pcap']\n"


@WORKERS
def test_absent_corpus_is_listed_and_green(run, workers):
    result = run({"test_pass.py": PASS, "test_corpus.py": CORPUS}, workers)
    assert result.returncode == 0, result.stdout
    line = "not run: test_corpus.py::test_a: no corpus: STELLAR_CORPUS is not set"
    assert line in result.stdout.splitlines()
    assert "1 not run, 0 of them without leave" in result.stdout


def test_corpus_reaches_the_test(run, tmp_path):
    (tmp_path / "captures").mkdir()
    (tmp_path / "captures/a.pcap").write_bytes(b"")
    result = run({"test_corpus.py": CORPUS}, STELLAR_CORPUS="captures")
    assert result.returncode == 0, result.stdout
    assert "0 not run" in result.stdout
    assert f"corpus: {tmp_path / 'captures'}" in result.stdout


@pytest.mark.parametrize("folder", ["nowhere", "empty"])
def test_wrong_corpus_is_an_error(run, tmp_path, folder):
    (tmp_path / "empty").mkdir()
    result = run({"test_pass.py": PASS}, STELLAR_CORPUS=folder)
    assert result.returncode == 4
    assert f"STELLAR_CORPUS={folder!r} is no folder with *.pcap or *.pcapng" in result.stderr


SEED = "def test_a(seed):\n    assert seed == {}\n"


@pytest.mark.parametrize(
    ("workers", "settings", "seed"), [(0, {}, 1), (2, {"STELLAR_SEED": "7"}, 7)]
)
def test_seed_reaches_the_test_and_is_printed(run, workers, settings, seed):
    result = run({"test_seed.py": SEED.format(seed)}, workers, **settings)
    assert result.returncode == 0, result.stdout
    assert f"seed {seed} (repeat with SEED={seed})" in result.stdout


@pytest.mark.parametrize("text", ["-1", "0x10", "4294967296", "²"])
def test_wrong_seed_is_an_error(run, text):
    result = run({"test_pass.py": PASS}, STELLAR_SEED=text)
    assert result.returncode == 4
    assert f"STELLAR_SEED={text!r} is no seed; give a decimal number from 0 to" in result.stderr


HYPOTHESIS = """
from hypothesis import given, settings, strategies
@settings(max_examples=5, database=None)
@given(strategies.integers())
def test_a(number):
    print("drew", number)
"""


@pytest.mark.parametrize("ci", ["", "true"])
def test_seed_rules_hypothesis(run, ci):
    def drawn(seed):
        settings = {"STELLAR_SEED": seed, "PYTEST_ADDOPTS": "-rP", "CI": ci}
        out = run({"test_hypothesis.py": HYPOTHESIS}, **settings).stdout
        return [line for line in out.splitlines() if line.startswith("drew")]

    first = drawn("3")
    assert len(first) == 5
    assert drawn("3") == first
    assert drawn("4") != first


def test_equal_names_in_two_folders(run):
    result = run({"a/test_x.py": PASS, "b/test_x.py": PASS})
    assert result.returncode == 0, result.stdout
    assert "2 passed" in result.stdout


def test_no_test_is_no_success(run):
    assert run({"other.py": ""}).returncode == 5


TSHARK = "def test_a(tshark):\n    assert tshark\n"
EMPTY = "no-such-folder"


@WORKERS
def test_absent_tshark_is_listed_and_green(run, workers):
    result = run({"test_pass.py": PASS, "test_tshark.py": TSHARK}, workers, PATH=EMPTY)
    assert result.returncode == 0, result.stdout
    assert "not run: test_tshark.py::test_a: no tshark: there is no such program" in result.stdout
    assert "1 not run, 0 of them without leave" in result.stdout


@WORKERS
def test_absent_tshark_is_red_where_it_is_required(run, workers):
    files = {"test_pass.py": PASS, "test_tshark.py": TSHARK}
    result = run(files, workers, PATH=EMPTY, STELLAR_TSHARK="required")
    assert result.returncode == 1, result.stdout
    assert "STELLAR_TSHARK=required, but no program 'tshark'; on Debian" in result.stdout
    assert "0 not run" in result.stdout


def test_unknown_tshark_setting_is_named(run):
    result = run({"test_pass.py": PASS}, STELLAR_TSHARK="yes")
    assert result.returncode == 4
    message = "STELLAR_TSHARK='yes' is not known; give 'required', or leave it out"
    assert message in result.stdout + result.stderr
