"""The Wireshark dissector: declarations made from ``stellar_spec``, then the code of ``lua/``.

The declarations are Lua tables of headers, opcodes, flags and numbers, and the protocol's fields,
each under ``stellartp.`` with the name that it has in the specification.
"""

from pathlib import Path

from stellar_spec import headers
from stellar_spec.codes import EXTENSION_LIMIT, IPv4Option, IPv6Option, Protocol
from stellar_spec.fields import Field, Header
from stellar_spec.meanings import MEANINGS
from stellar_spec.opcodes import INT_HOPS_MAX, OPCODES, AckCode, Opcode, StellarFlag

from .lua_text import quoted, table
from .masks import runs

__all__ = ["FIELD_PREFIXES", "dissector", "field_names"]

BODY = Path(__file__).with_name("lua")

FIELD_PREFIXES = {
    "STELLAR": "",
    **{name: f"{name.lower()}." for name in headers.STELLAR_EXTENSIONS},
    "INT_HOP": "int.hop.",
}
"""Headers whose fields Wireshark shows, and what stands between ``stellartp.`` and their names."""

_READ = ("IPV4", "IPV6", "IPV6_EXTENSION", "IPV6_ROUTING", "IPV6_FRAGMENT", "UDP")
_MASKED = ("UDP", *FIELD_PREFIXES)
_HEXADECIMAL = {"flags", "placement", "rkey", "address", "data", "bitmap", "echo", "zero"}
_NAMED = {("STELLAR", "opcode"): "OPCODE_NAMES", ("ACK", "code"): "ACK_CODE_NAMES"}
_ACRONYMS = {"psn": "PSN", "rkey": "Remote key"}
_WHOLE = (8, 16, 24, 32, 64)


def field_names() -> list[tuple[str, str, str]]:
    """(name in Wireshark, declaration of the header, field) of every field that is shown."""
    return [
        (f"stellartp.{prefix}{field.name}", name, field.name)
        for name, prefix in FIELD_PREFIXES.items()
        for field in getattr(headers, name).fields
    ]


def _place(header: Header, field: Field) -> tuple[int, int, int, int]:
    """First byte, bytes, bits in front in the first byte, mask in those bytes."""
    byte, bit = divmod(header.offset(field.name), 8)
    size = -(-(bit + field.width) // 8)
    mask = (2**field.width - 1) << 8 * size - bit - field.width
    return byte, size, bit, mask


def _proto_field(name: str, field: Field, size: int, mask: int) -> str:
    abbreviation = f"stellartp.{FIELD_PREFIXES[name]}{field.name}"
    title = _ACRONYMS.get(field.name, field.name.replace("_", " ").capitalize())
    whole = field.width == 8 * size and field.width in _WHOLE
    if field.width == 1:
        arguments = [f"{8 * size}", "nil", f"0x{mask:X}"]
        kind = "bool"
    else:
        base = "HEX" if field.name in _HEXADECIMAL else "DEC"
        arguments = [f"base.{base}", _NAMED.get((name, field.name), "nil")]
        arguments.append("nil" if whole else f"0x{mask:X}")
        kind = f"uint{8 * size}"
    return (
        f"ProtoField.{kind}({quoted(abbreviation)}, {quoted(title)}, {', '.join(arguments)},"
        f" {quoted(field.doc)})"
    )


def _field(name: str, header: Header, field: Field) -> str:
    byte, size, bit, mask = _place(header, field)
    parts = [f"name = {quoted(field.name)}", f"byte = {byte}", f"size = {size}"]
    parts += [f"bit = {bit}", f"width = {field.width}"]
    if name in FIELD_PREFIXES:
        parts.append(f"proto = {_proto_field(name, field, size, mask)}")
    return f"  {{ {', '.join(parts)} }},"


def _header(name: str) -> list[str]:
    header = getattr(headers, name)
    lines = [f"HEADERS.{name} = declare({quoted(header.name)}, {header.size}, {{"]
    lines += [_field(name, header, field) for field in header.fields]
    lines.append("})")
    if name in _MASKED:
        parts = (
            f"{{ from = {first}, to = {end}, covered = {str(covered).lower()} }}"
            for first, end, covered in runs(header)
        )
        lines.append(f"HEADERS.{name}.runs = {{ {', '.join(parts)} }}")
    return lines


def _set(flags: StellarFlag) -> str:
    names = [f"{name} = true" for name in headers.STELLAR_EXTENSIONS if StellarFlag[name] & flags]
    return f"{{ {', '.join(names)} }}" if names else "{}"


def _rules() -> list[str]:
    lines = ["local RULES = {"]
    for opcode, rule in sorted(OPCODES.items()):
        sets = f"required = {_set(rule.required)}, allowed = {_set(rule.allowed)}"
        lines.append(f"  [{int(opcode)}] = {{ {sets}, body = {rule.body} }},  -- {opcode.name}")
    return [*lines, "}"]


def _flags() -> list[str]:
    lines = ["local FLAGS = {"]
    for flag in sorted(StellarFlag, reverse=True):
        meaning = MEANINGS[StellarFlag][flag]
        proto = (
            f'ProtoField.bool("stellartp.flags.{flag.name.lower()}", {quoted(flag.name)}, 8,'
            f" nil, 0x{flag:02X}, {quoted(meaning)})"
        )
        lines.append(f"  {{ name = {quoted(flag.name)}, value = 0x{flag:02X}, proto = {proto} }},")
    return [*lines, "}"]


def _extensions() -> list[str]:
    lines = ["local EXTENSIONS = {"]
    for name in headers.STELLAR_EXTENSIONS:
        flag = f"0x{StellarFlag[name]:02X}"
        lines.append(f"  {{ name = {quoted(name)}, flag = {flag}, header = HEADERS.{name} }},")
    return [*lines, "}"]


def _numbers() -> list[str]:
    walked = [p for p in Protocol if p not in (Protocol.TCP, Protocol.UDP)]
    constants = {
        "PORT": headers.STELLAR_PORT,
        "VERSION": headers.STELLAR_VERSION,
        "CHECK_SIZE": headers.CHECK_SIZE,
        "HOPS_MAX": INT_HOPS_MAX,
        "EXTENSION_LIMIT": EXTENSION_LIMIT,
    }
    return [
        *(f"local {name} = {value}" for name, value in constants.items()),
        f"local OPCODE_NAMES = {table({int(o): o.name for o in Opcode})}",
        f"local ACK_CODE_NAMES = {table({int(c): c.name for c in AckCode})}",
        f"local PROTOCOLS = {table({p.name: int(p) for p in Protocol})}",
        f"local WALKED = {table({int(p): True for p in walked})}",
        f"local SOURCE_ROUTES = {table({int(o): True for o in IPv4Option})}",
        f"local HOME_ADDRESSES = {table({int(o): True for o in IPv6Option})}",
    ]


def dissector() -> str:
    """The whole dissector as one Lua file."""
    parts = sorted(BODY.glob("*.lua"))
    head, *code = (part.read_text(encoding="utf-8") for part in parts)
    declarations = _numbers() + ["", "local HEADERS = {}"]
    for name in (*_READ, *FIELD_PREFIXES):
        declarations += _header(name)
    declarations += [*_rules(), *_flags(), *_extensions()]
    return "\n".join([head, *declarations, "", *code]).rstrip("\n") + "\n"
