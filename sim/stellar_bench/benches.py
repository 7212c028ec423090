"""The benches: which block is simulated at which widths, and with which cocotb tests.

A block that joins adds its rows to ``BENCHES``; nothing else has to know of it.
"""

import importlib
import os
from dataclasses import dataclass
from pathlib import Path

from .verilate import read_verilog

__all__ = ["BENCHES", "Bench", "BenchError", "select"]


class BenchError(Exception):
    """A request that can't be served; the message says what would be right."""


@dataclass(frozen=True)
class Bench:
    """One block at one width, and the module with its cocotb tests.

    ``block`` is a name in ``stellar_nic.verilog.BLOCKS``.  ``testbench`` is the full dotted name
    of a module that lists its tests in ``TESTS``.  ``share`` scales the number of frames: a narrow
    block takes more cycles for each.  ``optimize``: whether the C++ compiler is to; for few frames
    a quick build matters more.  ``letter`` stands in front of the width in the name, as in
    ``stellar_nic.blocks``; for ``s`` it is the number of slots.
    """

    block: str
    width: int
    testbench: str
    share: float = 1.0
    optimize: bool = True
    letter: str = "w"

    @property
    def name(self) -> str:
        """Name on the command line and of the top module, e.g. ``parser_w8``."""
        return f"{self.block}_{self.letter}{self.width}"

    @property
    def tests(self) -> tuple[str, ...]:
        """Names of the tests that a run executes, in order."""
        return tuple(importlib.import_module(self.testbench).TESTS)

    @property
    def override(self) -> str:
        """The environment variable that names a Verilog file to take in place of the block's."""
        return f"STELLAR_VERILOG_{self.name.upper()}"

    def verilog(self) -> str | Path:
        """The block's Verilog: the file that ``override`` names, or the gateware's own text.

        Raises ``BenchError`` if that file is not there, or no text.
        """
        if given := os.environ.get(self.override):
            if not Path(given).is_file():
                raise BenchError(
                    f"{self.override}={given!r} is no file; "
                    f"name a Verilog file with the top module {self.name!r}"
                )
            try:
                read_verilog(Path(given))
            except (OSError, ValueError) as error:
                raise BenchError(f"{self.override}: {error}") from None
            return Path(given).resolve()
        from stellar_nic import verilog  # half a second that a mere listing does not need

        return verilog.export(verilog.BLOCKS[self.block](self.width), self.name)


_AXI = "stellar_bench.testbenches.parser_axi"

BENCHES = (
    Bench("parser", 8, "stellar_bench.testbenches.parser"),
    Bench("parser", 1, "stellar_bench.testbenches.parser", share=0.35),
    Bench("parser_axi", 8, _AXI, share=0.08, optimize=False),
    Bench("parser_axi", 1, _AXI, share=0.025, optimize=False),
    Bench("flow_table", 64, "stellar_bench.testbenches.flow_table", optimize=False, letter="s"),
)
"""All benches; the other widths run in Amaranth's simulator (tests/unit)."""


def select(pattern: str | None, benches: tuple[Bench, ...] = BENCHES) -> dict[Bench, list[str]]:
    """The tests that ``pattern`` names: all that have it in ``bench.test``; ``None``: all.

    A pattern that is a whole name (``parser_w8.full_rate``) names that one alone.

    Raises
    ------
    BenchError
        If it names none.
    """
    names = {(bench, test): f"{bench.name}.{test}" for bench in benches for test in bench.tests}
    chosen = [key for key, name in names.items() if pattern in (None, name)]
    chosen = chosen or [key for key, name in names.items() if pattern in name]
    if not chosen:
        raise BenchError(
            f"no test has {pattern!r} in its name; there are: " + ", ".join(names.values())
        )
    result: dict[Bench, list[str]] = {}
    for bench, test in chosen:
        result.setdefault(bench, []).append(test)
    return result
