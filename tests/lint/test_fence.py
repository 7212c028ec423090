"""Each rule of the fence goes red on a tree that breaks it, and the real tree is clean."""

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import fence

ROOT = Path(__file__).resolve().parents[2]
GOOD = '"""A module."""\n\n__all__ = []\n'


@pytest.fixture
def tree(tmp_path):
    """A small clean tree with every fenced package."""
    for folder in (*fence.ALLOWED, *fence.APART, "sim/stellar_bench", "host/stellar_sdk"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "__init__.py").write_text('"""A package."""\n')
    assert fence.check(tmp_path) == []
    return tmp_path


def only_finding(tree, path, text):
    (tree / path).write_text(text)
    [finding] = fence.check(tree)
    assert finding.path == path
    return finding


@pytest.mark.parametrize(
    ("path", "line", "module"),
    [
        ("sim/stellar_model/a.py", "import amaranth", "amaranth"),
        ("sim/stellar_model/a.py", "from amaranth.lib import data", "amaranth.lib"),
        ("sim/stellar_model/a.py", "import stellar_nic.parse as p", "stellar_nic.parse"),
        ("sim/stellar_model/a.py", "def f():\n    import stellar_nic", "stellar_nic"),
        ("hw/stellar_spec/a.py", "import amaranth", "amaranth"),
        ("hw/stellar_spec/a.py", "from stellar_nic import parse", "stellar_nic"),
        ("hw/stellar_spec/a.py", "import numpy", "numpy"),
        ("hw/stellar_spec/a.py", "import stellar_model", "stellar_model"),
    ],
)
def test_fenced_package_imports_only_what_is_listed(tree, path, line, module):
    finding = only_finding(tree, path, GOOD + line + "\n")
    assert finding.rule == "imports"
    assert f"imports {module}; allowed here: standard library" in finding.message


def test_indirect_import_is_stopped_at_the_first_step(tree):
    (tree / "sim/stellar_bench/helper.py").write_text(GOOD + "import amaranth\n")
    text = GOOD + "from stellar_bench import helper\n"
    finding = only_finding(tree, "sim/stellar_model/a.py", text)
    assert (finding.rule, finding.line) == ("imports", 4)


def test_lists_open_no_way_around():
    """Every listed package is numpy or fenced itself, so no list leads to Amaranth."""
    fenced = {Path(folder).name for folder in fence.ALLOWED}
    for allowed in fence.ALLOWED.values():
        assert allowed <= fenced | {"numpy"}


def test_allowed_imports_pass(tree):
    text = GOOD + "import zlib\nimport numpy as np\nfrom stellar_spec import x\nfrom . import y\n"
    (tree / "sim/stellar_model/a.py").write_text(text)
    (tree / "hw/stellar_spec/a.py").write_text(GOOD + "import enum\nimport stellar_spec.b\n")
    (tree / "hw/stellar_nic/a.py").write_text(GOOD + "import amaranth\nimport stellar_spec\n")
    assert fence.check(tree) == []


@pytest.mark.parametrize("module", ["stellar_model", "stellar_bench.sources"])
def test_gateware_stays_apart_from_its_judges(tree, module):
    finding = only_finding(tree, "hw/stellar_nic/a.py", GOOD + f"import {module}\n")
    assert finding.rule == "apart"
    assert f"imports {module}" in finding.message


@pytest.mark.parametrize(
    "line", ["from importlib import import_module", "x = __import__('amaranth')", "exec('x')"]
)
def test_import_by_name_is_refused(tree, line):
    finding = only_finding(tree, "sim/stellar_model/a.py", GOOD + line + "\n")
    assert (finding.rule, finding.line) == ("dynamic", 4)


def test_future_annotations_are_refused_under_hw_only(tree):
    text = "from __future__ import annotations\n\n__all__ = []\n"
    (tree / "host/stellar_sdk/a.py").write_text(text)
    finding = only_finding(tree, "hw/stellar_nic/a.py", text)
    assert (finding.rule, finding.line) == ("future", 1)


@pytest.mark.parametrize("folder", ["host/stellar_sdk", "sim/stellar_bench", "tools"])
def test_scapy_is_for_tests_only(tree, folder):
    for each in (folder, "tests"):
        (tree / each).mkdir(exist_ok=True)
    (tree / "tests/test_a.py").write_text("from scapy.all import IP\n")
    finding = only_finding(tree, f"{folder}/a.py", GOOD + "from scapy.all import IP\n")
    assert finding.rule == "scapy"


def test_scapy_may_be_imported_by_the_one_layer(tree):
    (tree / fence.SCAPY_LAYER).parent.mkdir(exist_ok=True)
    (tree / fence.SCAPY_LAYER).write_text(GOOD + "from scapy.fields import BitField\n")
    assert fence.check(tree) == []


@pytest.mark.parametrize(
    "text",
    [
        "import stellar_wire.scapy_layer",
        "from stellar_wire import scapy_layer",
        "from stellar_wire.scapy_layer import StellarTP",
        "from . import scapy_layer as tp",
        "def f():\n    from .scapy_layer import bind",
    ],
)
def test_the_scapy_layer_is_imported_by_tests_only(tree, text):
    (tree / "host/stellar_wire").mkdir()
    finding = only_finding(tree, "host/stellar_wire/a.py", GOOD + text + "\n")
    assert finding.rule == "scapy"


def test_module_without_all_is_found(tree):
    finding = only_finding(tree, "host/stellar_sdk/a.py", '"""A module."""\n\nX = 1\n')
    assert finding.rule == "all"


def test_module_that_cannot_be_parsed_is_found(tree):
    finding = only_finding(tree, "host/stellar_sdk/a.py", GOOD + "def f(:\n")
    assert (finding.rule, finding.line) == ("syntax", 4)


def test_program_exit_codes(tree, tmp_path_factory):
    program = [sys.executable, str(ROOT / "tools/fence.py")]
    clean = subprocess.run([*program, str(tree)], capture_output=True, text=True, timeout=60)
    assert (clean.returncode, clean.stdout) == (0, "fence: clean\n")

    (tree / "sim/stellar_model/a.py").write_text(GOOD + "import amaranth\n")
    bad = subprocess.run([*program, str(tree)], capture_output=True, text=True, timeout=60)
    assert bad.returncode == 1
    assert bad.stdout.startswith("sim/stellar_model/a.py:4: imports: imports amaranth;")

    empty = tmp_path_factory.mktemp("empty")
    none = subprocess.run([*program, str(empty)], capture_output=True, text=True, timeout=60)
    assert none.returncode == 2
    assert "holds no Python module to guard" in none.stderr


def test_real_tree_is_clean():
    assert fence.check(ROOT) == []


LOADED = """
import importlib, pkgutil, sys
import stellar_model, stellar_spec
for package in (stellar_spec, stellar_model):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
assert "stellar_spec" in sys.modules and "stellar_model" in sys.modules
print(*sorted(name for name in sys.modules if name.split(".")[0] in sys.argv[1:]))
"""


def test_nothing_forbidden_is_loaded_at_run_time():
    """What the source rules may miss: import every fenced module and look at what was loaded."""
    forbidden = ["amaranth", "stellar_nic", "stellar_bench", "scapy", "cocotb"]
    command = [sys.executable, "-c", LOADED, *forbidden]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr


@pytest.mark.parametrize(
    "package", ["stellar_spec", "stellar_model", "stellar_nic", "stellar_sdk", "stellar_wire"]
)
def test_every_public_name_can_be_imported(package):
    root = importlib.import_module(package)
    names = [m.name for m in pkgutil.walk_packages(root.__path__, package + ".")]
    for name in [package, *(n for n in names if not n.endswith(".__main__"))]:
        module = importlib.import_module(name)
        missing = [n for n in getattr(module, "__all__", []) if not hasattr(module, n)]
        assert missing == [], name
