"""Header bytes of StellarTP packets against those of RoCEv2, computed from the headers' sizes.

RoCEv2's sizes are those of the InfiniBand Architecture Specification, volume 1, chapter 9 and
annex A17 (RoCEv2).
"""

from dataclasses import dataclass

from .headers import CHECK_SIZE, ETHERNET, IPV4, IPV6, STELLAR, STELLAR_EXTENSIONS, UDP
from .opcodes import OPCODES, Opcode

__all__ = [
    "ETHERNET_BYTES",
    "IP_BYTES",
    "PACKETS",
    "ROCE",
    "WRITES",
    "Comparison",
    "message_bytes",
    "roce_bytes",
    "saving",
    "stellar_bytes",
]

ROCE = {"BTH": 12, "RETH": 16, "AtomicETH": 28, "ImmDt": 4, "AETH": 4, "ICRC": 4, "CNP": 16}
"""Bytes of RoCEv2's transport headers; ``CNP`` is the reserved payload of that packet."""

IP_BYTES = {"IPv4": IPV4.size, "IPv6": IPV6.size}
"""Bytes of the IP header without options or extension headers."""

ETHERNET_BYTES = 8 + ETHERNET.size + 4 + 12
"""Preamble and start delimiter, header without a tag, FCS, inter-packet gap (IEEE 802.3)."""


def roce_bytes(headers: tuple[str, ...]) -> int:
    """Transport bytes of a RoCEv2 packet: UDP, BTH, the ``headers`` named, ICRC."""
    return UDP.size + ROCE["BTH"] + sum(ROCE[name] for name in headers) + ROCE["ICRC"]


def stellar_bytes(extensions: tuple[str, ...] = (), body: int = 0) -> int:
    """Transport bytes of a StellarTP packet: UDP, base header, extensions, body, check."""
    size = sum(STELLAR_EXTENSIONS[name].size for name in extensions)
    return UDP.size + STELLAR.size + size + body + CHECK_SIZE


def saving(roce: int, stellar: int) -> str:
    """What is saved, as text with the sign that it has: ``40 % less``, ``43 % more``."""
    percent = 100 * (roce - stellar) / roce
    if not percent:
        return "nothing"
    return f"{abs(percent):.0f} % {'less' if percent > 0 else 'more'}"


@dataclass(frozen=True)
class Comparison:
    """One RoCEv2 packet and the StellarTP packet that does the same."""

    roce: str
    roce_headers: tuple[str, ...]
    stellar: str
    extensions: tuple[str, ...] = ()
    body: int = 0

    @property
    def bytes(self) -> tuple[int, int]:
        """Transport bytes: RoCEv2, StellarTP."""
        return roce_bytes(self.roce_headers), stellar_bytes(self.extensions, self.body)


_RETH, _IMM = ("RETH",), ("ImmDt",)

WRITES = (
    Comparison("WRITE first, only", _RETH, "WRITE"),
    Comparison("WRITE middle, last", (), "WRITE"),
    Comparison("WRITE first, only", _RETH, "WRITE with ADDR", ("ADDR",)),
    Comparison("WRITE middle, last", (), "WRITE with ADDR", ("ADDR",)),
)
"""The packets that make up a write."""

PACKETS = (
    *WRITES,
    Comparison("WRITE only, immediate", _RETH + _IMM, "WRITE_IMM", ("IMM",)),
    Comparison("WRITE last, immediate", _IMM, "WRITE_IMM", ("IMM",)),
    Comparison("SEND first, middle, last, only", (), "SEND"),
    Comparison("READ request", _RETH, "READ_REQUEST", ("ADDR",)),
    Comparison("READ response first, last, only", ("AETH",), "READ_RESPONSE, not the last"),
    Comparison("READ response middle", (), "READ_RESPONSE, not the last"),
    Comparison("READ response last, only", ("AETH",), "READ_RESPONSE, the last", ("IMM",)),
    Comparison("atomic", ("AtomicETH",), "ATOMIC", ("ADDR",), OPCODES[Opcode.ATOMIC].body),
    Comparison("ACK", ("AETH",), "ACK", ("ACK",)),
    Comparison("CNP", ("CNP",), "CNP"),
)
"""Packet by packet."""


def message_bytes(packets: int, addr: bool = False) -> tuple[int, int]:
    """Transport bytes of a write message of so many packets: RoCEv2, StellarTP.

    ``addr``: every StellarTP packet carries ADDR.  Raises ``ValueError`` below 1 packet.
    """
    if packets < 1:
        raise ValueError(f"a message has {packets} packets; it needs 1 or more")
    roce = roce_bytes(_RETH) + (packets - 1) * roce_bytes(())
    return roce, packets * stellar_bytes(("ADDR",) if addr else ())
