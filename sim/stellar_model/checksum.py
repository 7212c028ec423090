"""The Internet checksum (RFC 1071) and UDP's, with its pseudo header (RFC 768, RFC 8200)."""

import numpy

from stellar_spec.codes import Protocol

__all__ = ["GOOD", "checksum", "ones_complement_sum", "pseudo_header"]

GOOD = 0xFFFF
"""Sum of data that holds its own right checksum."""


def ones_complement_sum(data: bytes) -> int:
    """One's complement sum of the 16-bit words of ``data``; an odd byte gets a zero behind it."""
    if len(data) % 2:
        data += b"\0"
    total = int(numpy.frombuffer(data, ">u2").sum(dtype=numpy.uint64))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def checksum(data: bytes) -> int:
    """The value for the checksum field of ``data``, in which that field reads zero."""
    return ~ones_complement_sum(data) & 0xFFFF


def pseudo_header(addresses: bytes, length: int, protocol: int = Protocol.UDP) -> bytes:
    """What UDP and TCP sum in front of their own ``length`` bytes.

    ``addresses`` are source and destination, together 8 or 32 bytes.  IPv6 gives the length 32
    bits in place of 16 and the zeros another place, which the sum does not tell apart.
    """
    return addresses + length.to_bytes(4, "big") + protocol.to_bytes(4, "big")
