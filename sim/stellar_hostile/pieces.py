"""What several families build their frames of, on top of ``stellar_model.build``."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from stellar_model import build
from stellar_model.build import Part
from stellar_spec.fields import Header
from stellar_spec.headers import ETHERNET, IPV4, IPV6, STELLAR_EXTENSIONS
from stellar_spec.opcodes import OPCODES, Opcode, StellarFlag

from .frame import Kit

__all__ = [
    "EXTENSION_SETS",
    "IP_END",
    "KINDS",
    "L3",
    "OTHER_PORT",
    "VERSIONS",
    "around",
    "datagram",
    "extensions",
    "header",
    "layer",
    "least",
    "opcode_for",
    "on_ip",
    "put",
    "send",
    "set_ip_length",
    "sized",
    "tagged",
    "udp",
    "words",
]

VERSIONS = (4, 6)
L3 = ETHERNET.size
"""The first byte behind Ethernet in a frame without tags."""
IP_END = {4: L3 + IPV4.size, 6: L3 + IPV6.size}
"""The first byte behind an IP header without options in a frame without tags, by version."""
OTHER_PORT = 53
"""A UDP port that is not StellarTP's."""


def words(data: bytes) -> int:
    """The 16-bit words of ``data`` added up with the carries kept; an odd byte gets a 0 behind."""
    data += bytes(len(data) % 2)
    return sum(int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2))


def put(data: bytes, at: int, header: Header, field: str, value: int) -> bytes:
    """``data`` with ``field`` of the ``header`` that starts at byte ``at`` overwritten."""
    width = header[field].width
    shift = 8 * (len(data) - at) - header.offset(field) - width
    if shift < 0:
        raise ValueError(f"{field} of {header.name} lies behind the {len(data)} bytes of the frame")
    if not 0 <= value < 1 << width:
        raise ValueError(f"{field} of {header.name} is {value}; it has {width} bits")
    whole = int.from_bytes(data, "big") & ~((1 << width) - 1 << shift) | value << shift
    return whole.to_bytes(len(data), "big")


def set_ip_length(frame: bytes, length: int, l3: int = L3) -> bytes:
    """``frame`` with the ``length`` of all behind its IP header written into it, the sum right."""
    if frame[l3] >> 4 == 6:
        return put(frame, l3, IPV6, "payload_length", length)
    size = 4 * (frame[l3] & 15)
    frame = put(frame, l3, IPV4, "total_length", size + length)
    frame = put(frame, l3, IPV4, "checksum", 0)
    total = words(frame[l3 : l3 + size])
    return put(frame, l3, IPV4, "checksum", -total % 0xFFFF)


def layer(number: int, data: bytes) -> Part:
    """A layer of plain bytes that the layer in front announces by ``number``."""
    return Part(number, lambda addresses, between: data)


def header(layout: Header, **fields: int) -> bytes:
    """A header of exactly these fields, the others zero."""
    data = bytes(layout.size)
    for name, value in fields.items():
        data = put(data, 0, layout, name, value)
    return data


def on_ip(version: int, payload: Part, **fields) -> Part:
    """``payload`` in IPv4 or IPv6."""
    return (build.ipv4 if version == 4 else build.ipv6)(payload, **fields)


def datagram(version: int, payload: Part, wrap: Callable[[Part], Part] | None = None) -> bytes:
    """The bytes of ``payload`` as they stand in an IP packet without options.

    With ``wrap``, an extension header of 8 bytes around it, they stand behind that one.
    """
    if wrap is None:
        return build.ethernet(on_ip(version, payload))[IP_END[version] :]
    return build.ethernet(on_ip(version, wrap(payload)))[IP_END[version] + 8 :]


def tagged(payload: Part, tpids: Iterable[int]) -> Part:
    """``payload`` behind tags, the outermost first; each has other bits set."""
    for place, tpid in reversed(list(enumerate(tpids))):
        payload = build.vlan(payload, tpid=tpid, pcp=5 - place, dei=place & 1, vid=0xA5C + place)
    return payload


def udp(payload: bytes, **fields) -> Part:
    """A datagram to a port that is not StellarTP's, with its sum."""
    return build.udp(payload, **{"sport": 0xE1E2, "dport": OTHER_PORT} | fields)


def send(payload: bytes = b"send", *, opcode: int = Opcode.SEND, **fields) -> Part:
    """A StellarTP packet, the plainest good one unless told otherwise; without UDP sum."""
    values = {"flow": 0x414243, "psn": 0x515253, "placement": 0x61626364}
    values["udp"] = {"sport": 0xE1E2} | fields.pop("udp", {})
    return build.stellar(opcode, payload, **values | fields)


_VALUES = {
    "ADDR": {"rkey": 0x81828384, "address": 0x9192939495969798, "length": 0xA1A2A3A4},
    "IMM": {"data": 0xB1B2B3B4},
    "ACK": {"bitmap": 0xC1C2C3C4C5C6C7C8, "credits": 0xD1D2, "path": 0xD3D4, "echo": 0xD7D8},
    "INT": {"hops_used": 1, "hops_reserved": 1},
}

EXTENSION_SETS = tuple(
    tuple(name for bit, name in enumerate(STELLAR_EXTENSIONS) if chosen >> bit & 1)
    for chosen in range(1 << len(STELLAR_EXTENSIONS))
)
"""Every set of StellarTP's extensions, by their names."""


def extensions(names: Iterable[str]) -> dict[str, dict[str, int]]:
    """Extensions as arguments of ``send``: no two bytes alike, so that none looks like another."""
    return {name.lower(): _VALUES[name] for name in names}


def opcode_for(names: Iterable[str]) -> Opcode:
    """An opcode that may carry this set of extensions, SEND if none may."""
    flags = sum(StellarFlag[name] for name in names)
    return next((code for code, rule in OPCODES.items() if rule.accepts(flags)), Opcode.SEND)


KINDS = {
    "stellar4": lambda data: build.ipv4(send(data, udp={"checksum": None})),
    "stellar6": lambda data: build.ipv6(send(data)),
    "tagged": lambda data: tagged(build.ipv4(send(data)), (0x88A8, 0x8100)),
    "udp4": lambda data: build.ipv4(udp(data)),
    "udp6": lambda data: build.ipv6(build.destination(udp(data), options=b"\1\4\0\0\0\0")),
    "tcp4": lambda data: build.ipv4(build.tcp(data, sport=0xE1E2, dport=80, flags=0x18)),
}
"""Good packets of several kinds around a payload, for what depends on size alone."""


@cache
def least(kind: str) -> int:
    """Bytes of a frame of that kind without a payload."""
    return len(build.ethernet(KINDS[kind](b"")))


def sized(kit: Kit, kind: str, size: int) -> bytes | None:
    """A whole frame of ``size`` bytes and that kind; ``None`` if its headers are longer."""
    room = size - least(kind)
    return None if room < 0 else kit.frame(KINDS[kind](kit.random(room)))


def around(sizes: Iterable[int], *beside: int) -> Iterator[int]:
    """Each of ``sizes`` with each of ``beside`` added, in order, none twice."""
    return iter(sorted({size + step for size in sizes for step in beside}))
