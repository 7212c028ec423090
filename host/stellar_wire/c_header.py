"""The C header ``stellartp.h``: numbers, sizes, and functions that read and write each field.

C99 and C++, without structures and bit fields: every function takes a pointer to the first byte
of its header, at any alignment, and works on machines of either byte order.
"""

from stellar_spec import headers
from stellar_spec.fields import Field, Header
from stellar_spec.meanings import MEANINGS
from stellar_spec.opcodes import EXTENSION_FLAGS, INT_HOPS_MAX, OPCODES, AckCode, StellarFlag

from .c_check import check_functions
from .lua_spec import FIELD_PREFIXES

__all__ = ["c_header"]

_HEAD = """\
/* StellarTP, version 0: numbers, sizes, and access to every field of its headers.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Written by `make wire` (python -m stellar_wire) from stellar_spec; do not edit.
 * The format: docs/wire-format.md. Use: docs/dissectors.md.
 *
 * A function takes a pointer to the first byte of its header, at any alignment; whoever calls it
 * has made sure that the header is whole. Values are in the machine's own byte order. A setter
 * writes the low bits of its value that the field has, and leaves all other bits alone.
 */
#ifndef STELLARTP_H
#define STELLARTP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
"""

_TAIL = """\
#ifdef __cplusplus
}
#endif

#endif /* STELLARTP_H */
"""


def _define(name: str, value: str, doc: str) -> str:
    return f"#define STELLARTP_{name} {value} /* {doc} */"


def _numbers() -> list[str]:
    lines = [
        _define("PORT", f"{headers.STELLAR_PORT}u", "default UDP destination port"),
        _define("VERSION", f"{headers.STELLAR_VERSION}u", "the version described here"),
        _define("CHECK_SIZE", f"{headers.CHECK_SIZE}u", "bytes; the last of the UDP payload"),
        _define("INT_HOPS_MAX", f"{INT_HOPS_MAX}u", "hops that INT may reserve"),
    ]
    for name in FIELD_PREFIXES:
        header = getattr(headers, name)
        title = "BASE" if name == "STELLAR" else name
        lines.append(_define(f"{title}_SIZE", f"{header.size}u", f"bytes; {header.name}"))
    lines.append("")
    for flag in sorted(StellarFlag, reverse=True):
        meaning = MEANINGS[StellarFlag][flag]
        lines.append(_define(f"FLAG_{flag.name}", f"0x{flag:02x}u", meaning))
    extensions = f"0x{EXTENSION_FLAGS:02x}u"
    lines.append(_define("FLAGS_EXTENSIONS", extensions, "those that announce an extension"))
    return lines


def _enumerations() -> list[str]:
    lines = ["", "enum stellartp_opcode {"]
    for opcode, rule in sorted(OPCODES.items()):
        lines.append(f"    STELLARTP_{opcode.name} = {int(opcode)}, /* {rule.doc} */")
    lines[-1] = lines[-1].replace(", /*", " /*", 1)
    lines += ["};", "", "enum stellartp_ack_code {"]
    for code in AckCode:
        meaning = MEANINGS[AckCode][code]
        lines.append(f"    STELLARTP_CODE_{code.name} = {int(code)}, /* {meaning} */")
    lines[-1] = lines[-1].replace(", /*", " /*", 1)
    return [*lines, "};"]


def _type(width: int) -> int:
    """Bits of the smallest C type for ``width`` bits."""
    return next(bits for bits in (8, 16, 32, 64) if bits >= width)


def _accessors(name: str, header: Header, field: Field) -> list[str]:
    byte, bit = divmod(header.offset(field.name), 8)
    size = -(-(bit + field.width) // 8)
    shift = 8 * size - bit - field.width
    kind = _type(field.width)
    work = max(32, _type(8 * size))  # bits of the type that is computed in
    mask = 2**field.width - 1
    suffix = "ull" if work == 64 else "u"
    read = " |\n         ".join(
        f"(uint{work}_t)p[{byte + i}] << {8 * (size - 1 - i)}" for i in range(size)
    )
    identifier = FIELD_PREFIXES[name].replace(".", "_") + field.name
    lines = [
        "",
        f"/* {header.name}: {field.doc} ({field.width} bits) */",
        f"static inline uint{kind}_t stellartp_{identifier}(const uint8_t *p)",
        "{",
        f"    uint{work}_t bits = {read};",
        f"    return (uint{kind}_t)((bits >> {shift}) & 0x{mask:x}{suffix});",
        "}",
        "",
        f"static inline void stellartp_set_{identifier}(uint8_t *p, uint{kind}_t value)",
        "{",
        f"    uint{work}_t bits = ((uint{work}_t)value & 0x{mask:x}{suffix}) << {shift};",
    ]
    for i in range(size):
        down = 8 * (size - 1 - i)
        own = (mask << shift) >> down & 0xFF
        kept = f"(p[{byte + i}] & 0x{0xFF ^ own:02x}u) | " if own != 0xFF else ""
        part = f"(bits >> {down} & 0xffu)" if kept else f"(bits >> {down})"
        lines.append(f"    p[{byte + i}] = (uint8_t)({kept}{part});")
    return [*lines, "}"]


def _offsets() -> list[str]:
    """Where the extensions are, from the flags alone."""
    lines = []
    before: list[str] = []
    for name, header in headers.STELLAR_EXTENSIONS.items():
        terms = ["STELLARTP_BASE_SIZE", *before]
        total = " +\n           ".join(terms)
        lines += [
            "",
            f"/* {header.name}: bytes in front of it from the base header on, if announced */",
            f"static inline size_t stellartp_{name.lower()}_offset(unsigned flags)",
            "{",
            *(["    (void)flags;"] if not before else []),
            f"    return {total};",
            "}",
        ]
        before.append(f"(flags & STELLARTP_FLAG_{name} ? STELLARTP_{name}_SIZE : 0u)")
    total = " +\n           ".join(["stellartp_int_offset(flags)", before[-1]])
    return [
        *lines,
        "",
        "/* Bytes of base header and announced extensions, without the hops of INT */",
        "static inline size_t stellartp_headers_size(unsigned flags)",
        "{",
        f"    return {total};",
        "}",
    ]


def _rule_function(name: str, doc: str, values: dict[int, str], default: str) -> list[str]:
    lines = ["", f"/* {doc} */", f"static inline unsigned stellartp_{name}(unsigned opcode)", "{"]
    lines.append("    switch (opcode) {")
    lines += [f"    case {opcode}u: return {value};" for opcode, value in values.items()]
    return [*lines, f"    default: return {default};", "    }", "}"]


def _rules() -> list[str]:
    def column(read):
        return {int(opcode): read(rule) for opcode, rule in sorted(OPCODES.items())}

    return [
        *_rule_function(
            "opcode_assigned",
            "Whether the opcode is assigned",
            column(lambda rule: "1u"),
            "0u",
        ),
        *_rule_function(
            "opcode_required",
            "Flags of the extensions that an opcode requires",
            column(lambda rule: f"0x{rule.required:02x}u"),
            "0u",
        ),
        *_rule_function(
            "opcode_allowed",
            "Flags of the extensions that it allows besides",
            column(lambda rule: f"0x{rule.allowed:02x}u"),
            "0u",
        ),
        *_rule_function(
            "opcode_body",
            "Bytes that its body has at least",
            column(lambda rule: f"{rule.body}u"),
            "0u",
        ),
        "",
        "/* Whether the opcode is assigned and the extension flags are a legal set for it */",
        "static inline int stellartp_accepts(unsigned opcode, unsigned flags)",
        "{",
        "    unsigned set = flags & STELLARTP_FLAGS_EXTENSIONS;",
        "    unsigned required = stellartp_opcode_required(opcode);",
        "    unsigned allowed = required | stellartp_opcode_allowed(opcode);",
        "    return stellartp_opcode_assigned(opcode) && !(required & ~set) && !(set & ~allowed);",
        "}",
    ]


def c_header() -> str:
    """The text of ``stellartp.h``."""
    lines = [_HEAD, *_numbers(), *_enumerations()]
    for name in FIELD_PREFIXES:
        header = getattr(headers, name)
        for field in header.fields:
            lines += _accessors(name, header, field)
    lines += [*_offsets(), *_rules(), *check_functions(), "", _TAIL]
    return "\n".join(lines)
