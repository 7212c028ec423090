"""Verilog on arrays: a row of inputs for each cycle in, a row of outputs out."""

import ctypes
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from .. import verilate

__all__ = ["VectorSimulation"]

HERE = Path(__file__).parent
LIBRARY, MAIN = "library.so", "run.cpp"
VERILATOR_FLAGS = (
    *("--cc", "--prefix", "Vtop", "--top-module", "top", "--output-split", "0", "--Mdir", "cpp"),
    *("-O3", "-Wno-fatal", "-Wno-lint", "-Wno-style"),
)
CXX_FLAGS = (
    *("-std=c++17", "-fPIC", "-fvisibility=hidden", "-O0"),  # what counts is the build's time
    *("-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0", "-DVM_TRACE=0"),
)
RUNTIME = ("verilated.cpp", "verilated_threads.cpp")
LEAST_BITS = 65  # from here on Verilator has a port as an array of words


class VectorSimulation:
    """A Verilated module ``top`` with the ports ``clk``, ``i`` and ``o``, built once.

    Parameters
    ----------
    files
        Name → Verilog text; the first has ``top``.
    inputs, outputs
        Bits of ``i`` and of ``o``, at least 65.
    include
        A folder for `` `include``, and further files of the installed tools by their path.

    Raises ``ValueError`` for too few bits, :class:`~stellar_bench.verilate.BuildError` when a tool
    fails.
    """

    def __init__(self, files: Mapping[str, str], *, inputs: int, outputs: int, include: str = ""):
        if min(inputs, outputs) < LEAST_BITS:
            raise ValueError(
                f"i and o must have at least {LEAST_BITS} bits, not {inputs}, {outputs}"
            )
        self._inputs, self._outputs = inputs, outputs
        words = {"IN": self._words(inputs), "OUT": self._words(outputs)}
        macros = tuple(f"-D{name}_WORDS={count}" for name, count in words.items())
        flags = (*VERILATOR_FLAGS, *([f"-I{include}"] if include else []))
        main = (HERE / MAIN).read_bytes()
        versions = verilate.tool_versions()
        key = verilate.content_key(*files.values(), main, *flags, *CXX_FLAGS, *macros, *versions)
        folder = verilate.cached("vectors", key, lambda at: _build(at, files, flags, macros))
        self._run = ctypes.CDLL(str(folder / LIBRARY)).run
        self._run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self._run.restype = None

    def run(self, bits: np.ndarray) -> np.ndarray:
        """The outputs of each cycle, from power-up on.

        ``bits`` has a row for each cycle and a column for each bit of ``i``, from its lowest up;
        what it returns has the same of ``o``. Outputs are those of before the cycle's clock edge.
        """
        if bits.ndim != 2 or bits.shape[1] != self._inputs:
            raise ValueError(f"bits must have {self._inputs} columns, not the shape {bits.shape}")
        rows = np.zeros((len(bits), 4 * self._words(self._inputs)), dtype=np.uint8)
        packed = np.packbits(bits, axis=1, bitorder="little")
        rows[:, : packed.shape[1]] = packed
        out = np.zeros((len(bits), 4 * self._words(self._outputs)), dtype=np.uint8)
        self._run(rows.ctypes.data, out.ctypes.data, len(bits))
        return np.unpackbits(out, axis=1, count=self._outputs, bitorder="little")

    @staticmethod
    def _words(bits: int) -> int:
        return -(-bits // 32)


def _build(folder: Path, files: Mapping[str, str], flags: tuple, macros: tuple) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    verilator = str(verilate.verilator_root() / "bin" / "verilator_bin")
    verilate.run([verilator, *flags, *files], folder, verilate.verilator_env())
    units = [*sorted((folder / "cpp").glob("*.cpp")), HERE / MAIN]
    command = [*_compiler(), *macros, "-Icpp", *map(str, units), *_runtime()]
    verilate.run([*command, "-shared", "-pthread", "-o", LIBRARY], folder)


def _compiler() -> list[str]:
    root = verilate.verilator_root() / "include"
    return [verilate.compiler(), *CXX_FLAGS, f"-I{root}", f"-I{root / 'vltstd'}"]


def _runtime() -> list[str]:
    """Object files of Verilator's own C++, the same for all designs."""

    def build(folder):
        for name in RUNTIME:
            source = str(verilate.verilator_root() / "include" / name)
            verilate.run([*_compiler(), "-c", source], folder)

    key = verilate.content_key("vectors", *CXX_FLAGS, *verilate.tool_versions())
    folder = verilate.cached("runtime", key, build)
    return [str(folder / name.replace(".cpp", ".o")) for name in RUNTIME]
