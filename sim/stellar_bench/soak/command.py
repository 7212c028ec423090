"""The command line of the soak.

Exit codes: 0 gateware and model agree everywhere; 1 they do not, or something was never seen;
2 the command line is wrong, or the block can't be simulated here; 130 interrupted.
"""

import argparse
import shlex
import sys
from pathlib import Path

from ..inputs import DEFAULT_SEED
from ..options import number, seed
from ..verilate import build_root
from .blocks import SOAKS
from .run import run, summary
from .worker import Plan

__all__ = ["main"]

DEFAULT_FRAMES = 1_000_000
MOST_FRAMES = 10**9


def main(arguments: list[str] | None = None) -> int:
    """Run the command line ``arguments`` (default: the process'); returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    block = SOAKS[options.block]
    plan = Plan(
        block=options.block,
        frames=options.frames,
        seed=options.seed,
        folder=(build_root() / "soak" / "counterexamples").resolve(),
        verilog=_files(parser, block, options.verilog),
        only=options.batch,
    )
    if plan.only is not None and plan.only >= plan.count:
        parser.error(f"--batch {plan.only} is not there; batches are 0 to {plan.count - 1}")
    names = " and ".join(block.bench(width) for width in block.widths)
    print(
        f"seed {plan.seed}; {plan.frames} {block.things}, {block.manner}, in {plan.count} batches"
        f" through {names}{'' if plan.only is None else f'; of them batch {plan.only}'}",
        flush=True,
    )
    try:
        reports = run(plan)
    except KeyboardInterrupt:
        return 130
    for report in reports:
        if report.unusable:
            print(f"error: {block.bench(report.width)}: {report.unusable}", file=sys.stderr)
            return 2
    text, good = summary(plan, reports)
    print(text)
    if not good:
        print(f"repeat: {_repeat(plan, options.verilog)}")
    return 0 if good else 1


def _repeat(plan: Plan, verilog: list[str]) -> str:
    """The command of the whole run; a batch alone is repeated by ``--batch`` in addition."""
    command = ["python", "-m", "stellar_bench.soak", "--block", plan.block]
    command += ["--frames", str(plan.frames), "--seed", str(plan.seed)]
    command += [] if plan.only is None else ["--batch", str(plan.only)]
    for given in verilog:
        command += ["--verilog", given]
    hint = "" if plan.only is not None else "  (--batch NUMBER: that batch alone)"
    return shlex.join(command) + hint


def _files(parser, block, given: list[str]) -> dict[str, Path]:
    benches = [block.bench(width) for width in block.widths]
    found = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or name not in benches:
            parser.error(f"--verilog {text!r} is not BENCH=FILE; benches are {', '.join(benches)}")
        if not Path(path).is_file():
            parser.error(f"--verilog {text!r}: {path!r} is no file; name one with {name}'s Verilog")
        found[name] = Path(path).resolve()
    return found


def _block(text: str) -> str:
    if text not in SOAKS:
        raise argparse.ArgumentTypeError(f"{text!r} is no block; blocks are {', '.join(SOAKS)}")
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stellar_bench.soak",
        description="Good and hostile frames through the parser at two widths, or commands beside "
        "lookups through the flow table at two sizes, side by side, every record compared with the "
        "model's.",
        epilog="Exit codes: 0 all equal, 1 not, or something was never seen, 2 the command line is "
        "wrong or nothing can be simulated, 130 interrupted.",
    )
    option = parser.add_argument
    option("--block", type=_block, default="parser", metavar="BLOCK", help="default: %(default)s")
    frames = number(1, MOST_FRAMES, "number of frames (N)")
    help_frames = "frames, or commands of the flow table; default: %(default)s"
    option("--frames", type=frames, default=DEFAULT_FRAMES, metavar="N", help=help_frames)
    option("--seed", type=seed, default=DEFAULT_SEED, metavar="SEED", help="%(default)s")
    batch = number(0, MOST_FRAMES, "number of a batch")
    option("--batch", type=batch, metavar="NUMBER", help="that batch alone, to repeat a failure")
    option(
        "--verilog",
        action="append",
        default=[],
        metavar="BENCH=FILE",
        help="take FILE as the Verilog of BENCH, e.g. parser_w8=edited.v",
    )
    return parser
