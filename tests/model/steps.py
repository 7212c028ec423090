"""What the tests of single steps share."""

from stellar_model.build import stellar, udp
from stellar_spec.codes import Flag
from stellar_spec.opcodes import Opcode

__all__ = ["DNS", "SEND", "flags", "offsets"]

DNS = udp(b"dns?", sport=1000, dport=53)
SEND = stellar(Opcode.SEND, b"data", flow=5)


def flags(parsed):
    """The trailer's flags."""
    return Flag(parsed.trailer["flags"])


def offsets(parsed):
    """l3, l4, int and payload."""
    return tuple(parsed.header["offsets"][name] for name in ("l3", "l4", "int", "payload"))
