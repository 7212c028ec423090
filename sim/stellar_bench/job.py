"""One bench in one process: build it (or take the build from the cache) and run its cocotb tests.

What a bench must know is passed through the environment, as cocotb's simulator is a process of its
own: ``Request`` writes it, ``Request.from_environment`` reads it there.
"""

import contextlib
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

from .benches import BENCHES, Bench, BenchError
from .results import TestResult, complaints, read, read_verdicts
from .verilate import BuildError, cocotb_build

__all__ = ["Outcome", "Request", "run"]

_PREFIX = "STELLAR_BENCH_"


@dataclass(frozen=True)
class Request:
    """What to run.

    ``folder`` takes the results, and ``counterexamples`` the frames on which gateware and model
    differ; ``share`` scales the number of frames (1: the full run); ``corpus`` names a folder of
    captures, or is ``None``.
    """

    bench: str
    tests: tuple[str, ...]
    seed: int
    folder: Path
    counterexamples: Path
    share: float = 1.0
    waves: bool = False
    corpus: Path | None = None

    @property
    def results(self) -> Path:
        """The file of results."""
        return self.folder / "results.jsonl"

    @property
    def log(self) -> Path:
        """What the simulator printed."""
        return self.folder / "sim.log"

    @property
    def target(self) -> Bench:
        """The bench itself."""
        return next(bench for bench in BENCHES if bench.name == self.bench)

    def repeat(self, test: str) -> str:
        """The command that repeats one test of this request."""
        name, given = f"{self.bench}.{test}", os.environ.get(self.target.override)
        parts = [f"STELLAR_CORPUS={self.corpus}"] if test == "corpus" else []
        if self.share == 1.0:
            parts += [f"make sim TEST={name} SEED={self.seed}"]
            parts += [f"VERILOG={self.bench}={given}"] if given else []
        else:  # which make has no word for
            parts += [f"python -m stellar_bench --test {name} --seed {self.seed}"]
            parts += [f"--share {self.share:g}"]
            parts += [f"--verilog {self.bench}={given}"] if given else []
        return " ".join(parts)

    def environment(self) -> dict[str, str]:
        """The request as environment variables."""
        return {
            "COCOTB_REWRITE_ASSERTION_FILES": "",  # else pytest's settings get into the simulator
            f"{_PREFIX}NAME": self.bench,
            f"{_PREFIX}TESTS": ",".join(self.tests),
            f"{_PREFIX}SEED": str(self.seed),
            f"{_PREFIX}FOLDER": str(self.folder),
            f"{_PREFIX}COUNTEREXAMPLES": str(self.counterexamples),
            f"{_PREFIX}SHARE": str(self.share),
            f"{_PREFIX}CORPUS": str(self.corpus or ""),
        }

    @classmethod
    def from_environment(cls) -> "Request":
        """The request that this simulator process serves."""
        get = {
            key.removeprefix(_PREFIX): value
            for key, value in os.environ.items()
            if key.startswith(_PREFIX)
        }
        return cls(
            bench=get["NAME"],
            tests=tuple(get["TESTS"].split(",")),
            seed=int(get["SEED"]),
            folder=Path(get["FOLDER"]),
            counterexamples=Path(get["COUNTEREXAMPLES"]),
            share=float(get["SHARE"]),
            corpus=Path(get["CORPUS"]) if get["CORPUS"] else None,
        )


@dataclass
class Outcome:
    """What came of a request: results, what is wrong, seconds of building and of simulation."""

    request: Request
    results: list[TestResult] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    build_seconds: float = 0.0
    run_seconds: float = 0.0


def run(request: Request) -> Outcome:
    """Build and simulate; never raises for what the gateware or a test does wrong."""
    outcome = Outcome(request)
    request.folder.mkdir(parents=True, exist_ok=True)
    request.results.unlink(missing_ok=True)
    try:
        start = time.monotonic()
        bench = request.target
        build = cocotb_build(
            bench.verilog(), bench.name, waves=request.waves, optimize=bench.optimize
        )
        outcome.build_seconds = time.monotonic() - start
        start = time.monotonic()
        xml = _simulate(request, build)
        outcome.run_seconds = time.monotonic() - start
    except (BenchError, BuildError) as error:
        outcome.problems = [str(error)]
        return outcome
    outcome.results = read(request.results)
    verdicts = read_verdicts(xml) if xml.exists() else {}
    outcome.problems = complaints(list(request.tests), verdicts, outcome.results)
    if not xml.exists():
        outcome.problems.insert(0, f"the simulator stopped without a result; see {request.log}")
    return outcome


def _simulate(request: Request, build: Path) -> Path:
    """Run the request's tests; returns the path of cocotb's results file."""
    from cocotb_tools.runner import get_runner

    xml = (request.folder / "results.xml").resolve()
    os.environ.pop("WAVES", None)  # cocotb would let it overrule the request
    with contextlib.suppress(RuntimeError, SystemExit):  # what went wrong shows in the results
        get_runner("verilator").test(
            test_module=request.target.testbench,
            test_filter=rf"\.({'|'.join(map(re.escape, request.tests))})$",
            hdl_toplevel=request.bench,
            hdl_toplevel_lang="verilog",
            build_dir=build,
            test_dir=request.folder,
            results_xml=str(xml),
            seed=request.seed,
            extra_env=request.environment(),
            waves=request.waves,
            log_file=request.log,
        )
    return xml
