"""A small decoder, made of nothing but the specification's header tables.

It knows StellarTP over Ethernet, tags, IP and UDP.  What can be malformed in front of StellarTP is
the parser's business and not looked at.  ``Spec`` holds what a test may want to change.
"""

from dataclasses import dataclass, field

from stellar_spec import headers, opcodes
from stellar_spec.codes import TPIDS, VLAN_LIMIT, EtherType, KeyKind, Protocol
from stellar_spec.fields import Header
from stellar_spec.headers import STELLAR_EXTENSIONS
from stellar_spec.tables import HEADERS

__all__ = ["CHAIN", "Layout", "Spec", "groups", "need"]

CHAIN = {
    Protocol.HOP_BY_HOP: "IPV6_EXTENSION",
    Protocol.ROUTING: "IPV6_ROUTING",
    Protocol.FRAGMENT: "IPV6_FRAGMENT",
    Protocol.AH: "AH",
    Protocol.DESTINATION: "IPV6_EXTENSION",
}


@dataclass
class Spec:
    """What the decoder is made of: headers by name, extensions in order, flags, opcode rules."""

    headers: dict[str, Header] = field(default_factory=HEADERS.copy)
    extensions: tuple[str, ...] = tuple(STELLAR_EXTENSIONS)
    flags: dict[str, int] = field(
        default_factory=lambda: {flag.name: int(flag) for flag in opcodes.StellarFlag}
    )
    rules: dict[int, opcodes.OpcodeRule] = field(default_factory=lambda: dict(opcodes.OPCODES))


def _read(header: Header, frame: bytes, at: int) -> dict[str, int]:
    data = frame[at : at + header.size]
    if len(data) < header.size:
        raise IndexError(f"{header.name} is cut at byte {len(frame)}")
    number, left, values = int.from_bytes(data, "big"), header.width, {}
    for entry in header.fields:
        left -= entry.width
        values[entry.name] = number >> left & (1 << entry.width) - 1
    return values


class Layout:
    """Walks a frame that is whole and right up to UDP, and StellarTP as far as it goes.

    ``rows``: (header's name, offset, values) in wire order; ``at``: the end of the last one;
    ``udp``: where UDP starts; ``room``: bytes of the UDP payload, without bound when trimmed;
    ``truncated``: the room does not hold the packet.  Raises ``IndexError`` when a header is cut
    that must not be.
    """

    def __init__(self, frame: bytes, spec: Spec, trimmed: bool = False):
        self.frame, self.spec = frame, spec
        self.at, self.rows, self.truncated = 0, [], False
        kind = self._take("ETHERNET")["type"]
        while kind in TPIDS:
            kind = self._take("VLAN")["type"]
        self._network(kind)
        self.udp = self.at
        values = self._take("UDP")
        self.room = 1 << 16 if trimmed else values["length"] - spec.headers["UDP"].size
        if values["dport"] == headers.STELLAR_PORT:
            self._transport()

    def values(self, name: str) -> dict[str, int] | None:
        """The values of the header called ``name``, or ``None``."""
        return next((values for row, _, values in self.rows if row == name), None)

    def announced(self) -> list[str]:
        """The extensions that the base header announces."""
        flags = self.values("STELLAR")["flags"]
        return [name for name in self.spec.extensions if flags & self.spec.flags[name]]

    def _take(self, name: str) -> dict[str, int]:
        header = self.spec.headers[name]
        values = _read(header, self.frame, self.at)
        self.rows.append((name, self.at, values))
        self.at += header.size
        return values

    def _network(self, kind: int) -> None:
        start = self.at
        if kind == EtherType.IPV4:
            self.at = start + 4 * self._take("IPV4")["ihl"]
            return
        following = self._take("IPV6")["next_header"]
        while following in CHAIN:
            name, start = CHAIN[following], self.at
            values = self._take(name)
            length = values.get("length", 0)
            self.at = start + (4 * (length + 2) if name == "AH" else 8 * (length + 1))
            following = values["next_header"]

    def _whole(self, name: str) -> bool:
        return self.at + self.spec.headers[name].size <= len(self.frame)

    def _transport(self) -> None:
        if self.room < self.spec.headers["STELLAR"].size or not self._whole("STELLAR"):
            self.truncated = True
            return
        base = self._take("STELLAR")
        if base["version"] != headers.STELLAR_VERSION:
            self.at -= self.spec.headers[self.rows[-1][0]].size
            return
        self.truncated = self.room < need(self)
        for name in () if self.truncated else self.announced():
            if not self._whole(name):
                return
            self._take(name)
            if name == "INT":
                self._stack(need(self))

    def _stack(self, least: int) -> None:
        hops = self.values("INT")["hops_reserved"]
        hops = hops if hops <= opcodes.INT_HOPS_MAX else 0
        if self.room < least + hops * self.spec.headers["INT_HOP"].size:
            self.at -= self.spec.headers[self.rows.pop()[0]].size
            self.truncated = True
            return
        for _ in range(hops):
            self._take("INT_HOP")


def need(place: Layout) -> int:
    """Least UDP payload of the packet, hops not counted."""
    sizes = place.spec.headers
    rule = place.spec.rules.get(place.values("STELLAR")["opcode"])
    extensions = sum(sizes[name].size for name in place.announced())
    body = rule.body if rule else 0
    return sizes["STELLAR"].size + extensions + body + headers.CHECK_SIZE


def _ethernet(place: Layout) -> dict[str, int]:
    tags = [values for name, _, values in place.rows if name == "VLAN"]
    found = {**place.values("ETHERNET"), "vlan_count": len(tags)}
    for number in range(VLAN_LIMIT):
        tag = dict.fromkeys(("tpid", "pcp", "dei", "vid"), 0)
        if number < len(tags):
            tag = {**tags[number], "tpid": found["type"]}
            found["type"] = tag.pop("type")
        found |= {f"vlan{number}_{name}": value for name, value in tag.items()}
    return found


def _ip(place: Layout) -> dict[str, int]:
    """Of frames that are no fragments."""
    values = place.values("IPV4") or place.values("IPV6")
    found = {name: values[name] for name in ("version", "src", "dst", "dscp", "ecn")}
    start = next(at for name, at, _ in place.rows if name in ("IPV4", "IPV6"))
    following = [row["next_header"] for name, _, row in place.rows if name in CHAIN.values()]
    if "ttl" in values:
        found |= {"ttl": values["ttl"], "protocol": values["protocol"]}
        total = values["total_length"]
    else:
        found |= {"ttl": values["hop_limit"]}
        found |= {"protocol": [values["next_header"], *following][-1]}
        total = values["payload_length"] + place.spec.headers["IPV6"].size
    length = {"header_length": place.udp - start, "total_length": total}
    return {**found, **length, "fragment_offset": 0, "more_fragments": 0}


def _key(place: Layout, version: int, flow: int | None) -> dict[str, int]:
    key = dict.fromkeys(("kind", "protocol", "sport", "dport", "flow"), 0)
    five = KeyKind.IPV4_5TUPLE if version == 4 else KeyKind.IPV6_5TUPLE
    stellar = KeyKind.IPV4_STELLAR if version == 4 else KeyKind.IPV6_STELLAR
    if flow is not None:
        return key | {"kind": int(stellar), "flow": flow}
    ports = {name: place.values("UDP")[name] for name in ("sport", "dport")}
    return key | {"kind": int(five), "protocol": int(Protocol.UDP)} | ports


def groups(place: Layout) -> dict[str, dict[str, int]]:
    """What the header record says, group by group; ``meta`` and ``state`` left out."""
    starts = {name: at for name, at, _ in place.rows}
    base = place.values("STELLAR")
    shown = base is not None and base["version"] == headers.STELLAR_VERSION
    found = {"eth": _ethernet(place), "ip": _ip(place), "udp": place.values("UDP")}
    if shown:
        names = ("STELLAR", *place.spec.extensions)
        found |= {name.lower(): place.values(name) for name in names if name in starts}
    found["offsets"] = {
        "l3": starts["IPV4"] if "IPV4" in starts else starts["IPV6"],
        "l4": place.udp,
        "int": starts.get("INT", 0),
        "payload": place.at,
    }
    found["key"] = _key(place, found["ip"]["version"], base["flow"] if shown else None)
    return found
