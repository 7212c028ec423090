"""UDP, TCP and StellarTP."""

from stellar_spec.codes import Protocol
from stellar_spec.fields import Header
from stellar_spec.headers import (
    CHECK_SIZE,
    INT_HOP,
    STELLAR,
    STELLAR_EXTENSIONS,
    STELLAR_PORT,
    TCP,
    UDP,
)
from stellar_spec.opcodes import INT_HOPS_MAX, StellarFlag

from ..check import end_to_end_check
from ..checksum import checksum as internet_checksum
from ..checksum import pseudo_header
from ..codec import encode
from .part import Part

__all__ = ["stellar", "tcp", "udp"]


def udp(payload: bytes = b"", *, length=None, checksum=None, **fields) -> Part:
    """UDP: ``sport``, ``dport``."""
    fields["length"] = UDP.size + len(payload) if length is None else length

    def data(addresses: bytes, between: int) -> bytes:
        return _summed(addresses, Protocol.UDP, UDP, fields, payload, checksum)

    return Part(Protocol.UDP, data)


def tcp(payload: bytes = b"", *, options: bytes = b"", checksum=None, **fields) -> Part:
    """TCP; ``options`` are whole 4-byte words."""
    if len(options) % 4:
        raise ValueError(f"TCP options have {len(options)} bytes; whole 4-byte words are needed")
    fields.setdefault("data_offset", (TCP.size + len(options)) // 4)

    def data(addresses: bytes, between: int) -> bytes:
        return _summed(addresses, Protocol.TCP, TCP, fields, options + payload, checksum)

    return Part(Protocol.TCP, data)


def stellar(
    opcode: int,
    payload: bytes = b"",
    *,
    flags=0,
    addr: dict | None = None,
    imm: dict | None = None,
    ack: dict | None = None,
    int: dict | None = None,
    stack: bytes | None = None,
    check: bytes | None = None,
    udp: dict | None = None,
    **fields,
) -> Part:
    """A StellarTP packet with its UDP header.

    ``addr``, ``imm``, ``ack`` and ``int`` are the fields of extensions; the flags that announce
    them are added to ``flags``.  ``stack`` is INT's, zeros for the reserved hops when not given.
    ``check`` stands in place of the right end-to-end check.  ``udp`` has fields of the UDP header;
    its checksum is absent (0) unless given, and the right one for ``None``.  ``fields`` are the
    base header's.
    """
    extensions = b""
    for name, values in {"ADDR": addr, "IMM": imm, "ACK": ack, "INT": int}.items():
        if values is not None:
            flags |= StellarFlag[name]
            extensions += encode(STELLAR_EXTENSIONS[name], **values)
    extensions += _stack(int or {}) if stack is None else stack
    body = encode(STELLAR, opcode=opcode, flags=flags, **fields) + extensions + payload
    size = UDP.size + len(body) + (CHECK_SIZE if check is None else len(check))
    outer = {"dport": STELLAR_PORT, "length": size, "checksum": 0} | (udp or {})
    checksum = outer.pop("checksum")

    def data(addresses: bytes, between) -> bytes:
        seal = check
        if seal is None:
            whole = encode(UDP, **outer) + body + bytes(CHECK_SIZE)
            seal = end_to_end_check(addresses, between, whole)
        return _summed(addresses, Protocol.UDP, UDP, outer, body + seal, checksum)

    return Part(Protocol.UDP, data)


def _stack(telemetry: dict[str, int]) -> bytes:
    hops = telemetry.get("hops_reserved", 0)
    return bytes(INT_HOP.size * hops) if hops <= INT_HOPS_MAX else b""


def _summed(
    addresses: bytes, protocol: int, header: Header, fields: dict, payload: bytes, checksum
) -> bytes:
    """UDP or TCP with ``checksum``, for ``None`` the right one (UDP sends its 0 as 0xffff)."""
    if checksum is None:
        packet = encode(header, **fields) + payload
        checksum = internet_checksum(pseudo_header(addresses, len(packet), protocol) + packet)
        if protocol == Protocol.UDP:
            checksum = checksum or 0xFFFF  # RFC 768: 0 would say that there is none
    return encode(header, **fields, checksum=checksum) + payload
