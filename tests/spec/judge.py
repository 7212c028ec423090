"""What the specification makes of a packet that ``decoder`` has taken apart: checks and verdict."""

import zlib

from stellar_spec import coverage, headers
from stellar_spec.codes import Protocol
from stellar_spec.fields import Header
from stellar_spec.opcodes import INT_HOPS_MAX
from tests.spec.decoder import CHAIN, Layout

__all__ = ["check", "internet_sum", "udp_sum", "verdict"]


def _fed(name: str, header: Header, values: dict[str, int]) -> bytes:
    """What the header called ``name`` gives to the check sequence, field by field."""
    bits = "1"
    for entry in header.fields:
        fed = coverage.treatment(getattr(headers, name), entry.name)
        if fed is not coverage.Treatment.OUTSIDE:
            number = values[entry.name] if fed is coverage.Treatment.COVERED else 0
            bits += f"{number:0{entry.width}b}"
    return int(bits, 2).to_bytes(len(bits) // 8 + 1, "big")[1:]


def check(place: Layout) -> bytes:
    """The end-to-end check as ``stellar_spec.coverage`` declares it."""
    sequence, between = b"", 0
    for name, at, values in place.rows:
        if name in CHAIN.values():
            continue  # with its body, between the addresses and UDP
        if name == "UDP":
            sequence += bytes(at - between)
        header = place.spec.headers[name]
        sequence += _fed(name, header, values)
        if name in ("IPV4", "IPV6"):
            between = at + header.size
    end = place.udp + place.values("UDP")["length"] - headers.CHECK_SIZE
    return zlib.crc32(sequence + place.frame[place.at : end]).to_bytes(4, "little")


def internet_sum(data: bytes) -> int:
    """One's complement sum of the 16-bit words (RFC 1071); 0xffff over data with its checksum."""
    data += b"\0" * (len(data) % 2)
    total = sum(int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def udp_sum(place: Layout) -> int:
    """Sum over pseudo header and datagram; 0xffff when the checksum is right."""
    network = place.values("IPV4") or place.values("IPV6")
    size = 4 if network["version"] == 4 else 16
    addresses = network["src"].to_bytes(size, "big") + network["dst"].to_bytes(size, "big")
    length = place.values("UDP")["length"]
    pseudo = addresses + length.to_bytes(4, "big") + bytes((0, 0, 0, Protocol.UDP))
    return internet_sum(pseudo + place.frame[place.udp : place.udp + length])


def verdict(place: Layout, trimmed: bool = False) -> tuple[str, str]:
    """Verdict and reason, by name, of a packet that is right up to UDP."""
    udp, base, word = (place.values(name) for name in ("UDP", "STELLAR", "INT"))
    if udp["dport"] != headers.STELLAR_PORT or (base and base["version"]):
        return "HOST", "NONE"
    if udp["checksum"] and not trimmed and udp_sum(place) != 0xFFFF:
        return "DROP", "UDP_CHECKSUM"
    if place.truncated:
        return "DROP", "STELLAR_TRUNCATED"
    rule = place.spec.rules.get(base["opcode"])
    if rule is None:
        return "DROP", "STELLAR_OPCODE"
    malformed = word and (
        word["zero"] or not word["hops_used"] <= word["hops_reserved"] <= INT_HOPS_MAX
    )
    if malformed or not rule.accepts(base["flags"]):
        return "DROP", "STELLAR_EXTENSION"
    end = place.udp + udp["length"]
    if not trimmed and place.frame[end - headers.CHECK_SIZE : end] != check(place):
        return "DROP", "STELLAR_CHECK"
    return "STELLAR", "NONE"
