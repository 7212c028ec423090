"""Golden frames against a specification: what was typed, what it decodes, which differ."""

from stellar_bench.vectors import Vector, load
from tests.spec import judge
from tests.spec.decoder import Layout, Spec, groups

__all__ = ["VECTORS", "decoded", "differing", "expected"]

VECTORS = load()
_COMPARED = ("eth", "ip", "udp", "stellar", "addr", "imm", "ack", "int", "offsets", "key")


def expected(vector: Vector) -> dict:
    """What was typed: every group, the INT stack, verdict and reason."""
    shown = {name: vector.header[name] for name in _COMPARED if name in vector.typed}
    typed = vector.typed["trailer"]
    return {
        **shown,
        "hops": vector.hops,
        "verdict": (typed["verdict"], typed.get("reason", "NONE")),
    }


def decoded(vector: Vector, spec: Spec) -> dict:
    """The same as ``spec`` reads it from the frame."""
    trimmed = "trim" in vector.settings
    place = Layout(vector.frame, spec, trimmed)
    hops = [values for name, _, values in place.rows if name == "INT_HOP"]
    return {**groups(place), "hops": hops, "verdict": judge.verdict(place, trimmed)}


def differing(spec: Spec) -> list[str]:
    """Names of the vectors that ``spec`` gets wrong or cannot read."""
    wrong = []
    for vector in VECTORS:
        try:
            right = decoded(vector, spec) == expected(vector)
        except (IndexError, KeyError):
            right = False
        if not right:
            wrong.append(vector.name)
    return wrong
