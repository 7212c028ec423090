"""Calls tshark: chosen fields of every frame of a capture."""

import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from stellar_wire.files import DISSECTOR

__all__ = ["TsharkError", "find", "read_required", "rows", "version"]

TIMEOUT = 300  # seconds
LUA_ERROR = "_ws.lua.error"
NOISE = ("Running as user", "Capturing on")


class TsharkError(RuntimeError):
    """tshark is missing, fails, or reports an error of a Lua script; the message has its words."""


def find() -> str:
    """The path of tshark.  Raises ``TsharkError`` when there is none."""
    path = shutil.which("tshark")
    if path is None:
        raise TsharkError(
            "no program 'tshark'; on Debian and Ubuntu: apt install --no-install-recommends tshark"
        )
    return path


def read_required(text: str | None) -> bool:
    """Whether ``text``, the setting STELLAR_TSHARK, asks that tests fail without tshark."""
    if text not in (None, "", "required"):
        raise ValueError(f"{text!r} is not known; give 'required', or leave it out")
    return text == "required"


def _run(arguments: list[str]) -> str:
    command = [find(), *arguments]
    try:
        result = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        raise TsharkError(f"no end after {TIMEOUT} s: {' '.join(command)}") from None
    said = [line for line in result.stderr.splitlines() if line and not line.startswith(NOISE)]
    if result.returncode or said:
        text = "\n".join(said[:5])
        raise TsharkError(f"exit code {result.returncode} of {' '.join(command[:8])} …: {text}")
    return result.stdout


def version() -> str:
    """Its version, as in ``4.0.17``."""
    words = _run(["--version"]).split()
    return words[2] if len(words) > 2 else "unknown"


def rows(
    capture: Path,
    fields: Iterable[str],
    *,
    preferences: Mapping[str, object] = {},
    first_only: bool = False,
    script: Path | None = DISSECTOR,
) -> list[dict[str, list[str]]]:
    """For each frame of ``capture`` field → values as text, in order, without absent fields.

    ``first_only``: of each field the outermost occurrence.  ``script``: the Lua script to load,
    ``None`` for tshark as it is.  Raises ``TsharkError``, also for an error of the script on any
    frame, which tshark itself would pass over.
    """
    names = list(dict.fromkeys(fields)) + ([LUA_ERROR] if script else [])
    arguments = ["-n", "-r", str(capture), "-T", "fields", "-E", "separator=/t"]
    arguments += ["-E", f"occurrence={'f' if first_only else 'a'}"]
    if script:
        arguments += ["-X", f"lua_script:{script}"]
    for name, value in preferences.items():
        arguments += ["-o", f"{name}:{value}"]
    for name in names:
        arguments += ["-e", name]
    found = []
    for number, line in enumerate(_run(arguments).splitlines(), 1):
        texts = line.split("\t")
        if len(texts) != len(names):
            raise TsharkError(f"{capture} frame {number}: {len(texts)} fields of {len(names)}")
        row = {n: t.split(",") for n, t in zip(names, texts, strict=True) if t}
        if LUA_ERROR in row:
            raise TsharkError(f"{capture} frame {number}: Lua error: {row[LUA_ERROR]}")
        found.append(row)
    return found
