"""Numbers with names: EtherTypes, protocols, flags, verdicts, reasons, layers, key kinds; limits.

Opcodes and the flags of StellarTP's base header are in ``opcodes``.
"""

from enum import IntEnum, IntFlag

__all__ = [
    "EXTENSION_LIMIT",
    "LENGTH_MAX",
    "TPIDS",
    "VLAN_LIMIT",
    "EtherType",
    "Flag",
    "IPv4Option",
    "IPv6Option",
    "KeyKind",
    "Layer",
    "Protocol",
    "Reason",
    "Verdict",
]

TPIDS = (0x8100, 0x88A8, 0x9100)
"""Tag protocol identifiers that open a VLAN tag (IEEE 802.1Q; 0x9100 by custom)."""

VLAN_LIMIT = 2
"""VLAN tags that are read."""

EXTENSION_LIMIT = 256
"""Bytes of IPv6 extension headers that are walked."""

LENGTH_MAX = 2**17 - 1
"""Bytes at which a frame's length saturates."""


class EtherType(IntEnum):
    """EtherTypes that lead on (IEEE 802 numbers); a smaller value than ``MINIMUM`` is a length."""

    MINIMUM = 0x0600
    IPV4 = 0x0800
    IPV6 = 0x86DD


class Protocol(IntEnum):
    """IP protocols and IPv6 extension header types that the parser knows (IANA)."""

    HOP_BY_HOP = 0
    TCP = 6
    UDP = 17
    ROUTING = 43
    FRAGMENT = 44
    AH = 51
    DESTINATION = 60


class IPv4Option(IntEnum):
    """IPv4 options that move the final destination out of the header (RFC 791, section 3.1)."""

    LOOSE_SOURCE_ROUTE = 131
    STRICT_SOURCE_ROUTE = 137


class IPv6Option(IntEnum):
    """IPv6 options that change the pseudo header."""

    HOME_ADDRESS = 201  # RFC 6275, section 6.3


class Verdict(IntEnum):
    """What becomes of a frame."""

    HOST = 0
    STELLAR = 1
    DROP = 2


class Reason(IntEnum):
    """Why a frame is dropped; of several the first in this order counts."""

    NONE = 0
    MAC_ERROR = 1
    UDP_CHECKSUM = 2
    STELLAR_TRUNCATED = 3
    STELLAR_OPCODE = 4
    STELLAR_EXTENSION = 5
    STELLAR_CHECK = 6


class Flag(IntFlag):
    """What was found out about a frame, whatever its verdict; docs/parser.md defines each."""

    ETH_TRUNCATED = 1 << 0
    VLAN_DEPTH = 1 << 1
    IP_TRUNCATED = 1 << 2
    IP_VERSION = 1 << 3
    IPV4_IHL = 1 << 4
    IPV4_OPTIONS = 1 << 5
    IPV4_CHECKSUM = 1 << 6
    IP_LENGTH = 1 << 7
    FRAGMENT = 1 << 8
    IPV6_EXTENSIONS = 1 << 9
    EXT_LIMIT = 1 << 10
    L4_TRUNCATED = 1 << 11
    UDP_LENGTH = 1 << 12
    UDP_CHECKSUM = 1 << 13
    UNVERIFIED = 1 << 14
    STELLAR_VERSION = 1 << 15
    STELLAR_CHECK = 1 << 16
    PADDED = 1 << 17
    OVERSIZE = 1 << 18
    TRIMMED = 1 << 19


class KeyKind(IntEnum):
    """What a flow key is made of; the kind is part of the key."""

    NONE = 0
    IPV4_5TUPLE = 1
    IPV6_5TUPLE = 2
    IPV4_STELLAR = 3
    IPV6_STELLAR = 4


class Layer(IntFlag):
    """Headers that a header record shows."""

    ETH = 1 << 0
    IP = 1 << 1
    UDP = 1 << 2
    TCP = 1 << 3
    STELLAR = 1 << 4
    ADDR = 1 << 5
    IMM = 1 << 6
    ACK = 1 << 7
    INT = 1 << 8
