"""``python -m stellar_bench`` as a whole: what a short run says, and that a fault is found."""

import os
import re
import subprocess
import sys

from stellar_bench.benches import BENCHES
from stellar_bench.parse.scenarios import SCENARIOS
from stellar_bench.waves import wanted

SHORT = ("--share", "0.05")


def run(*arguments, seed, folder):
    command = [sys.executable, "-m", "stellar_bench", "--seed", str(seed), *SHORT, *arguments]
    if wanted():
        command.append("--waves")
    else:
        command += ["--results", str(folder)]  # apart from other runs at the same time
    environment = {**os.environ, "STELLAR_CORPUS": ""}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=280)


def digest(text):
    (found,) = re.findall(r"digest of all records: ([0-9a-f]{64})", text)
    return found


def test_a_short_run_passes_and_repeats(seed, tmp_path):
    first, again, other = (
        run("--test", "parser_w8.random_traffic", seed=number, folder=tmp_path)
        for number in (seed, seed, seed + 1)
    )
    for done in (first, again, other):
        assert done.returncode == 0, done.stdout + done.stderr
        assert "passed: gateware and model agree" in done.stdout
        assert re.search(r"^parser_w8 +1 +[1-9]\d* +0 +0 ", done.stdout, re.M), done.stdout
    assert digest(first.stdout) == digest(again.stdout)
    assert digest(first.stdout) != digest(other.stdout)


def test_all_scenarios_pass_in_a_short_run(seed, tmp_path):
    done = run("--test", "parser_w8", seed=seed, folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for scenario in SCENARIOS:
        test = scenario.__name__
        assert re.search(rf"^parser_w8\.{test}: [1-9]\d* frames, 0 mismatches", done.stdout, re.M)


def test_one_edited_constant_is_found(seed, tmp_path):
    """IPv6's EtherType in the exported Verilog becomes another."""
    bench = next(bench for bench in BENCHES if bench.name == "parser_w1")
    text = bench.verilog()
    edited = text.replace("16'h86dd", "16'h86de")
    assert edited != text
    file = tmp_path / "edited.v"
    file.write_text(edited)
    done = run(
        "--test", "parser_w1.directed", "--verilog", f"parser_w1={file}", seed=seed, folder=tmp_path
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"MISMATCH parser_w1\.directed frame \d+", done.stdout)
    assert re.search(r"^  ip\.version: model 0x6, gateware 0x0$", done.stdout, re.M)
    assert "FAILED" in done.stdout
