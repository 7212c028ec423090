"""The Verilog header ``stellar_parser_fields.vh``: where each field of the parser's records stands.

Macros, since a Verilog file may use those inside and outside of modules. A field ``ip.src`` of the
header record has three: ``STELLAR_HEADER_IP_SRC`` is its range, for ``record[`…]``; with ``_LSB``
and ``_WIDTH`` behind it, two numbers.
"""

from collections.abc import Iterable, Iterator

from stellar_spec.codes import Flag, KeyKind, Layer, Reason, Verdict
from stellar_spec.meanings import MEANINGS
from stellar_spec.opcodes import OPCODES
from stellar_spec.records import HEADER_RECORD, INGRESS, SETTINGS, TRAILER_RECORD

__all__ = ["HEADER_NAME", "fields_header"]

HEADER_NAME = "stellar_parser_fields.vh"
"""Name of the file."""

_GUARD = "STELLAR_PARSER_FIELDS_VH"


def fields_header() -> str:
    """The header's text; it depends on ``stellar_spec`` alone.

    Names in it: ``STELLAR_HEADER_<GROUP>_<FIELD>``, ``STELLAR_TRAILER_<FIELD>``,
    ``STELLAR_TUSER_<FIELD>`` and ``STELLAR_CFG_<SETTING>_{WIDTH,DEFAULT}``; bit numbers
    ``STELLAR_HEADER_LAYER_<LAYER>`` and ``STELLAR_TRAILER_FLAG_<FLAG>``; values
    ``STELLAR_<VERDICT|REASON|KEY|OPCODE>_<NAME>``.
    """
    lines = [
        "// Fields of the Stellar NIC parser's ports and records; first field in the lowest bits.",
        "// Made from the specification by 'make verilog'; not edited by hand.",
        "// record[`STELLAR_HEADER_IP_SRC] selects a field.",
        f"`ifndef {_GUARD}",
        f"`define {_GUARD}",
        *_record("HEADER", "m_axis_header_tdata", _header_fields()),
        *_bits("HEADER_LAYER", Layer, _start(_header_fields(), "STATE_LAYERS")),
        *_record("TRAILER", "m_axis_trailer_tdata", _fields(TRAILER_RECORD[0].fields)),
        *_bits("TRAILER_FLAG", Flag, _start(_fields(TRAILER_RECORD[0].fields), "FLAGS")),
        *_record("TUSER", "s_axis_tuser and m_axis_tuser", _user_fields()),
        *_settings(),
        *_values("VERDICT", ((code, MEANINGS[Verdict][code]) for code in Verdict)),
        *_values("REASON", ((code, MEANINGS[Reason][code]) for code in Reason)),
        *_values("KEY", ((code, MEANINGS[KeyKind][code]) for code in KeyKind)),
        *_values("OPCODE", ((code, rule.doc) for code, rule in sorted(OPCODES.items()))),
        "",
        f"`endif // {_GUARD}",
    ]
    return "\n".join(lines) + "\n"


def _fields(fields, prefix="") -> list[tuple[str, int, str]]:
    """Name, width and meaning of each."""
    return [(f"{prefix}{field.name}".upper(), field.width, field.doc) for field in fields]


def _header_fields():
    return [row for group in HEADER_RECORD for row in _fields(group.fields, f"{group.name}_")]


def _user_fields():
    return [("ERROR", 1, "the MAC marks the frame as bad; with tlast"), *_fields(INGRESS)]


def _start(fields, name: str) -> int:
    """Bits in front of the field ``name``."""
    names = [field[0] for field in fields]
    return sum(width for _, width, _ in fields[: names.index(name)])


def _define(name: str, value: object) -> str:
    return f"`define STELLAR_{name} {value}"


def _record(record: str, port: str, fields) -> Iterator[str]:
    yield from ("", f"// {port}")
    yield _define(f"{record}_BITS", sum(width for _, width, _ in fields))
    at = 0
    for name, width, doc in fields:
        yield f"// {doc}"
        yield _define(f"{record}_{name}", f"{at + width - 1}:{at}")
        yield _define(f"{record}_{name}_LSB", at)
        yield _define(f"{record}_{name}_WIDTH", width)
        at += width


def _bits(title: str, flags, start: int) -> Iterator[str]:
    yield from ("", "// bit numbers in the record")
    for flag in flags:
        yield f"// {MEANINGS[flags][flag]}"
        yield _define(f"{title}_{flag.name}", start + flag.bit_length() - 1)


def _settings() -> Iterator[str]:
    yield from ("", "// cfg_ ports, and values to tie them to")
    for setting in SETTINGS:
        yield f"// {setting.doc}"
        yield _define(f"CFG_{setting.name.upper()}_WIDTH", setting.width)
        yield _define(f"CFG_{setting.name.upper()}_DEFAULT", f"{setting.width}'d{setting.reset}")


def _values(title: str, codes: Iterable) -> Iterator[str]:
    yield from ("", f"// {title.lower()}")
    for code, doc in codes:
        yield f"// {doc}"
        yield _define(f"{title}_{code.name}", int(code))
