"""The command ``python -m stellar_bench``: all benches under Verilator against the golden model.

Exit codes: 0 all is well; 1 something failed, was skipped, did not run, or was never seen;
2 the command line is wrong, and the message says what would be right.
"""

import argparse
import multiprocessing
import os
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from pathlib import Path

from . import report
from .benches import BenchError, select
from .inputs import DEFAULT_SEED, read_corpus
from .job import Outcome, Request, run
from .options import seed
from .results import read
from .verilate import build_root

__all__ = ["main"]

JOBS = 2
POLL = 0.3  # seconds between two looks at the results of running benches


def main(arguments: list[str] | None = None) -> int:
    """Run the command line ``arguments`` (default: the process'); returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        _override(options.verilog)
        chosen = select(options.test)
        corpus = _corpus(os.environ.get("STELLAR_CORPUS"))
    except BenchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if options.list:
        for bench, tests in chosen.items():
            print("\n".join(f"{bench.name}.{test}" for test in tests))
        return 0
    requests = [
        Request(
            bench=bench.name,
            tests=tuple(tests),
            seed=options.seed,
            folder=options.results.resolve() / bench.name,
            counterexamples=options.results.resolve() / "counterexamples",
            share=options.share,
            waves=options.waves,
            corpus=corpus,
        )
        for bench, tests in chosen.items()
    ]
    print(f"seed {options.seed}; corpus: {corpus or 'none (STELLAR_CORPUS is not set)'}")
    outcomes = list(_run(requests, options.jobs))
    whole = options.test is None and options.share >= 1
    text, good = report.summary(outcomes, whole=whole, seed=options.seed)
    print(text)
    for request in requests if options.waves else []:
        for path in sorted(request.folder.glob("dump.*")):
            print(f"waves of {request.bench}: {path}")
    return 0 if good else 1


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of benches; give 1 or more")
    return int(text)


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 100:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no share; give a number above 0 and up to 100"
        )
    return share


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stellar_bench",
        description="Run the gateware under Verilator against the golden model.",
        epilog="STELLAR_CORPUS names a folder of captures that are run too. Exit codes: 0 all is "
        "well, 1 something failed or was never seen, 2 the command line is wrong.",
    )
    parser.add_argument("--test", metavar="NAME", help="only tests with NAME in bench.test")
    parser.add_argument(
        "--seed", type=seed, default=DEFAULT_SEED, metavar="N", help="default: %(default)s"
    )
    parser.add_argument(
        "--waves",
        action="store_true",
        help="write waveforms beside the results (large: use --test)",
    )
    parser.add_argument("--list", action="store_true", help="list benches and tests, run nothing")
    parser.add_argument(
        "--verilog",
        action="append",
        default=[],
        metavar="BENCH=FILE",
        help="take FILE as the Verilog of BENCH, e.g. parser_w8=edited.v",
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=build_root() / "sim",
        metavar="FOLDER",
        help="for logs, results, waves and frames that differ (%(default)s)",
    )
    parser.add_argument(
        "--share",
        type=_share,
        default=1.0,
        metavar="X",
        help="scale the number of frames, e.g. 0.1; below 1 it is not required that all was seen",
    )
    parser.add_argument(
        "--jobs", type=_jobs, default=JOBS, metavar="N", help="benches at a time (%(default)s)"
    )
    return parser


def _override(given: list[str]) -> None:
    """Pass ``--verilog`` on as the environment variable that the benches read."""
    benches = {bench.name: bench for bench in select(None)}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or name not in benches:
            raise BenchError(
                f"--verilog {text!r} is not BENCH=FILE; benches are: {', '.join(benches)}"
            )
        os.environ[benches[name].override] = path
        benches[name].verilog()


def _corpus(text: str | None) -> Path | None:
    try:
        return read_corpus(text)
    except ValueError as error:
        raise BenchError(f"STELLAR_CORPUS={error}") from None


def _run(requests: list[Request], jobs: int) -> Iterator[Outcome]:
    """Run all requests, ``jobs`` at a time, telling of every test as it ends."""
    for request in requests:
        request.folder.mkdir(parents=True, exist_ok=True)
        request.results.unlink(missing_ok=True)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        running = {pool.submit(run, request): request for request in requests}
        told: dict[str, int] = {}
        pending: set[Future] = set(running)
        while pending:
            _, pending = wait(pending, timeout=POLL)
            for request in requests:
                told[request.bench] = _tell(request, told.get(request.bench, 0))
        for future in running:
            yield future.result()


def _tell(request: Request, told: int) -> int:
    results = read(request.results)
    for result in results[told:]:
        print("\n".join([report.line(request, result), *result.messages]), flush=True)
    return len(results)
