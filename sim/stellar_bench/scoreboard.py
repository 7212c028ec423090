"""Compares all that comes out of the parser with the golden model, frame by frame.

Whole objects are compared: the packed header record, the packed trailer record, and the packet
with its error bit and meta.  A frame counts once all three have come.  What never came, and what
came though nothing was expected, is a failure.
"""

import hashlib
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from stellar_model import parse
from stellar_model.records import pack, unpack
from stellar_sdk.capture import Frame, write_pcap
from stellar_spec.codes import Flag, KeyKind, Layer, Reason, Verdict
from stellar_spec.records import HEADER_RECORD, TRAILER_RECORD

from . import coverage
from .packets import Packet
from .results import TestResult

__all__ = ["Mismatch", "ParserScoreboard", "differences"]

_HEADER_BYTES = (sum(group.width for group in HEADER_RECORD) + 7) // 8
_TRAILER_BYTES = (TRAILER_RECORD[0].width + 7) // 8
_NAMES = {
    "state.layers": Layer,
    "key.kind": KeyKind,
    "trailer.verdict": Verdict,
    "trailer.reason": Reason,
    "trailer.flags": Flag,
}


class Mismatch(AssertionError):
    """Gateware and model disagree, or one of them has something that the other has not."""


def _shown(name: str, value: int) -> str:
    if name not in _NAMES:
        return f"{value:#x}"
    try:
        return f"{value:#x} ({_NAMES[name](value).name or '-'})"
    except ValueError:
        return f"{value:#x} (no {_NAMES[name].__name__})"


def _fields(groups, value: int) -> dict[str, int]:
    """Every field of a packed record by its full name ``group.field``."""
    record = unpack(groups, value)
    if len(groups) == 1:
        record = {groups[0].name: record}
    return {
        f"{group}.{name}": field for group, row in record.items() for name, field in row.items()
    }


def differences(groups, model: int, gateware: int) -> list[str]:
    """The fields in which two packed records differ, as ``group.field: model X, gateware Y``."""
    if model == gateware:
        return []
    theirs = _fields(groups, gateware)
    return [
        f"{name}: model {_shown(name, value)}, gateware {_shown(name, theirs[name])}"
        for name, value in _fields(groups, model).items()
        if theirs[name] != value
    ]


@dataclass
class _Entry:
    """One frame on its way: what must come, and which of it is still out."""

    index: int
    stimulus: object
    parsed: object
    packet: Packet
    header: int
    trailer: int
    wanted: set[str] = field(default_factory=lambda: {"header", "packet", "trailer"})
    seen: dict[str, int] = field(default_factory=dict)
    found: list[str] = field(default_factory=list)
    stellar: bool = False


class ParserScoreboard:
    """Expects frames and takes what the gateware says of them.

    Parameters
    ----------
    result : TestResult
        Where frames, mismatches, coverage and digest are counted.
    folder : Path
        Where the frame of a mismatch is written as a capture.
    bench : str
        The bench's name, for the capture's name.
    repeat : str
        The command that repeats the run.
    """

    LIMIT = 5
    """Mismatching frames after which a run stops: more teach nothing."""

    def __init__(self, result: TestResult, *, folder: Path, bench: str, repeat: str):
        self._result = result
        self._folder = folder
        self._bench = bench
        self._repeat = repeat
        self._sha = hashlib.sha256()
        self._count = 0
        self._open: deque[_Entry] = deque()
        self._queues = {name: deque() for name in ("header", "packet", "trailer")}

    def expect(self, stimulus) -> object:
        """Queue a frame that is about to be sent; returns the model's ``Parsed``."""
        parsed = parse(
            stimulus.frame, settings=stimulus.settings, meta=stimulus.meta, error=stimulus.error
        )
        entry = _Entry(
            self._count,
            stimulus,
            parsed,
            Packet(stimulus.frame, stimulus.error, stimulus.meta.pack()),
            pack(HEADER_RECORD, parsed.header),
            pack(TRAILER_RECORD, parsed.trailer),
        )
        self._count += 1
        self._open.append(entry)
        for queue in self._queues.values():
            queue.append(entry)
        return parsed

    def header(self, value: int) -> None:
        """Take a packed header record."""
        entry = self._next("header", f"{value:#x}")
        record = entry.parsed.header
        if value != entry.header:
            entry.found += differences(HEADER_RECORD, entry.header, value)
            record = unpack(HEADER_RECORD, value)
        coverage.count_header(self._result.coverage, record)
        entry.stellar = bool(record["state"]["layers"] & Layer.STELLAR)
        self._done(entry, "header", value)

    def trailer(self, value: int) -> None:
        """Take a packed trailer record."""
        entry = self._next("trailer", f"{value:#x}")
        record = entry.parsed.trailer
        if value != entry.trailer:
            entry.found += differences(TRAILER_RECORD, entry.trailer, value)
            record = unpack(TRAILER_RECORD, value)
        coverage.count_trailer(self._result.coverage, record)
        self._done(entry, "trailer", value)

    def packet(self, packet: Packet) -> None:
        """Take a whole packet."""
        entry = self._next("packet", f"{len(packet.data)} bytes {packet.data[:32].hex()}")
        if packet != entry.packet:
            entry.found += _packet_differences(entry.packet, packet)
        self._done(entry, "packet", None)

    def outstanding(self, name: str) -> int:
        """How many of ``header``, ``packet`` or ``trailer`` are still to come."""
        return len(self._queues[name])

    @property
    def idle(self) -> bool:
        """Whether everything that was expected has come."""
        return not self._open

    def forget(self) -> None:
        """Drop what is still to come: a reset has thrown it away."""
        self._open.clear()
        for queue in self._queues.values():
            queue.clear()

    def close(self) -> None:
        """Write the digest, and what is left over, into the result."""
        self._result.digest = self._sha.hexdigest()
        if self._open:
            self._result.leftovers += len(self._open)
            first = self._open[0]
            self._report(first, [f"{name} never came" for name in sorted(first.wanted)])
            self.forget()

    def finish(self) -> None:
        """End the run; raises ``Mismatch`` if anything was different, or has not come."""
        self.close()
        result = self._result
        if result.mismatches or result.leftovers:
            raise Mismatch(f"{result.mismatches} frames differ, {result.leftovers} leftovers")

    def _next(self, name: str, shown: str) -> _Entry:
        if not self._queues[name]:
            self._result.leftovers += 1
            raise Mismatch(f"{name} that nothing was sent for: {shown}")
        return self._queues[name].popleft()

    def _done(self, entry: _Entry, name: str, value: int | None) -> None:
        entry.wanted.remove(name)
        entry.seen[name] = value
        while self._open and not self._open[0].wanted:
            self._close(self._open.popleft())

    def _close(self, entry: _Entry) -> None:
        result, frame = self._result, entry.stimulus.frame
        self._sha.update(entry.seen["header"].to_bytes(_HEADER_BYTES, "little"))
        self._sha.update(entry.seen["trailer"].to_bytes(_TRAILER_BYTES, "little"))
        result.frames += 1
        key = hashlib.blake2b(frame, digest_size=8).hexdigest()
        result.hashes.add(key)
        if entry.stellar:
            result.stellar.add(key)
        if entry.found:
            result.mismatches += 1
            self._report(entry, entry.found)
            if result.mismatches >= self.LIMIT:
                self.forget()  # what is still under way was not given the time to come
                raise Mismatch(f"{result.mismatches} frames differ; stopped")

    def _tell(self, line: str) -> None:
        self._result.messages.append(line)
        print(line, flush=True)

    def _report(self, entry: _Entry, found: list[str]) -> None:
        stimulus = entry.stimulus
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{self._bench}.{self._result.test}.{entry.index}.pcap"
        frame, time = stimulus.frame, stimulus.meta.time
        write_pcap(path, [Frame(1, frame, len(frame), time)])
        self._tell(
            f"MISMATCH {self._bench}.{self._result.test} frame {entry.index} "
            f"({stimulus.name}, {len(stimulus.frame)} bytes, error {int(stimulus.error)}, "
            f"{stimulus.meta}, {stimulus.settings})"
        )
        for line in found:
            self._tell(f"  {line}")
        self._tell(f"  frame: {path}")
        self._tell(f"  repeat: {self._repeat}")


def _packet_differences(model: Packet, gateware: Packet) -> list[str]:
    found = [
        f"packet.{name}: model {getattr(model, name)}, gateware {getattr(gateware, name)}"
        for name in ("error", "meta")
        if getattr(model, name) != getattr(gateware, name)
    ]
    if len(model.data) != len(gateware.data):
        found.append(f"packet.length: model {len(model.data)}, gateware {len(gateware.data)}")
    for index, (ours, theirs) in enumerate(zip(model.data, gateware.data, strict=False)):
        if ours != theirs:
            found.append(f"packet.data[{index}]: model {ours:#04x}, gateware {theirs:#04x}")
            break
    return found
