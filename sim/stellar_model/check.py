"""StellarTP's end-to-end check: Ethernet's CRC-32 over what no switch may change."""

import zlib

from stellar_spec.headers import ACK, ADDR, CHECK_SIZE, IMM, INT, INT_HOP, STELLAR, UDP
from stellar_spec.opcodes import INT_HOPS_MAX, StellarFlag

from .codec import decode

__all__ = ["end_to_end_check"]


def end_to_end_check(addresses: bytes, between: int, datagram: bytes) -> bytes:
    """The check of a packet, the ``CHECK_SIZE`` bytes as they stand at the datagram's end.

    ``addresses`` are the IP source and destination, together 8 or 32 bytes; ``between`` counts the
    bytes from there to the UDP header (IPv4 options, IPv6 extension headers); ``datagram`` is UDP
    header and payload, the place of the check included.

    CRC-32 of IEEE 802.3 (clause 3.2.9), least significant byte first as an FCS is sent.  It covers
    the addresses; ``between`` zeros; the UDP header with its checksum as zero; the base header and
    its extensions with the whole INT as zero; the payload.
    """
    covered = bytearray(datagram[:-CHECK_SIZE])
    _zero(covered, UDP.offset("checksum") // 8, UDP["checksum"].width // 8)
    _zero(covered, *_int_extension(datagram))
    crc = zlib.crc32(addresses + bytes(between) + covered)
    return crc.to_bytes(CHECK_SIZE, "little")


def _int_extension(datagram: bytes) -> tuple[int, int]:
    """Where in a StellarTP datagram the INT extension starts, and its size with the stack, or 0.

    More than ``INT_HOPS_MAX`` reserved hops have a stack of 0 bytes.  In a datagram that ends in
    front of its INT the first word is read as zero.
    """
    flags = decode(STELLAR, datagram, UDP.size)["flags"]
    before = ((StellarFlag.ADDR, ADDR), (StellarFlag.IMM, IMM), (StellarFlag.ACK, ACK))
    at = UDP.size + STELLAR.size + sum(header.size for flag, header in before if flags & flag)
    if not flags & StellarFlag.INT:
        return at, 0
    first_word = datagram[at : at + INT.size].ljust(INT.size, b"\0")
    hops = decode(INT, first_word)["hops_reserved"]
    return at, INT.size + INT_HOP.size * (hops if hops <= INT_HOPS_MAX else 0)


def _zero(data: bytearray, at: int, size: int) -> None:
    """Write zeros over what is there of ``size`` bytes from ``at`` on."""
    size = max(0, min(size, len(data) - at))
    data[at : at + size] = bytes(size)
