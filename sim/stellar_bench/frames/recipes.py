"""What several themes build their frames of, on top of ``stellar_model.build``."""

from collections.abc import Iterable

from stellar_model import build
from stellar_model.build import Part
from stellar_model.build.part import part
from stellar_model.check import end_to_end_check
from stellar_model.codec import encode
from stellar_spec.codes import Protocol
from stellar_spec.headers import CHECK_SIZE, ETHERNET, IPV4, IPV6, STELLAR, UDP
from stellar_spec.opcodes import OPCODES, Opcode, StellarFlag

__all__ = [
    "ACK_FIELDS",
    "ADDR_FIELDS",
    "ADDRESSES",
    "EXTENSIONS",
    "IMM_FIELDS",
    "INT_FIELDS",
    "IP_SIZES",
    "L4",
    "PROTOCOLS_NEAR",
    "datagram",
    "filler",
    "good",
    "int_fields",
    "on_ip",
    "raw",
    "required",
    "reseal",
    "send",
    "tagged",
    "udp_header",
]

ADDR_FIELDS = {"rkey": 0x81828384, "address": 0x9192939495969798, "length": 0xA1A2A3A4}
IMM_FIELDS = {"data": 0xB1B2B3B4}
ACK_FIELDS = {
    "bitmap": 0xC1C2C3C4C5C6C7C8,
    "credits": 0xD1D2,
    "path": 0xD3D4,
    "code": 0xD5D6,
    "echo": 0xD7D8,
}
INT_FIELDS = {"hops_used": 1, "hops_reserved": 2, "exceeded": 1}
EXTENSIONS = {"addr": ADDR_FIELDS, "imm": IMM_FIELDS, "ack": ACK_FIELDS, "int": INT_FIELDS}
"""Values for each extension: no two bytes alike, so that none can stand in for another."""

ADDRESSES = {
    4: bytes([10, 0, 0, 1, 10, 0, 0, 2]),
    6: bytes([0xFD, *bytes(14), 1, 0xFD, *bytes(14), 2]),
}
"""Source and destination as the builders write them."""

IP_SIZES = {4: IPV4.size, 6: IPV6.size}
"""Bytes of the IP header without options and extension headers, by version."""

L4 = {version: ETHERNET.size + size for version, size in IP_SIZES.items()}
"""The first byte behind such a header in a frame without tags."""

PROTOCOLS_NEAR = sorted(
    {known ^ 1 << bit for known in Protocol for bit in range(8)} - set(map(int, Protocol))
)
"""Protocol numbers one bit beside those that the parser knows."""


def filler(size: int, first: int = 0x21) -> bytes:
    """``size`` bytes of payload that count up, so that a byte that is lost or doubled shows."""
    return bytes((first + i) & 0xFF for i in range(size))


def int_fields(reserved: int, used: int = 0, **fields: int) -> dict[str, int]:
    """The first word of an INT extension."""
    return {"hops_reserved": reserved, "hops_used": used} | fields


def required(opcode: int) -> dict[str, dict[str, int]]:
    """The extensions that ``opcode`` requires, as arguments of ``build.stellar``."""
    rule = OPCODES.get(opcode)
    return {
        name: values
        for name, values in EXTENSIONS.items()
        if rule and rule.required & StellarFlag[name.upper()]
    }


def good(opcode: int, size: int = 0, **fields) -> Part:
    """A StellarTP packet that nobody can find fault with, if ``opcode`` is one.

    It has the extensions and the body that the opcode needs and ``size`` bytes behind them (below
    0: the body lacks some); fields and extensions are as ``build.stellar`` takes them.
    """
    rule = OPCODES.get(opcode)
    payload = filler((rule.body if rule else 0) + size)
    values = {"flow": 0x414243, "psn": 0x515253, "placement": 0x61626364}
    values["udp"] = {"sport": 0xE1E2} | fields.pop("udp", {})
    return build.stellar(opcode, payload, **required(opcode) | values | fields)


def send(size: int = 4, **fields) -> Part:
    """The plainest good packet: SEND with ``size`` bytes."""
    return good(Opcode.SEND, size, **fields)


def on_ip(version: int, payload: Part | bytes, protocol: int | None = None, **fields) -> Part:
    """``payload`` in IPv4 or IPv6; ``protocol`` is the number of plain bytes."""
    if version == 4:
        return build.ipv4(payload, protocol=protocol, **fields)
    return build.ipv6(payload, next_header=protocol, **fields)


def tagged(payload: Part, tpids: Iterable[int]) -> Part:
    """``payload`` behind tags, the outermost first; each has other bits set."""
    for place, tpid in reversed(list(enumerate(tpids))):
        payload = build.vlan(payload, tpid=tpid, pcp=5 - place, dei=place & 1, vid=0xA5C + place)
    return payload


def raw(number: int, data: bytes) -> Part:
    """A layer of plain bytes that the layer in front announces by ``number``."""
    return part(number, data, b"")


def datagram(version: int, inner: Part, between: int = 0) -> bytes:
    """UDP header and payload of ``inner`` as it stands ``between`` bytes behind the addresses."""
    return inner.data(ADDRESSES[version], between)


def reseal(version: int, data: bytes, between: int = 0) -> bytes:
    """The datagram ``data`` with its UDP length and, if there is room, its check made right.

    Less than a UDP header is left as it is.
    """
    if len(data) < UDP.size:
        return data
    sizes = UDP.offset("length") // 8
    data = data[:sizes] + len(data).to_bytes(2, "big") + data[sizes + 2 :]
    if len(data) < UDP.size + STELLAR.size + CHECK_SIZE:
        return data
    return data[:-CHECK_SIZE] + end_to_end_check(ADDRESSES[version], between, data)


def udp_header(**fields: int) -> bytes:
    """A UDP header of exactly these fields."""
    return encode(UDP, **fields)
