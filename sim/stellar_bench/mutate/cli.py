"""The command ``python -m stellar_bench.mutate``: the mutation score of a block.

Exit codes: 0 enough of the mutants were killed (90 %, of the flow table 95 %); 1 fewer were, or
the run failed; 2 the command line is wrong, and the message says what would be right; 130
interrupted.
"""

import argparse
import json
import sys
from pathlib import Path

from stellar_nic.sizes import chosen

from ..inputs import DEFAULT_SEED
from ..options import number, seed
from ..verilate import BuildError
from .campaign import CampaignError
from .score import Score, measure
from .targets import TARGETS
from .yosys import YosysError, version

__all__ = ["main", "report", "write"]

MOST = 10_000


def main(arguments: list[str] | None = None) -> int:
    """Run the command line ``arguments`` (default: the process'); returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    target = TARGETS[options.block]
    try:
        given = chosen(target.word, width=options.width, slots=options.slots)
    except ValueError as error:
        parser.error(f"{target.name}: {error}")
    width = given or target.usual or target.widths[0]
    if width not in target.widths:
        sizes = ", ".join(map(str, target.widths))
        parser.error(f"no {target.name} of {width} {target.unit} is mutated; there are {sizes}")
    try:
        print(
            f"{target.name} at {width} {target.unit}, {options.count} mutants, "
            f"seed {options.seed}; {version()}",
            flush=True,
        )
        score = measure(
            target,
            width=width,
            count=options.count,
            seed=options.seed,
            jobs=options.jobs,
            say=lambda text: print(text, flush=True),
        )
    except KeyboardInterrupt:
        return 130
    except (YosysError, BuildError, CampaignError, TimeoutError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"details: {write(score)}")
    print(report(score))
    return 0 if score.passed else 1


def report(score: Score) -> str:
    """Those that were not killed, the counts, and ``killed NN.N %``."""
    lines = [
        f"{outcome.state} {outcome.mutant.number}: {outcome.mutant.place} ({outcome.proof.text})"
        for state in ("equivalent", "survived")
        for outcome in score.of(state)
    ]
    killers = ", ".join(f"{name} {count}" for name, count in score.killers.most_common())
    counts, every = score.counts, len(score.outcomes)
    lines += [
        f"killed by: {killers or 'none'}",
        f"{every} mutants: {counts['killed']} killed, {counts['equivalent']} equivalent "
        f"(proved), {counts['survived']} survived",
        f"of all mutants {_share(counts['killed'], every)}, of those not proved equivalent "
        f"{_share(counts['killed'], score.judged)}",
        f"killed {score.permille / 10:.1f} %",
    ]
    return "\n".join(lines)


def write(score: Score) -> Path:
    """All of it as JSON, into the folder of the run; returns the path."""
    about = {"block": score.block, "width": score.width, "seed": score.seed, "yosys": version()}
    about |= {"killed_percent": score.permille / 10, "least_percent": score.least}
    about["mutants"] = [outcome.as_dict() for outcome in score.outcomes]
    path = score.folder / "results.json"
    path.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return path


def _share(part, whole):
    return f"{part} of {whole}" + (f", {1000 * part // whole / 10:.1f} %" if whole else "")


def _parser() -> argparse.ArgumentParser:
    least = ", ".join(f"{target.least} ({name})" for name, target in TARGETS.items())
    parser = argparse.ArgumentParser(
        prog="python -m stellar_bench.mutate",
        description="Put small faults into a block and count how many the stimuli notice.",
        epilog=f"Exit codes: 0 at least {least} %% were noticed, 1 fewer were or the run failed, "
        "2 the command line is wrong, 130 interrupted.",
    )
    parser.add_argument("--block", choices=sorted(TARGETS), default="parser", help="(%(default)s)")
    parser.add_argument(
        "--width",
        type=number(1, 64, "width in bytes"),
        metavar="W",
        help="bytes a beat, of the parser (8)",
    )
    parser.add_argument(
        "--slots",
        type=number(1, 1 << 16, "number of slots"),
        metavar="S",
        help="slots of the flow table (64)",
    )
    parser.add_argument(
        "--count",
        type=number(1, MOST, "number of mutants"),
        default=100,
        metavar="N",
        help="mutants (%(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=seed,
        default=DEFAULT_SEED,
        metavar="S",
        help="of the choice of mutants and of random stimuli (%(default)s)",
    )
    parser.add_argument(
        "--jobs",
        type=number(1, 64, "number of processes"),
        default=2,
        metavar="N",
        help="mutants at a time (%(default)s)",
    )
    return parser
