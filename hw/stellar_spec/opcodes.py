"""StellarTP's opcodes, header flags and ACK codes, and which packets are well formed.

An opcode states the extensions that it requires, those that it allows besides, and the bytes
that its body has at least.  Bodies of opcodes whose protocol comes later stay opaque.
"""

from dataclasses import dataclass
from enum import IntEnum, IntFlag

from .headers import CHECK_SIZE, STELLAR, STELLAR_EXTENSIONS, UDP

__all__ = [
    "EXTENSION_FLAGS",
    "INT_HOPS_MAX",
    "OPCODES",
    "AckCode",
    "Opcode",
    "OpcodeRule",
    "StellarFlag",
    "minimum_udp_length",
]

INT_HOPS_MAX = 8
"""Hops for which an INT extension may reserve room."""


class StellarFlag(IntFlag):
    """Flags of the base header; an extension's flag announces it."""

    SOM = 1 << 7
    EOM = 1 << 6
    ACK_REQ = 1 << 5
    RETX = 1 << 4
    ADDR = 1 << 3
    IMM = 1 << 2
    ACK = 1 << 1
    INT = 1 << 0


EXTENSION_FLAGS = StellarFlag.ADDR | StellarFlag.IMM | StellarFlag.ACK | StellarFlag.INT
"""The flags that announce an extension."""


class Opcode(IntEnum):
    """What a packet is.  0 is never assigned, so that a zeroed packet is dropped."""

    WRITE = 1
    WRITE_IMM = 2
    SEND = 3
    SEND_IMM = 4
    READ_REQUEST = 5
    READ_RESPONSE = 6
    ATOMIC = 7
    ACK = 8
    NACK = 9
    CREDIT = 10
    CNP = 11
    PROBE = 12
    PROBE_REPLY = 13
    DEADLOCK = 14
    CAPABILITY = 15
    REDUCE = 16


class AckCode(IntEnum):
    """Codes of the ACK extension; an error's number is that of the SDK's error (E2003 …)."""

    OK = 0
    REGISTRATION_TIMEOUT = 1001
    REMOTE_KEY = 2003
    NO_CREDIT = 3008


@dataclass(frozen=True)
class OpcodeRule:
    """Extensions that an opcode requires and allows besides, its least body in bytes, its use."""

    required: StellarFlag
    allowed: StellarFlag
    body: int
    doc: str

    def accepts(self, flags: int) -> bool:
        """Whether the extension flags in ``flags`` are a legal set."""
        extensions = flags & EXTENSION_FLAGS
        return not (self.required & ~extensions or extensions & ~(self.required | self.allowed))


_NONE = StellarFlag(0)
_ADDR, _IMM, _ACK, _INT = StellarFlag.ADDR, StellarFlag.IMM, StellarFlag.ACK, StellarFlag.INT

OPCODES: dict[Opcode, OpcodeRule] = {
    Opcode.WRITE: OpcodeRule(_NONE, _ADDR | _INT, 0, "remote write"),
    Opcode.WRITE_IMM: OpcodeRule(_IMM, _ADDR | _INT, 0, "remote write that completes a receive"),
    Opcode.SEND: OpcodeRule(_NONE, _INT, 0, "message into a posted receive"),
    Opcode.SEND_IMM: OpcodeRule(_IMM, _INT, 0, "the same with immediate data"),
    Opcode.READ_REQUEST: OpcodeRule(_ADDR, _INT, 0, "asks for ADDR; placement is the answer's"),
    Opcode.READ_RESPONSE: OpcodeRule(
        _NONE, _ADDR | _IMM | _INT, 0, "answers a read or atomic; the last names its PSN in IMM"
    ),
    Opcode.ATOMIC: OpcodeRule(_ADDR, _INT, 20, "kind 4 bytes, operands 8 and 8"),
    Opcode.ACK: OpcodeRule(_ACK, _INT, 0, "cumulative PSN, bitmap, credits"),
    Opcode.NACK: OpcodeRule(_ACK, _INT, 0, "the same for a packet that is missed or refused"),
    Opcode.CREDIT: OpcodeRule(_ACK, _INT, 0, "grants credits"),
    Opcode.CNP: OpcodeRule(_NONE, _ACK | _INT, 0, "congestion notification"),
    Opcode.PROBE: OpcodeRule(_NONE, _INT, 8, "path or health probe"),
    Opcode.PROBE_REPLY: OpcodeRule(_NONE, _ACK | _INT, 8, "answers a probe"),
    Opcode.DEADLOCK: OpcodeRule(_NONE, _INT, 8, "deadlock detection (DDP)"),
    Opcode.CAPABILITY: OpcodeRule(_NONE, _INT, 8, "device capabilities (DCP)"),
    Opcode.REDUCE: OpcodeRule(_IMM, _ADDR | _INT, 4, "a collective's contribution"),
}


def minimum_udp_length(opcode: int, flags: int) -> int:
    """Least UDP length of a packet, hops of INT not counted; an unknown opcode has no body."""
    rule = OPCODES.get(opcode)
    extensions = sum(
        header.size for name, header in STELLAR_EXTENSIONS.items() if flags & StellarFlag[name]
    )
    return UDP.size + STELLAR.size + extensions + (rule.body if rule else 0) + CHECK_SIZE
