"""What every test shares: the seed, the corpus, and a report in which no skip is silent.

Settings come from the environment (``make test`` sets them):

- ``STELLAR_SEED``: the run's one seed, a decimal number from 0 to 2**32 - 1; default 1
- ``STELLAR_CORPUS``: a folder of captures (``*.pcap``, ``*.pcapng``); without it, corpus tests skip
- ``STELLAR_TSHARK``: ``required`` makes tests that need tshark fail without it; else they skip
- ``STELLAR_WAVES``: 1 asks the benches to write waveforms

A skip for any other reason than the missing corpus, tshark or matplotlib, and an expected failure,
turn the run red.
"""

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

from stellar_bench.inputs import read_corpus, read_seed
from stellar_bench.tshark import TsharkError, find, read_required
from stellar_bench.verilate import build_root
from stellar_bench.waves import wanted

NO_CORPUS = "no corpus: STELLAR_CORPUS is not set"
NO_TSHARK = "no tshark: there is no such program (STELLAR_TSHARK=required would make this fail)"
NO_PLOTTING = "no matplotlib: make bench BLOCK=flow_table installs it"
ALLOWED_REASONS = (NO_CORPUS, NO_TSHARK, NO_PLOTTING)

# Two busy cores make hypothesis' default deadline of 200 ms a matter of luck; the test's own
# time-out stays. The blob repeats a failing example on another machine.
# Where CI is set, hypothesis would ignore the seed (derandomize).
hypothesis.settings.register_profile("stellar", deadline=None, print_blob=True, derandomize=False)
hypothesis.settings.load_profile("stellar")


def setting(name: str, read: Callable):
    """What ``read`` makes of the environment variable ``name``."""
    try:
        return read(os.environ.get(name))
    except ValueError as error:
        raise pytest.UsageError(f"{name}={error}") from None


SEED = pytest.StashKey[int]()
CORPUS = pytest.StashKey[Path | None]()
TSHARK_REQUIRED = pytest.StashKey[bool]()


class SkipReport:
    """Collects every test that did not run to its end as a pass or a failure."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, bool]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if not report.skipped:
            return
        if hasattr(report, "wasxfail"):
            reason, allowed = f"expected failure: {report.wasxfail}", False
        else:
            text = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            reason = str(text).removeprefix("Skipped: ")
            allowed = reason in ALLOWED_REASONS
        self.rows.append((report.nodeid, reason, allowed))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        failed = not all(allowed for _, _, allowed in self.rows)
        if failed and session.exitstatus in (
            pytest.ExitCode.OK,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        config = terminalreporter.config
        terminalreporter.section("not run, and the seed")
        for nodeid, reason, allowed in sorted(self.rows):
            terminalreporter.line(
                f"{'not run' if allowed else 'NOT ALLOWED'}: {nodeid}: {reason}", red=not allowed
            )
        refused = sum(not allowed for _, _, allowed in self.rows)
        terminalreporter.line(f"{len(self.rows)} not run, {refused} of them without leave")
        terminalreporter.line(f"seed {config.stash[SEED]} (repeat with SEED={config.stash[SEED]})")
        if wanted():
            terminalreporter.line(f"waves: {build_root() / 'waves'} and {build_root() / 'sim'}")


@pytest.hookimpl(tryfirst=True)  # before hypothesis reads its seed
def pytest_configure(config: pytest.Config) -> None:
    config.stash[SEED] = setting("STELLAR_SEED", read_seed)
    config.stash[CORPUS] = setting("STELLAR_CORPUS", read_corpus)
    config.stash[TSHARK_REQUIRED] = setting("STELLAR_TSHARK", read_required)
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(config.stash[SEED])
    if not hasattr(config, "workerinput"):  # the controller hears of every worker's tests
        config.pluginmanager.register(SkipReport(), "stellar-skip-report")


def pytest_report_header(config: pytest.Config) -> list[str]:
    return [f"seed: {config.stash[SEED]}", f"corpus: {config.stash[CORPUS] or NO_CORPUS}"]


@pytest.fixture(scope="session")
def seed(pytestconfig: pytest.Config) -> int:
    """The run's one seed: every random number of a test comes from it."""
    return pytestconfig.stash[SEED]


@pytest.fixture(scope="session")
def corpus(pytestconfig: pytest.Config) -> Path:
    """The folder of real captures; the test skips, and the report says so, when there is none."""
    folder = pytestconfig.stash[CORPUS]
    if folder is None:
        pytest.skip(NO_CORPUS)
    return folder


@pytest.fixture(scope="session")
def tshark(pytestconfig: pytest.Config) -> str:
    """The path of tshark; without it the test skips, or fails if STELLAR_TSHARK is ``required``."""
    try:
        return find()
    except TsharkError as error:
        if pytestconfig.stash[TSHARK_REQUIRED]:
            pytest.fail(f"STELLAR_TSHARK=required, but {error}")
        pytest.skip(NO_TSHARK)


@pytest.fixture(scope="session")
def plotting() -> None:
    """Without matplotlib the test skips, and the report says so."""
    if importlib.util.find_spec("matplotlib") is None:
        pytest.skip(NO_PLOTTING)
