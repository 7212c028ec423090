"""What a run of a bench leaves behind: one JSON line per test, and cocotb's own verdict.

The simulator is another process, so results cross as files.  cocotb's file alone does not do: it is
green when every test was skipped, and knows nothing of frames.
"""

import hashlib
import json
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["TestResult", "append", "complaints", "digest_of", "read", "read_verdicts"]


@dataclass
class TestResult:
    """What one test did.

    ``frames`` counts those whose records and packet were all compared; ``hashes`` has one digest
    for each different one of them, ``stellar`` those that show a StellarTP header.  ``leftovers``
    counts frames of which something never came, and records that nothing was sent for.
    ``seconds`` is wall time, ``messages`` tell of every mismatch.
    """

    __test__ = False  # no test class, whatever pytest takes from the name

    test: str
    frames: int = 0
    mismatches: int = 0
    leftovers: int = 0
    cycles: int = 0
    seconds: float = 0.0
    digest: str = ""
    note: str = ""
    messages: list[str] = field(default_factory=list)
    coverage: Counter = field(default_factory=Counter)
    hashes: set[str] = field(default_factory=set)
    stellar: set[str] = field(default_factory=set)


def append(path: Path, result: TestResult) -> None:
    """Write ``result`` behind those that ``path`` has already."""
    row = {
        **vars(result),
        "coverage": [[kind, name, count] for (kind, name), count in result.coverage.items()],
        "hashes": sorted(result.hashes),
        "stellar": sorted(result.stellar),
    }
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")


def read(path: Path) -> list[TestResult]:
    """The results in ``path``, in order; none if the file is not there."""
    if not path.exists():
        return []
    results = []
    for line in path.read_text().splitlines():
        row = json.loads(line)
        row["coverage"] = Counter({(kind, name): n for kind, name, n in row["coverage"]})
        row["hashes"], row["stellar"] = set(row["hashes"]), set(row["stellar"])
        results.append(TestResult(**row))
    return results


def read_verdicts(path: Path) -> dict[str, str]:
    """What cocotb's results file says of each test: ``passed``, ``skipped`` or ``failed: why``."""
    verdicts = {}
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        verdicts[case.get("name")] = _verdict(case)
    return verdicts


def _verdict(case: ElementTree.Element) -> str:
    for child in case:
        if child.tag in ("failure", "error"):
            return f"failed: {child.get('type')}: {child.get('message')}"
        if child.tag == "skipped":
            return "skipped"
    return "passed"


def complaints(wanted: list[str], verdicts: dict[str, str], results: list[TestResult]) -> list[str]:
    """Everything that keeps a run from having passed; a run that did nothing has not."""
    reported = {result.test: result for result in results}
    found = []
    for test in wanted:
        verdict = verdicts.get(test, "not run")
        if verdict != "passed":
            found.append(f"{test}: {verdict}")
        result = reported.get(test)
        if result is None:
            if verdict == "passed":
                found.append(f"{test}: left no result")
        elif result.mismatches or result.leftovers or not result.frames:
            found.append(
                f"{test}: {result.frames} frames, {result.mismatches} mismatches, "
                f"{result.leftovers} leftovers"
            )
    if not wanted:
        found.append("no test was wanted")
    found += [f"{test}: ran without being wanted" for test in verdicts if test not in wanted]
    return found


def digest_of(parts: list[tuple[str, str]]) -> str:
    """One SHA-256 over named digests, whatever order they come in."""
    text = "".join(f"{name} {digest}\n" for name, digest in sorted(parts))
    return hashlib.sha256(text.encode()).hexdigest()
