"""The parser's ports as the exported Verilog has them, and the shell around them."""

from stellar_spec.records import HEADER_RECORD, INGRESS, SETTINGS, TRAILER_RECORD

from .shell import find_module
from .shell import shell as make_shell

__all__ = [
    "HEADER_BITS",
    "META_BITS",
    "SELECT",
    "SETTINGS_BITS",
    "TRAILER_BITS",
    "ports",
    "shell",
    "top_module",
]


def _bits(row):
    return sum(item.width for item in row)


META_BITS = _bits(INGRESS)
HEADER_BITS = _bits(HEADER_RECORD)
TRAILER_BITS = _bits(TRAILER_RECORD)
SETTINGS_BITS = _bits(SETTINGS)
SELECT = "mutsel"
"""The input of a design with mutants that chooses one; 0: none of them."""


def ports(width, select=0):
    """Ports of a parser of ``width`` bytes a beat: name → bits.

    ``select`` is the number of bits of :data:`SELECT`; 0: there is no such input.
    """
    packet = 9 * width + 2 + META_BITS
    payloads = {"i": packet, "o": packet, "header": HEADER_BITS, "trailer": TRAILER_BITS}
    found = {f"{name}__payload": bits for name, bits in payloads.items()}
    for name in payloads:
        found |= {f"{name}__valid": 1, f"{name}__ready": 1}
    found |= {"settings": SETTINGS_BITS, "clk": 1, "rst": 1}
    return found | ({SELECT: select} if select else {})


def top_module(text, width, source="the Verilog", select=0):
    """The name of the module in ``text`` that has the ports of a parser of ``width`` bytes.

    Raises ``ValueError``, naming what the likeliest module lacks, when there is none.
    """
    return find_module(text, ports(width, select), f"{source} is no parser of width {width}")


def shell(top, width, select=0):
    """Verilog of the module ``shell`` around a parser of ``width`` bytes, see :mod:`.shell`."""
    return make_shell(top, ports(width, select), _OUTPUTS)


_OUTPUTS = {"i__ready"} | {
    f"{stream}__{part}" for stream in ("o", "header", "trailer") for part in ("payload", "valid")
}
