"""StellarTP: opcodes and extensions in every mix, missing bytes, versions, ports, wrong checks."""

from collections.abc import Iterator
from itertools import product

from stellar_model import build
from stellar_spec.headers import CHECK_SIZE, STELLAR, STELLAR_EXTENSIONS, STELLAR_PORT, UDP
from stellar_spec.opcodes import OPCODES, Opcode, StellarFlag

from ..frame import Hostile, Kit
from ..pieces import (
    EXTENSION_SETS,
    IP_END,
    VERSIONS,
    extensions,
    on_ip,
    opcode_for,
    put,
    send,
    udp,
)

__all__ = [
    "check_wrong",
    "extension_missing",
    "opcode_body",
    "opcode_extension",
    "stellar_version",
    "udp_port",
]

CODES = range(1 << STELLAR["opcode"].width)


def _body(opcode: int) -> int:
    return OPCODES[opcode].body if opcode in OPCODES else 0


def opcode_extension(kit: Kit) -> Iterator[Hostile]:
    """Every opcode (64, most of them not assigned) with every set of extensions (16), over IPv4 and
    IPv6, with the body that the opcode needs; all else is right.

    Source: this project's docs/wire-format.md, sections 3 and 4
    """
    for version, opcode, names in product(VERSIONS, CODES, EXTENSION_SETS):
        packet = send(kit.random(_body(opcode)), opcode=opcode, **extensions(names))
        chosen = "-".join(names).lower() or "none"
        note = f"opcode {opcode}, extensions {chosen}"
        yield kit.hostile(
            (f"ipv{version}", opcode, chosen), kit.frame(on_ip(version, packet)), note
        )


def opcode_body(kit: Kit) -> Iterator[Hostile]:
    """Every assigned opcode with every set of extensions that it may carry, whose body lacks each
    number of bytes, with a right check behind it, and with the check cut too.

    Source: this project's docs/wire-format.md, section 3
    """
    for opcode, names in product(OPCODES, EXTENSION_SETS):
        if not OPCODES[opcode].accepts(sum(StellarFlag[name] for name in names)):
            continue
        chosen = "-".join(names).lower() or "none"
        body = kit.random(_body(opcode))
        for missing in range(1, len(body) + 1):
            packet = send(body[:-missing], opcode=opcode, **extensions(names))
            note = f"opcode {opcode}, body lacks {missing} of {len(body)} bytes"
            where = (opcode, chosen, missing)
            yield kit.hostile(where, kit.frame(build.ipv4(packet)), note)
        for left in range(CHECK_SIZE):
            packet = send(body, opcode=opcode, check=b"\0" * left, **extensions(names))
            note = f"opcode {opcode}, {left} bytes of the check"
            yield kit.hostile((opcode, chosen, "check", left), kit.frame(build.ipv4(packet)), note)


def extension_missing(kit: Kit) -> Iterator[Hostile]:
    """Every set of extensions announced by the flags, with every number of bytes behind the base
    header that is too small for them; the check behind it is right.

    Source: this project's docs/wire-format.md, section 4
    """
    for version, names in product(VERSIONS, EXTENSION_SETS[1:]):
        flags = sum(StellarFlag[name] for name in names)
        need = sum(STELLAR_EXTENSIONS[name].size for name in names)
        for size in range(need):
            packet = send(kit.random(size), opcode=opcode_for(names), flags=flags, stack=b"")
            chosen = "-".join(names).lower()
            note = f"{size} of {need} bytes of {chosen}"
            frame = kit.frame(on_ip(version, packet))
            yield kit.hostile((f"ipv{version}", chosen, size), frame, note)


def stellar_version(kit: Kit) -> Iterator[Hostile]:
    """StellarTP of versions 1 to 3 with every opcode; and datagrams of 0 to 16 bytes of such a
    version, too short for a base header or a check.

    Source: this project's docs/wire-format.md, section 2
    """
    for number, opcode in product((1, 2, 3), CODES):
        packet = send(kit.random(3), opcode=opcode, version=number)
        frame = kit.frame(on_ip(4 if opcode % 2 else 6, packet))
        yield kit.hostile((number, opcode), frame, f"version {number}, opcode {opcode}")
    for version, number, size in product(VERSIONS, (1, 2, 3), range(17)):
        body = (bytes([number << 6 | 3]) + kit.random(16))[:size]
        for sum_name, checksum in {"summed": None, "unsummed": 0}.items():
            packet = udp(body, dport=STELLAR_PORT, checksum=checksum)
            note = f"version {number}, {size} bytes of UDP payload"
            where = (f"ipv{version}", number, size, sum_name)
            yield kit.hostile(where, kit.frame(on_ip(version, packet)), note)


def udp_port(kit: Kit) -> Iterator[Hostile]:
    """UDP destination ports one bit beside StellarTP's, its port as source, 0 and 0xffff; and the
    same with StellarTP on another port.

    Source: RFC 768; this project's docs/wire-format.md, section 1
    """
    for port in (STELLAR_PORT, 4793, 1):
        settings = {} if port == STELLAR_PORT else {"stellar_port": port}
        ports = {port, 0, 0xFFFF, STELLAR_PORT, 4793, 4791, *(port ^ 1 << bit for bit in range(16))}
        for version, other in product(VERSIONS, sorted(ports)):
            frame = kit.frame(on_ip(version, send(udp={"dport": other})))
            note = f"to port {other}, StellarTP is on {port}"
            yield kit.hostile((port, f"ipv{version}", other), frame, note, **settings)
        swapped = kit.frame(build.ipv4(send(udp={"sport": port, "dport": 53})))
        yield kit.hostile((port, "source"), swapped, f"from port {port}", **settings)


def check_wrong(kit: Kit) -> Iterator[Hostile]:
    """A wrong end-to-end check: each bit of it, each byte of the packet from the IP header on (also
    those that it does not cover, where it stays right: TTL, ECN, the UDP sum, INT), byte order and
    complement of the check; dropping and only flagging it.

    Source: this project's docs/wire-format.md, section 6; IEEE 802.3, clause 3.2.9
    """
    for version in VERSIONS:
        packet = send(kit.random(5), opcode=Opcode.WRITE_IMM, **extensions(["ADDR", "IMM", "INT"]))
        frame = kit.frame(on_ip(version, packet))
        body, check = frame[:-CHECK_SIZE], frame[-CHECK_SIZE:]
        where = f"ipv{version}"
        for bit in range(8 * CHECK_SIZE):
            wrong = (int.from_bytes(check, "big") ^ 1 << bit).to_bytes(CHECK_SIZE, "big")
            for flag in (0, 1):
                settings = {"check_flag": 1} if flag else {}
                note = f"bit {bit} of the check wrong"
                yield kit.hostile((where, "bit", bit, flag), body + wrong, note, **settings)
        others = {"reversed": check[::-1], "inverted": bytes(byte ^ 0xFF for byte in check)}
        for name, wrong in {**others, "zero": bytes(4), "ones": b"\xff" * 4}.items():
            yield kit.hostile((where, name), body + wrong, f"check {name}")
        for at in range(14, len(frame)):
            wrong = bytearray(frame)
            wrong[at] ^= 1 << kit.rng.randrange(8)
            yield kit.hostile((where, "byte", at), wrong, f"byte {at} changed")
        flags = put(frame, IP_END[version] + UDP.size, STELLAR, "flags", 0xFE)
        yield kit.hostile((where, "int-hidden"), flags, "the flag of INT changed on the way")
