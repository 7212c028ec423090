"""What the dissector ought to show of a frame, field by field, from the golden model's walk."""

from dataclasses import dataclass, field

from stellar_model import Settings
from stellar_model.check import end_to_end_check
from stellar_model.codec import decode
from stellar_model.parser import follow
from stellar_model.verdict import addresses
from stellar_model.walk import Walk
from stellar_spec.codes import Layer
from stellar_spec.headers import (
    CHECK_SIZE,
    INT,
    INT_HOP,
    IPV4,
    IPV6,
    STELLAR,
    STELLAR_EXTENSIONS,
    UDP,
)
from stellar_spec.opcodes import INT_HOPS_MAX, OPCODES, StellarFlag

__all__ = ["EXPERTS", "Expectation", "STATUS", "expect"]

EXPERTS = (
    *("truncated", "bad_opcode", "bad_extension", "bad_int", "check.bad"),
    *("other_version", "not_candidate", "trimmed", "cut"),
)
"""Expert infos of the dissector, each filterable as ``stellartp.`` and its name."""

STATUS = {"bad": 0, "good": 1, "unverified": 2}


@dataclass
class Expectation:
    """``walk`` as the model made it; ``values``: field → numbers, or bytes for the payload;
    ``experts``: those that must be there, all others must not."""

    walk: Walk
    values: dict[str, list[int] | bytes] = field(default_factory=dict)
    experts: set[str] = field(default_factory=set)

    @property
    def reaches_udp(self) -> bool:
        """Whether a UDP datagram to StellarTP's port is there, candidate or not."""
        udp = self.walk.header["udp"]
        at_port = udp["dport"] == self.walk.settings.stellar_port
        return bool(self.walk.layers & Layer.UDP) and at_port

    @property
    def empty(self) -> bool:
        """Whether there is no byte behind UDP for which Wireshark would call a dissector."""
        l4, udp = self.walk.offsets["l4"], self.walk.header["udp"]
        return UDP.size in (udp["length"], min(self.walk.ip_payload, self.walk.n - l4))


def expect(frame: bytes, settings: Settings) -> Expectation:
    """The expectation for ``frame``; complete for a candidate."""
    walk = Walk(frame, settings)
    follow(walk)
    expected = Expectation(walk)
    if not walk.candidate:
        expected.experts.add("not_candidate")
        return expected
    _facts(expected)
    if walk.other_version:
        first = frame[walk.offsets["payload"]]
        expected.values["stellartp.version"] = [first >> 6]
    if walk.layers & Layer.STELLAR:
        _base(expected)
        _extensions(expected)
        _payload(expected)
    status = _status(expected)
    expected.values["stellartp.check.status"] = [STATUS[status]]
    if status == "bad":
        expected.experts.add("check.bad")
    return expected


def _room(walk: Walk) -> int:
    return (walk.ip_payload if walk.trimmed else walk.header["udp"]["length"]) - UDP.size


def _captured(walk: Walk) -> int:
    """Bytes of the UDP payload that are in the frame."""
    return min(_room(walk), walk.n - walk.offsets["l4"] - UDP.size)


def _facts(expected: Expectation) -> None:
    walk = expected.walk
    facts = {
        "truncated": walk.truncated,
        "bad_opcode": walk.bad_opcode,
        "other_version": walk.other_version,
        "trimmed": walk.trimmed,
        "cut": not walk.trimmed and _captured(walk) < _room(walk),
    }
    expected.experts |= {name for name, holds in facts.items() if holds}


def _base(expected: Expectation) -> None:
    walk, base = expected.walk, expected.walk.header["stellar"]
    expected.values |= {f"stellartp.{name}": [value] for name, value in base.items()}
    for flag in StellarFlag:
        expected.values[f"stellartp.flags.{flag.name.lower()}"] = [int(bool(base["flags"] & flag))]
    rule = OPCODES.get(base["opcode"])
    if rule and not walk.trimmed and not rule.accepts(base["flags"]):
        expected.experts.add("bad_extension")


def _extensions(expected: Expectation) -> None:
    walk = expected.walk
    for name in STELLAR_EXTENSIONS:
        if walk.layers & Layer[name]:
            _show(expected, name.lower(), walk.header[name.lower()])
    if walk.layers & Layer.INT:
        _int(expected, walk.offsets["int"])
    elif walk.truncated and _int_seen(walk):
        _int(expected, walk.offsets["payload"])  # the model stops in front of it


def _int_seen(walk: Walk) -> bool:
    """Whether INT's first word was read and its hops had no room: headers, body, check had."""
    base = walk.header["stellar"]
    if not base["flags"] & StellarFlag.INT:
        return False
    rule = OPCODES.get(base["opcode"])
    sizes = (h.size for n, h in STELLAR_EXTENSIONS.items() if base["flags"] & StellarFlag[n])
    need = STELLAR.size + sum(sizes) + (rule.body if rule else 0) + CHECK_SIZE
    return need <= _room(walk)


def _show(expected: Expectation, prefix: str, values: dict[str, int]) -> None:
    for name, value in values.items():
        expected.values.setdefault(f"stellartp.{prefix}.{name}", []).append(value)


def _int(expected: Expectation, at: int) -> None:
    walk = expected.walk
    first = decode(INT, walk.frame, at)
    if not walk.layers & Layer.INT:
        _show(expected, "int", first)
    used, reserved = first["hops_used"], first["hops_reserved"]
    wrong = reserved > INT_HOPS_MAX or used > reserved or first["zero"] != 0
    if wrong and not walk.trimmed:
        expected.experts.add("bad_int")
    if walk.truncated or reserved > INT_HOPS_MAX:
        return
    end = walk.offsets["l4"] + UDP.size + _captured(walk)
    for hop in range(reserved):
        start = at + INT.size + INT_HOP.size * hop
        if start + INT_HOP.size <= end:
            _show(expected, "int.hop", decode(INT_HOP, walk.frame, start))


def _whole_headers(walk: Walk) -> bool:
    """Whether every announced extension is in the frame and in the room, INT's hops included."""
    end = walk.offsets["l4"] + UDP.size + _captured(walk)
    flags = walk.header["stellar"]["flags"]
    shown = all(
        walk.layers & Layer[name] for name in STELLAR_EXTENSIONS if flags & StellarFlag[name]
    )
    return shown and walk.offsets["payload"] <= end


def _payload(expected: Expectation) -> None:
    walk = expected.walk
    if walk.truncated or not _whole_headers(walk):
        return
    first = walk.offsets["l4"] + UDP.size
    room = _room(walk) if walk.trimmed else _room(walk) - CHECK_SIZE
    end = first + min(room, _captured(walk))
    payload = walk.frame[walk.offsets["payload"] : end]
    if payload:
        expected.values["stellartp.payload"] = payload
    if not walk.trimmed and _captured(walk) == _room(walk):
        check = walk.frame[first + room : first + room + CHECK_SIZE]
        expected.values["stellartp.check"] = [int.from_bytes(check, "little")]
        expected.values["stellartp.check.computed"] = [int.from_bytes(_right(walk), "little")]


def _right(walk: Walk) -> bytes:
    """The check that the datagram ought to have."""
    l4, fixed = walk.offsets["l4"], IPV4.size if walk.header["ip"]["version"] == 4 else IPV6.size
    datagram = walk.frame[l4 : l4 + walk.header["udp"]["length"]]
    return end_to_end_check(addresses(walk), walk.header["ip"]["header_length"] - fixed, datagram)


def _status(expected: Expectation) -> str:
    values = expected.values
    if "stellartp.check" not in values:
        return "unverified"
    return "good" if values["stellartp.check"] == values["stellartp.check.computed"] else "bad"
