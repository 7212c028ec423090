"""The dissector against the model: every field, expert info and absent field of every candidate."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from stellar_model import parse
from stellar_spec.codes import Flag
from stellar_spec.opcodes import StellarFlag
from stellar_wire.lua_spec import field_names

from .captures import Capture
from .expected import EXPERTS, STATUS, Expectation, expect
from .program import rows

__all__ = ["FIELDS", "Report", "compare"]

FIELDS = (
    *(name for name, _, _ in field_names()),
    *(f"stellartp.flags.{flag.name.lower()}" for flag in StellarFlag),
    *("stellartp.payload", "stellartp.check", "stellartp.check.computed"),
    "stellartp.check.status",
)
"""Every field that the dissector shows, expert infos apart."""

CONTEXT = ("frame.protocols", "udp.dstport")
REGISTERED_PORTS = 49152  # below, other protocols own port numbers (RFC 6335, section 6)


@dataclass
class Report:
    """``counts``: frames by how they were compared; ``differences``: texts."""

    counts: Counter = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return ", ".join(f"{count} {kind}" for kind, count in sorted(self.counts.items()))


def compare(captures: Iterable[Capture]) -> Report:
    """Dissect every capture and compare.

    Kinds of frames: ``compared`` candidates; ``refused``: not candidates, marked so by the
    dissector; ``not called``: not candidates for which Wireshark did not call the dissector;
    ``elsewhere``: the model shows no datagram to StellarTP's port there (tunnels, a third tag).
    Candidates that Wireshark does not hand to the dissector are counted by its reason:
    ``empty``: UDP without payload; ``options``: Wireshark refuses the contents of IPv4 options or
    an IPv6 extension header, which the parser does not judge; ``source port``: another dissector
    owns the source port, which Wireshark asks first.
    """
    report = Report()
    wanted = [*FIELDS, *(f"stellartp.{name}" for name in EXPERTS), *CONTEXT]
    for capture in captures:
        found = rows(capture.path, wanted, preferences=capture.preferences)
        for (name, data), row in zip(capture.frames, found, strict=True):
            expected = expect(data, capture.settings)
            _agrees_with_trailer(expected, data)
            kind, texts = _frame(expected, row)
            report.counts[kind] += 1
            report.differences += [f"{name} ({data.hex()}): {text}" for text in texts]
    return report


def _agrees_with_trailer(expected: Expectation, frame: bytes) -> None:
    """The walk's expectation of the check is what the model's trailer says of it."""
    trailer = parse(frame, settings=expected.walk.settings).trailer
    status = expected.values.get("stellartp.check.status")
    bad = bool(trailer["flags"] & Flag.STELLAR_CHECK)
    if trailer["candidate"] and bad != (status == [STATUS["bad"]]):
        raise AssertionError(f"trailer {trailer} and check status {status} of {frame.hex()}")


def _frame(expected: Expectation, row: dict[str, list[str]]) -> tuple[str, list[str]]:
    """The kind of the frame, and what differs."""
    called = "stellartp" in row["frame.protocols"][0].split(":")
    walk = expected.walk
    if not expected.reaches_udp:
        return "elsewhere", []
    if not walk.candidate:
        if not called:
            return "not called", []
        return "refused", _differences(expected, row, ("not_candidate",))
    if called:
        return "compared", _differences(expected, row, EXPERTS) + _values(expected, row)
    if expected.empty:
        return "empty", []
    if walk.flags & (Flag.IPV4_OPTIONS | Flag.IPV6_EXTENSIONS) and "udp.dstport" not in row:
        return "options", []
    if walk.header["udp"]["sport"] < REGISTERED_PORTS and "udp.dstport" in row:
        return "source port", []
    return "not called", ["a candidate that Wireshark did not hand to the dissector"]


def _differences(expected: Expectation, row, names: Iterable[str]) -> list[str]:
    shown = {name for name in names if f"stellartp.{name}" in row}
    wanted = expected.experts & set(names)
    if shown == wanted:
        return []
    return [f"expert infos {sorted(shown)}, the model has {sorted(wanted)}"]


def _values(expected: Expectation, row: dict[str, list[str]]) -> list[str]:
    texts = []
    for name in FIELDS:
        wanted = expected.values.get(name)
        shown = row.get(name)
        if shown is not None:
            shown = bytes.fromhex(shown[0]) if name == "stellartp.payload" else _numbers(shown)
        if shown != wanted:
            texts.append(f"{name} is {shown}, the model has {wanted}")
    return texts


def _numbers(texts: list[str]) -> list[int]:
    """Numbers as tshark prints them: decimal, 0x…, and for one bit also True and False."""
    words = {"True": 1, "False": 0}
    return [words[text] if text in words else int(text, 0) for text in texts]
