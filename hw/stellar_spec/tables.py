"""The tables and pictures of the documents, made from the specification."""

from collections.abc import Callable, Iterable
from functools import partial

from . import headers
from .codes import Flag, KeyKind, Layer, Reason, Verdict
from .congestion import FORMATS
from .coverage import BYTES_COVERAGE, COVERAGE
from .fields import Header
from .meanings import MEANINGS
from .opcodes import OPCODES, AckCode, Opcode, StellarFlag, minimum_udp_length
from .overhead import ETHERNET_BYTES, IP_BYTES, PACKETS, WRITES, message_bytes, saving
from .records import HEADER_RECORD, SETTINGS, TRAILER_RECORD, Group

__all__ = ["HEADERS", "TABLES", "picture"]

HEADERS: dict[str, Header] = {
    name: value for name, value in vars(headers).items() if isinstance(value, Header)
}
"""Every header of the specification by the name of its declaration."""


def _table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [[str(head) for head in heads]]
    lines += [["---"] * len(lines[0])]
    lines += [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _header(header: Header) -> str:
    rows = (
        (f"`{f.name}`", f.width, f"{header.offset(f.name) // 8}.{header.offset(f.name) % 8}", f.doc)
        for f in header.fields
    )
    caption = f"{header.name}, {header.size} bytes ({header.source})."
    return caption + "\n\n" + _table(("field", "bits", "offset (byte.bit)", "meaning"), rows)


def _cell(text: str, width: int) -> str:
    """``text`` in the middle of a picture's cell of ``width`` bits; if it is too long its last
    word alone, cut if it must be."""
    room = 2 * width - 1
    if len(text) > room:
        text = text.split("_")[-1][:room]
    return text.center(room)


def picture(header: Header) -> str:
    """The header as RFCs draw it, 32 bits a line; a field that wraps is named on each line."""
    ruler = "+-" * 32 + "+"
    lines = [
        " " + "".join(f"{bit // 10 if bit % 10 == 0 else ' '} " for bit in range(32)).rstrip(),
        " " + " ".join(str(bit % 10) for bit in range(32)),
        ruler,
    ]
    cells, at = [], 0
    for field in header.fields:
        left = field.width
        while left:
            part = min(left, 32 - at % 32)
            name = field.name if left == field.width else f"... {field.name}"
            cells.append(_cell(name if part == left else f"{name} ...", part))
            left, at = left - part, at + part
            if at % 32 == 0:
                lines += ["|" + "|".join(cells) + "|", ruler]
                cells = []
    if cells:
        lines += ["|" + "|".join(cells) + "|", "+-" * (at % 32) + "+"]
    return "```\n" + "\n".join(lines) + "\n```"


def _extensions(flags: StellarFlag) -> str:
    names = [name for name in headers.STELLAR_EXTENSIONS if StellarFlag[name] & flags]
    return ", ".join(names) or "–"


def _opcodes() -> str:
    rows = (
        (
            int(opcode),
            f"`{opcode.name}`",
            _extensions(rule.required),
            _extensions(rule.allowed),
            rule.body,
            minimum_udp_length(opcode, rule.required),
            rule.doc,
        )
        for opcode, rule in sorted(OPCODES.items())
    )
    heads = ("code", "opcode", "required", "allowed besides", "least body", "least UDP length")
    unassigned = f"0 and {max(Opcode) + 1}–63 are not assigned."
    return _table((*heads, "what it is"), rows) + "\n\n" + unassigned


def _extension_sizes() -> str:
    rows = (
        (name, f"0x{StellarFlag[name]:02x}", header.size, header.name)
        for name, header in headers.STELLAR_EXTENSIONS.items()
    )
    hops = f"Each reserved hop adds {headers.INT_HOP.size} bytes to INT."
    return _table(("extension", "flag", "bytes", "header"), rows) + "\n\n" + hops


def _bits(enumeration) -> str:
    digits = -(-len(enumeration) // 4)
    rows = (
        (m.bit_length() - 1, f"0x{m:0{digits}x}", f"`{m.name}`", MEANINGS[enumeration][m])
        for m in sorted(enumeration)
    )
    return _table(("bit", "value", "name", "meaning"), rows)


def _values(enumeration) -> str:
    rows = ((int(m), f"`{m.name}`", MEANINGS[enumeration][m]) for m in sorted(enumeration))
    return _table(("value", "name", "meaning"), rows)


def _record(groups: tuple[Group, ...]) -> str:
    rows, at = [], 0
    for group in groups:
        shown = f"`{group.layer.name}`" if group.layer else "always"
        for field in group.fields:
            rows.append((f"`{group.name}.{field.name}`", field.width, at, shown, field.doc))
            at += field.width
    heads = ("field", "bits", "least bit", "shown with", "meaning")
    return _table(heads, rows) + f"\n\n{at} bits."


def _settings() -> str:
    rows = ((f"`{s.name}`", s.width, s.reset, s.doc) for s in SETTINGS)
    return _table(("setting", "bits", "after reset", "meaning"), rows)


def _coverage() -> str:
    rows = [
        (entry.header.name, f"`{name}`", entry.treatment.value, entry.reason)
        for entry in COVERAGE
        for name in entry.fields
    ]
    rows += [(entry.name, "", entry.treatment.value, entry.reason) for entry in BYTES_COVERAGE]
    return _table(("header", "field", "in the check", "why"), rows)


def _overhead_packets() -> str:
    rows = ((p.roce, p.bytes[0], p.stellar, p.bytes[1], saving(*p.bytes)) for p in PACKETS)
    return _table(("RoCEv2 packet", "bytes", "StellarTP packet", "bytes", "StellarTP has"), rows)


def _overhead_wire() -> str:
    rows = []
    for p in WRITES:
        for ip, size in IP_BYTES.items():
            network = [size + transport for transport in p.bytes]
            wire = [ETHERNET_BYTES + transport for transport in network]
            sums = (*network, saving(*network), *wire, saving(*wire))
            rows.append((p.roce, p.stellar, ip, *sums))
    heads = ("RoCEv2 packet", "StellarTP packet", "over", "RoCEv2, IP on", "StellarTP, IP on")
    return _table((*heads, "has", "RoCEv2, wire", "StellarTP, wire", "has"), rows)


def _overhead_messages() -> str:
    rows = []
    for packets in (1, 2, 4, 16, 64):
        plain, addr = message_bytes(packets), message_bytes(packets, addr=True)
        rows.append((packets, *plain, saving(*plain), addr[1], saving(*addr)))
    heads = ("packets of a write", "RoCEv2", "StellarTP", "has", "StellarTP, all with ADDR", "has")
    return _table(heads, rows)


def _fixed_point() -> str:
    rows = (
        (
            f"`{fixed.name}`",
            fixed.notation,
            fixed.doc,
            "" if fixed.default is None else float(fixed.default),
        )
        for fixed in FORMATS
    )
    return _table(("number", "format", "meaning", "default"), rows)


TABLES: dict[str, Callable[[], str]] = {
    **{f"header {name}": partial(_header, header) for name, header in HEADERS.items()},
    **{
        f"picture {name}": partial(picture, header)
        for name, header in {**headers.STELLAR_EXTENSIONS, "INT_HOP": headers.INT_HOP}.items()
    },
    "picture STELLAR": partial(picture, headers.STELLAR),
    "opcodes": _opcodes,
    "extensions": _extension_sizes,
    "stellar flags": partial(_bits, StellarFlag),
    "ack codes": partial(_values, AckCode),
    "verdicts": partial(_values, Verdict),
    "reasons": partial(_values, Reason),
    "flags": partial(_bits, Flag),
    "layers": partial(_bits, Layer),
    "key kinds": partial(_values, KeyKind),
    "header record": partial(_record, HEADER_RECORD),
    "trailer record": partial(_record, TRAILER_RECORD),
    "settings": _settings,
    "fixed-point": _fixed_point,
    "coverage": _coverage,
    "overhead packets": _overhead_packets,
    "overhead wire": _overhead_wire,
    "overhead messages": _overhead_messages,
}
"""Every generated table by the name in its marker."""
