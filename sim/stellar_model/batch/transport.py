"""Steps 7 and 8 of docs/parser.md for many frames: UDP, TCP and StellarTP."""

import numpy as np

from stellar_spec.codes import Flag, Layer, Protocol
from stellar_spec.headers import (
    CHECK_SIZE,
    INT,
    INT_HOP,
    STELLAR,
    STELLAR_EXTENSIONS,
    STELLAR_VERSION,
    TCP,
    UDP,
)
from stellar_spec.opcodes import INT_HOPS_MAX, OPCODES, StellarFlag

from .walk import ENDLESS, WORD, Walk

__all__ = ["ip_payload", "stellar"]

_OPCODES = 2 ** STELLAR["opcode"].width
_FLAGS = 2 ** STELLAR["flags"].width
_KNOWN = np.array([opcode in OPCODES for opcode in range(_OPCODES)])
_BODY = np.array([OPCODES[o].body if o in OPCODES else 0 for o in range(_OPCODES)])
_ACCEPTED = np.array(
    [
        [opcode in OPCODES and OPCODES[opcode].accepts(flags) for flags in range(_FLAGS)]
        for opcode in range(_OPCODES)
    ]
)
_ANNOUNCED = np.array(
    [
        sum(header.size for name, header in STELLAR_EXTENSIONS.items() if f & StellarFlag[name])
        for f in range(_FLAGS)
    ]
)
"""Bytes of the extensions that the base header's flags announce, INT's stack not counted."""


def ip_payload(walk: Walk, rows: np.ndarray) -> np.ndarray:
    """7. IP payload; candidates go on."""
    l4 = walk.get("offsets.payload", rows)
    walk.put(rows, offsets_l4=l4)
    protocol = walk.get("ip.protocol", rows)
    size = np.select([protocol == Protocol.UDP, protocol == Protocol.TCP], [UDP.size, TCP.size])
    opaque = (walk.get("ip.fragment_offset", rows) != 0) | (size == 0)
    short = ~opaque & (walk.ip_payload[rows] < size)
    walk.flags[rows[short]] |= Flag.L4_TRUNCATED
    walk.stop(rows[opaque | short], l4[opaque | short])
    on = ~(opaque | short)
    on[on] = walk.need(rows[on], (l4 + size)[on], Flag.L4_TRUNCATED)
    rows, l4, protocol = rows[on], l4[on], protocol[on]
    is_udp = protocol == Protocol.UDP
    tcp(walk, rows[~is_udp], l4[~is_udp])
    return udp(walk, rows[is_udp], l4[is_udp])


def tcp(walk: Walk, rows: np.ndarray, l4: np.ndarray) -> None:
    """TCP is shown."""
    header = 4 * walk.read(TCP, "data_offset", rows, l4)
    walk.show(Layer.TCP, TCP, rows, l4, l4 + np.maximum(TCP.size, header))
    walk.stop(rows, l4 + TCP.size)


def udp(walk: Walk, rows: np.ndarray, l4: np.ndarray) -> np.ndarray:
    """UDP is shown; candidates go on."""
    walk.show(Layer.UDP, UDP, rows, l4, l4 + UDP.size)
    length, room = walk.get("udp.length", rows), walk.ip_payload[rows]
    beyond = (length > room) & (walk.flags[rows] & Flag.FRAGMENT == 0)
    wrong = ~walk.jumbogram[rows] & ((length < UDP.size) | beyond)
    walk.flags[rows[wrong]] |= Flag.UDP_LENGTH
    candidate = is_candidate(walk, rows, length, room)
    walk.candidate[rows] = candidate
    walk.stop(rows[~candidate], l4[~candidate] + UDP.size)
    return rows[candidate]


def is_candidate(walk: Walk, rows, length, room) -> np.ndarray:
    """Is it a candidate?"""
    settings = walk.settings
    if settings.trim:
        walk.trimmed[rows] = walk.column["ip.dscp"][rows] == settings.trim_dscp
    excluded = walk.flags[rows] & (Flag.IPV4_CHECKSUM | Flag.FRAGMENT) != 0
    for cause in (walk.source_route, walk.segments_left, walk.home_address, walk.jumbogram):
        excluded |= cause[rows]
    found = ~excluded & (length >= UDP.size) & (walk.trimmed[rows] | (length <= room))
    found &= walk.column["udp.dport"][rows] == settings.stellar_port
    if settings.filter:
        four = walk.column["ip.version"][rows] == 4
        own = np.where(four[:, None], *map(_halves, (settings.own_ipv4, settings.own_ipv6)))
        found &= (walk.column["ip.dst"][rows] == own).all(axis=1)
    return found


def _halves(value: int) -> np.ndarray:
    return np.array(divmod(value, 1 << 64), np.uint64)


def stellar(walk: Walk, rows: np.ndarray) -> None:
    """8. StellarTP."""
    at = walk.get("offsets.payload", rows)
    trimmed, n = walk.trimmed[rows], walk.n[rows]
    room = np.where(trimmed, walk.ip_payload[rows], walk.get("udp.length", rows)) - UDP.size
    none = room == 0
    version = walk.read(STELLAR, "version", rows, at)
    other = ~none & (at < n) & (version != STELLAR_VERSION)
    little = ~none & ~other & (room < STELLAR.size)
    walk.other_version[rows[other]] = True
    walk.truncated[rows[none | little]] = True
    walk.stop(rows[none], at[none])
    walk.stop(rows[other | little], np.minimum(at + WORD, n)[other | little])

    on = ~(none | other | little)
    whole = at + STELLAR.size <= n
    cut = on & ~whole
    walk.truncated[rows[cut]] = trimmed[cut]
    walk.stop(rows[cut], n[cut])
    on &= whole
    base(walk, rows[on], at[on], room[on])


def base(walk: Walk, rows: np.ndarray, at: np.ndarray, room: np.ndarray) -> None:
    """The base header is shown and judged; its extensions are shown."""
    walk.show(Layer.STELLAR, STELLAR, rows, at, at + STELLAR.size)
    trimmed = walk.trimmed[rows]
    opcode, flags = walk.get("stellar.opcode", rows), walk.get("stellar.flags", rows)
    walk.bad_opcode[rows] = ~trimmed & ~_KNOWN[opcode]
    walk.bad_extension[rows] = ~trimmed & _KNOWN[opcode] & ~_ACCEPTED[opcode, flags]
    body = np.where(trimmed, 0, _BODY[opcode] + CHECK_SIZE)
    need = STELLAR.size + _ANNOUNCED[flags] + body
    short = room < need
    walk.truncated[rows[short]] = ~trimmed[short]
    walk.stop(rows[short], at[short] + STELLAR.size)
    rows, flags, spare = rows[~short], flags[~short], (room - need)[~short]
    spare[trimmed[~short]] = ENDLESS
    for name, header in STELLAR_EXTENSIONS.items():
        rows, flags, spare = extension(walk, name, header, rows, flags, spare)
    walk.stop(rows, walk.get("offsets.payload", rows))


def extension(walk: Walk, name, header, rows, flags, spare) -> tuple[np.ndarray, ...]:
    """One extension of step 8; rows, flags and spare room of those that go on."""
    has = flags & StellarFlag[name] != 0
    at = walk.get("offsets.payload", rows)
    on = np.ones(len(rows), bool)
    on[has] = walk.need(rows[has], at[has] + header.size)
    which = has & on
    if header is INT:
        telemetry(walk, rows[which], at[which], spare[which])
        on &= ~has
    else:
        walk.show(Layer[name], header, rows[which], at[which], at[which] + header.size)
    return rows[on], flags[on], spare[on]


def telemetry(walk: Walk, rows: np.ndarray, at: np.ndarray, spare: np.ndarray) -> None:
    """INT, the last extension."""
    used, reserved, zero = (
        walk.read(INT, name, rows, at) for name in ("hops_used", "hops_reserved", "zero")
    )
    wrong = (reserved > INT_HOPS_MAX) | (used > reserved) | (zero != 0)
    walk.bad_extension[rows] |= wrong & ~walk.trimmed[rows]
    stack = INT_HOP.size * np.where(reserved <= INT_HOPS_MAX, reserved, 0)
    short = spare < stack
    walk.truncated[rows[short]] = True
    walk.stop(rows, at + INT.size)
    rows, at, stack = rows[~short], at[~short], stack[~short]
    walk.put(rows, offsets_int=at)
    walk.show(Layer.INT, INT, rows, at, at + INT.size + stack)
