"""The golden frames of ``tests/vectors``: reads them, and writes them as a capture.

``tests/vectors/README.md`` describes the text.  ``python -m stellar_bench.vectors --pcap FILE``
writes every frame that is meant for the parser's reset settings, a millisecond apart.
"""

import argparse
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from stellar_sdk.capture import Frame, write_pcap
from stellar_spec.codes import Flag, Reason, Verdict
from stellar_spec.headers import INT_HOP
from stellar_spec.records import HEADER_RECORD, SETTINGS, TRAILER_RECORD

__all__ = ["FOLDER", "Vector", "VectorError", "load", "load_file", "main", "parse", "write"]

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "vectors"
"""Where the golden frames are."""

_LABELS = (
    *("eth", "vlan", "ip", "option", "extension", "udp"),
    *("base", "addr", "imm", "ack", "int", "hop", "payload", "check", "pad"),
)
_FIELDS = {
    **{group.name: [f.name for f in group.fields] for group in HEADER_RECORD + TRAILER_RECORD},
    "hop": [f.name for f in INT_HOP.fields],
    "settings": [setting.name for setting in SETTINGS],
}
_SHOWN = {group.name: group.layer for group in HEADER_RECORD if group.layer is not None}


class VectorError(ValueError):
    """A text that is no vector; the message names file and line."""


@dataclass
class Vector:
    """One golden frame and what was typed of it.

    ``parts``: (label, bytes) in wire order; ``typed``: group → field → number or name, only what
    stands in the text; ``hops``: the entries of the INT stack.
    """

    name: str
    parts: list[tuple[str, bytes]] = field(default_factory=list)
    typed: dict[str, dict[str, int | str]] = field(default_factory=dict)
    hops: list[dict[str, int]] = field(default_factory=list)

    @property
    def frame(self) -> bytes:
        """The bytes of the frame, without preamble and FCS."""
        return b"".join(data for _, data in self.parts)

    def part(self, label: str) -> bytes:
        """The bytes under ``label``, empty if there are none."""
        return b"".join(data for name, data in self.parts if name == label)

    @property
    def settings(self) -> dict[str, int]:
        """The parser's settings that differ from their reset values."""
        return self.typed.get("settings", {})

    @property
    def header(self) -> dict[str, dict[str, int]]:
        """The whole header record, {group: {field: number}}; ``meta`` is 0."""
        record = {
            group.name: {
                f.name: self.typed.get(group.name, {}).get(f.name, 0) for f in group.fields
            }
            for group in HEADER_RECORD
        }
        layers = sum(layer for name, layer in _SHOWN.items() if name in self.typed)
        candidate = self.typed["trailer"].get("candidate", 0)
        record["state"] = {"layers": int(layers), "candidate": candidate}
        record["state"].update(self.typed.get("state", {}))
        return record

    @property
    def trailer(self) -> dict[str, int]:
        """The whole trailer record, {field: number}."""
        typed = self.typed["trailer"]
        flags = [Flag[name] for name in typed.get("flags", "").split("|") if name]
        return {
            "verdict": int(Verdict[typed["verdict"]]),
            "reason": int(Reason[typed.get("reason", "NONE")]),
            "candidate": typed.get("candidate", 0),
            "flags": int(sum(flags)),
            "length": typed["length"],
        }

    @property
    def expected(self) -> dict:
        """Both records and the INT stack: ``header``, ``trailer``, ``hops``."""
        return {"header": self.header, "trailer": self.trailer, "hops": self.hops}


_NAMES = {"verdict": Verdict, "reason": Reason, "flags": Flag}


def _value(group: str, name: str, text: str) -> int | str:
    if name not in _FIELDS[group]:
        raise ValueError(f"{group!r} has no field {name!r}; it has {', '.join(_FIELDS[group])}")
    if group == "trailer" and name in _NAMES:
        for word in text.split("|"):
            if word not in _NAMES[name].__members__:
                known = ", ".join(_NAMES[name].__members__)
                raise ValueError(f"{name}={text}: {word!r} is none of {known}")
        return text
    try:
        return int(text, 0)
    except ValueError:
        raise ValueError(f"{group}: {name}={text!r} is no number (decimal or 0x…)") from None


def _bytes(vector: Vector, label: str, text: str) -> None:
    if label not in _LABELS:
        raise ValueError(f"no part is labelled {label!r}; there are {', '.join(_LABELS)}")
    try:
        vector.parts.append((label, bytes.fromhex(text)))
    except ValueError:
        raise ValueError(f"{text!r} is not a row of bytes of two hex digits") from None


def _expectation(vector: Vector, group: str, text: str) -> None:
    if group not in _FIELDS:
        raise ValueError(f"no group is called {group!r}; there are {', '.join(_FIELDS)}")
    values = {}
    for word in text.split():
        name, _, value = word.partition("=")
        if name in values or name in vector.typed.get(group, {}):
            raise ValueError(f"{group}.{name} is given twice")
        values[name] = _value(group, name, value)
    if group == "hop":
        vector.hops.append(values)
    else:
        vector.typed.setdefault(group, {}).update(values)


def _complete(vector: Vector) -> None:
    for name in ("verdict", "length"):
        if name not in vector.typed.get("trailer", {}):
            raise ValueError(f"vector {vector.name!r} does not expect a {name}")
    if not vector.parts:
        raise ValueError(f"vector {vector.name!r} has no bytes")


def _line(vectors: list[Vector], read, words: str):
    """Takes in one line; returns what reads the lines behind it."""
    if head := re.fullmatch(r"frame\s+(\S+)", words):
        if vectors:
            _complete(vectors[-1])
        vectors.append(Vector(head[1]))
        return _bytes
    if words == "expect" and read is _bytes:
        return _expectation
    entry = re.fullmatch(r"(\w+):\s*(.*)", words)
    if words and not (entry and read):
        raise ValueError(f"{words!r} is neither `frame NAME`, `expect` nor `LABEL: …`")
    if words:
        read(vectors[-1], entry[1], entry[2])
    return read


def parse(text: str, where: str = "text") -> list[Vector]:
    """The vectors in ``text``; ``where`` is named in the ``VectorError`` of a wrong line."""
    vectors, read, at = [], None, 0
    try:
        for number, line in enumerate(text.splitlines(), 1):
            at = number
            read = _line(vectors, read, line.split("#")[0].strip())
        if vectors:
            _complete(vectors[-1])
    except ValueError as error:
        raise VectorError(f"{where}:{at}: {error}") from None
    return vectors


def load_file(path: Path) -> list[Vector]:
    """The vectors of one file."""
    return parse(path.read_text(encoding="utf-8"), str(path))


def load(folder: Path = FOLDER) -> list[Vector]:
    """Every vector of ``folder`` in the order of file names, names being unique."""
    vectors = [vector for path in sorted(folder.glob("*.txt")) for vector in load_file(path)]
    if not vectors:
        raise VectorError(f"{folder}: no golden frames (*.txt) here")
    names = [vector.name for vector in vectors]
    for name in names:
        if names.count(name) > 1:
            raise VectorError(f"{folder}: two vectors are called {name!r}")
    return vectors


def write(vectors: Iterable[Vector], path: Path) -> int:
    """Write the vectors that expect the reset settings as a pcap; returns how many.

    Equal vectors give equal bytes: frame i (from 0) has the time i ms.
    """
    plain = [vector.frame for vector in vectors if not vector.settings]
    frames = [
        Frame(number + 1, frame, len(frame), number * 1_000_000)
        for number, frame in enumerate(plain)
    ]
    write_pcap(path, frames)
    return len(frames)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code: 0 written, 1 the text or the file is at fault."""
    parser = argparse.ArgumentParser(
        prog="python -m stellar_bench.vectors", description="Writes the golden frames as a pcap."
    )
    parser.add_argument("--pcap", type=Path, required=True, help="file to write")
    parser.add_argument("--vectors", type=Path, default=FOLDER, help="folder of the text files")
    options = parser.parse_args(arguments)
    try:
        count = write(load(options.vectors), options.pcap)
    except (VectorError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{options.pcap}: {count} frames")
    return 0


if __name__ == "__main__":
    sys.exit(main())
