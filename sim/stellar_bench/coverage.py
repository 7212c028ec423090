"""What records said, counted: every opcode, extension, verdict, reason and flag must come up."""

from collections import Counter
from collections.abc import Mapping

from stellar_spec.codes import Flag, KeyKind, Layer, Reason, Verdict
from stellar_spec.opcodes import Opcode

__all__ = ["EXPECTED", "count_header", "count_trailer", "missing", "table"]

_EXTENSIONS = (Layer.ADDR, Layer.IMM, Layer.ACK, Layer.INT)

EXPECTED = {
    "layer": tuple(layer.name for layer in Layer if layer not in _EXTENSIONS),
    "key": tuple(kind.name for kind in KeyKind),
    "opcode": tuple(opcode.name for opcode in Opcode),
    "extension": tuple(layer.name for layer in _EXTENSIONS),
    "verdict": tuple(verdict.name for verdict in Verdict),
    "reason": tuple(reason.name for reason in Reason),
    "flag": tuple(flag.name for flag in Flag),
}
"""Everything that has to be seen, by kind."""


# Plain numbers: an IntFlag's own operators cost more than all the rest of a count.
_LAYERS = [
    (int(layer), ("extension" if layer in _EXTENSIONS else "layer", layer.name)) for layer in Layer
]
_FLAGS = [(int(flag), ("flag", flag.name)) for flag in Flag]
_STELLAR = int(Layer.STELLAR)


def _name(enumeration, value: int) -> str:
    try:
        return enumeration(value).name
    except ValueError:
        return "unknown"


def count_header(counter: Counter, record: dict) -> None:
    """Count what a header record shows: layers, key kind, opcode, extensions."""
    layers = record["state"]["layers"]
    for bit, item in _LAYERS:
        if layers & bit:
            counter[item] += 1
    counter["key", _name(KeyKind, record["key"]["kind"])] += 1
    if layers & _STELLAR:
        counter["opcode", _name(Opcode, record["stellar"]["opcode"])] += 1


def count_trailer(counter: Counter, record: dict) -> None:
    """Count what a trailer record says: verdict, reason, flags."""
    counter["verdict", _name(Verdict, record["verdict"])] += 1
    counter["reason", _name(Reason, record["reason"])] += 1
    flags = record["flags"]
    for bit, item in _FLAGS:
        if flags & bit:
            counter[item] += 1


def missing(counter: Counter, expected: Mapping = EXPECTED) -> list[str]:
    """What of ``expected`` was never seen, as ``kind NAME``."""
    return [
        f"{kind} {name}"
        for kind, names in expected.items()
        for name in names
        if not counter[kind, name]
    ]


def table(counter: Counter, expected: Mapping = EXPECTED, width: int = 100) -> str:
    """How often everything was seen, one paragraph for each kind."""
    lines = []
    for kind, names in expected.items():
        others = sorted(name for seen, name in counter if seen == kind and name not in names)
        line = f"  {kind:<10}"
        for name in (*names, *others):
            item = f" {name} {counter[kind, name]},"
            if len(line) + len(item) > width:
                lines.append(line)
                line = " " * 12
            line += item
        lines.append(line.rstrip(","))
    return "\n".join(lines)
