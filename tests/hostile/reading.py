"""How judges read a frame: Scapy where it can, else a few bytes at places typed from the RFCs."""

from collections.abc import Callable, Iterator
from functools import cache

from scapy.layers.inet import IP, in4_chksum
from scapy.layers.inet6 import IPv6, in6_chksum
from scapy.layers.l2 import Ether
from scapy.utils import checksum

__all__ = [
    "JUDGES",
    "chain",
    "header_sum_right",
    "ip_payload",
    "judge",
    "number",
    "parts",
    "scapy",
    "total",
    "udp_sum_right",
    "version",
]

JUDGES: dict[str, Callable] = {}
"""Judges by family: each is told all frames of its family, and asserts what they promise."""


def judge(function: Callable) -> Callable:
    """Registers a judge under the family that it is called like."""
    JUDGES[function.__name__.replace("_", "-")] = function
    return function


def parts(frame) -> list[str]:
    """The frame's name behind its family, as parts."""
    return frame.name.split("/")[1:]


@cache
def scapy(data: bytes):
    """The frame as Scapy reads it."""
    return Ether(data)


def number(data: bytes, at: int, size: int = 2) -> int:
    """The number in ``size`` bytes from ``at`` on, which must be there."""
    assert len(data) >= at + size, (data.hex(), at)
    return int.from_bytes(data[at : at + size], "big")


def version(data: bytes) -> int:
    """The version of an IP packet in an untagged frame."""
    return data[14] >> 4


def ip_payload(data: bytes) -> bytes:
    """All behind the IP header (options included) of an untagged frame."""
    return data[14 + 4 * (data[14] & 15) :] if version(data) == 4 else data[54:]


def total(data: bytes) -> int:
    """16-bit words added up, carries kept (RFC 1071)."""
    data += bytes(len(data) % 2)
    return sum(data[0::2]) * 256 + sum(data[1::2])


def header_sum_right(data: bytes) -> bool:
    """Whether Scapy takes the IPv4 header of an untagged frame for right."""
    return checksum(data[14 : 14 + 4 * (data[14] & 15)]) == 0


def udp_sum_right(data: bytes) -> bool:
    """Whether Scapy takes the UDP sum of an untagged frame for right."""
    packet = scapy(data)
    datagram = ip_payload(data)
    if version(data) == 6:
        datagram = datagram[sum(size for _, size in chain(data)) :]
    datagram = datagram[: number(datagram, 4)]
    if version(data) == 4:
        ip = packet[IP].copy()  # its length is the datagram's in the pseudo header (RFC 768)
        ip.len = 4 * ip.ihl + len(datagram)
        return in4_chksum(17, ip, datagram) == 0
    return in6_chksum(17, packet[IPv6], datagram) == 0


EXTENSIONS = {0, 43, 44, 51, 60}


def chain(data: bytes) -> Iterator[tuple[int, int]]:
    """(type, bytes) of each IPv6 extension header that begins in an untagged frame (RFC 8200)."""
    kind, at = data[20], 54
    while kind in EXTENSIONS and len(data) >= at + 2:
        size = 8 if kind == 44 else 4 * (data[at + 1] + 2) if kind == 51 else 8 * (data[at + 1] + 1)
        yield kind, size
        kind, at = data[at], at + size
