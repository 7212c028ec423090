"""Synthesis with yosys, cached by content, and counts of cells.

A synthesis stands in ``build/synth/<name>-<key>/``; its key is a hash of the Verilog text, the
script and the version of yosys.  A synthesis that failed or was interrupted is never taken for a
whole one.
"""

import json
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from stellar_bench.verilate import build_root, content_key, locked

from .tools import Job, command, run, versions

__all__ = ["OPTIONS", "Netlist", "synthesize"]

OPTIONS = ()
"""Options of ``synth_ecp5``, the same for every block."""

COMPLETE = "complete"
_SOURCE, _NETLIST, _STAT = "source.v", "netlist.json", "stat.json"


@dataclass(frozen=True)
class Netlist:
    """A synthesis: the folder where its files are."""

    folder: Path

    @property
    def path(self) -> Path:
        """The netlist as nextpnr reads it."""
        return self.folder / _NETLIST

    def cells(self) -> dict[str, Counter]:
        """Module → its cells by type, those of its submodules not among them."""
        modules = json.loads((self.folder / _STAT).read_text())["modules"]
        return {
            name.removeprefix("\\"): Counter(
                {
                    kind: count
                    for kind, count in module["num_cells_by_type"].items()
                    if kind[0] != "$" and f"\\{kind}" not in modules
                }
            )
            for name, module in modules.items()
        }


def synthesize(
    text: str,
    *,
    top: str,
    timeout: float,
    keep: str | None = None,
    flatten: bool = True,
    options: tuple[str, ...] = OPTIONS,
) -> Netlist:
    """The synthesis of module ``top`` in the Verilog ``text``, from the cache if it is there.

    Parameters
    ----------
    keep
        Module whose boundary is kept: nothing is shared or moved across it.
    flatten
        False keeps every boundary, which tells the modules' shares but gives a worse result.
    timeout
        Seconds.

    Raises :class:`~stellar_synth.tools.ToolError` when yosys fails or takes longer.
    """
    script = _script(top, keep, (*options, *(() if flatten else ("-noflatten",))))
    key = content_key(text, script, versions()["yosys"])
    folder = build_root() / "synth" / f"{top}-{key}"
    with locked(folder):
        if not (folder / COMPLETE).is_file():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            (folder / _SOURCE).write_text(text, encoding="utf-8")
            arguments = (command("yosys"), "-q", "-p", script)
            run(Job(arguments, folder, "yosys.log"), timeout=timeout)
            (folder / COMPLETE).touch()
    return Netlist(folder)


def _script(top: str, keep: str | None, options: tuple[str, ...]) -> str:
    steps = [f"read_verilog {_SOURCE}"]
    if keep is not None:
        steps.append(f"setattr -mod -set keep_hierarchy 1 {keep}")
    steps.append(" ".join(["synth_ecp5", "-top", top, "-json", _NETLIST, *options]))
    steps.append(f"tee -q -o {_STAT} stat -json")
    return "; ".join(steps)
