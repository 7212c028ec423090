"""Steps 9 and 10 of docs/parser.md for many frames: the trailer record."""

import zlib

import numpy as np

from stellar_spec.codes import LENGTH_MAX, Flag, Layer, Protocol, Reason, Verdict
from stellar_spec.headers import CHECK_SIZE, INT, INT_HOP, IPV4, IPV6, STELLAR, UDP
from stellar_spec.headers import STELLAR_EXTENSIONS as EXTENSIONS
from stellar_spec.opcodes import INT_HOPS_MAX, StellarFlag

from .sums import good
from .walk import Walk

__all__ = ["addresses", "checks", "trailer"]

_BEFORE_INT = np.array(
    [
        sum(EXTENSIONS[name].size for name in ("ADDR", "IMM", "ACK") if flags & StellarFlag[name])
        for flags in range(2 ** STELLAR["flags"].width)
    ]
)
"""Bytes between base header and INT, by the base header's flags."""


def trailer(walk: Walk, error: np.ndarray) -> None:
    """9. The trailer."""
    rows = np.arange(len(walk.n))
    length = np.minimum(walk.n, LENGTH_MAX)
    end = walk.get("offsets.l3", rows) + walk.get("ip.total_length", rows)
    flags, layers = walk.flags, walk.layers
    flags[length > walk.settings.max_length] |= Flag.OVERSIZE
    packet = (layers & Layer.IP != 0) & ~walk.jumbogram
    flags[packet & (end < length) & (flags & Flag.IP_LENGTH == 0)] |= Flag.PADDED
    flags[packet & (end > length)] |= Flag.IP_LENGTH
    candidate = walk.candidate & (walk.trimmed | (end <= length))
    summed = (layers & Layer.UDP != 0) & (flags & Flag.UDP_LENGTH == 0)
    udp_checksum(walk, np.flatnonzero(summed), length)
    candidate_flags(walk, candidate)
    judge(walk, candidate, error)
    walk.put(rows, trailer_length=length, trailer_candidate=candidate, trailer_flags=flags)


def udp_checksum(walk: Walk, rows: np.ndarray, length: np.ndarray) -> None:
    """What is to say of the UDP checksum."""
    none = walk.column["udp.checksum"][rows] == 0
    absent = walk.column["ip.version"][rows] == 4
    absent |= walk.column["udp.dport"][rows] == walk.settings.stellar_port
    walk.flags[rows[none & ~absent]] |= Flag.UDP_CHECKSUM
    rows = rows[~none]

    l4, size = walk.get("offsets.l4", rows), walk.get("udp.length", rows)
    unverifiable = walk.flags[rows] & Flag.FRAGMENT != 0
    for cause in (walk.source_route, walk.segments_left, walk.home_address, walk.jumbogram):
        unverifiable |= cause[rows]
    unverifiable |= walk.candidate[rows] & walk.trimmed[rows]
    unverifiable |= l4 + size > length[rows]
    walk.flags[rows[unverifiable]] |= Flag.UNVERIFIED

    rows, size = rows[~unverifiable], size[~unverifiable]
    first = walk.starts[rows] + l4[~unverifiable]
    total = walk.block.sums(*addresses(walk, rows)) + size + Protocol.UDP
    total += walk.block.sums(first, first + size)
    walk.flags[rows[~good(total)]] |= Flag.UDP_CHECKSUM


def candidate_flags(walk: Walk, candidate: np.ndarray) -> None:
    """What is to say of candidates only."""
    walk.flags[candidate & walk.trimmed] |= Flag.TRIMMED
    walk.flags[candidate & walk.other_version] |= Flag.STELLAR_VERSION
    judged = candidate & ~(walk.trimmed | walk.other_version | walk.truncated)
    rows = np.flatnonzero(judged)
    walk.flags[rows[~check_right(walk, rows)]] |= Flag.STELLAR_CHECK


def check_right(walk: Walk, rows: np.ndarray) -> np.ndarray:
    """Whether the end-to-end check, the datagram's last bytes, is right."""
    first, wanted = checks(walk, rows)
    places = first[:, None] + np.arange(CHECK_SIZE)
    return walk.block.bytes[places].view("<u4")[:, 0] == wanted


def checks(walk: Walk, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the end-to-end checks begin, and what is right there as little endian numbers.

    All that it covers stands in one row in the frame, from the addresses to the check, once options
    and extension headers, the UDP checksum and INT read as zero.
    """
    first, behind = addresses(walk, rows)
    udp = walk.starts[rows] + walk.get("offsets.l4", rows)
    end = udp + walk.get("udp.length", rows) - CHECK_SIZE
    at = udp + UDP.offset("checksum") // 8
    zeros = [(behind, udp), (at, at + UDP["checksum"].width // 8)]
    zeros.append(int_extension(walk, rows, udp + UDP.size, end))
    covered = walk.block.masked(zeros)
    pairs = zip(first.tolist(), end.tolist(), strict=True)
    crc = [zlib.crc32(covered[start:stop]) for start, stop in pairs]
    return end, np.array(crc, np.uint32)


def int_extension(walk: Walk, rows, base, end) -> tuple[np.ndarray, np.ndarray]:
    """Where the INT extensions and their stacks begin and end, for those rows that have one."""
    flags = walk.get("stellar.flags", rows)
    has = flags & StellarFlag.INT != 0
    at = (base + STELLAR.size + _BEFORE_INT[flags])[has]
    hops = walk.block.read(INT, "hops_reserved", at)
    stack = INT_HOP.size * np.where(hops <= INT_HOPS_MAX, hops, 0)
    return at, np.minimum(at + INT.size + stack, end[has])


def addresses(walk: Walk, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the IP addresses, source and destination, begin and end."""
    four = walk.column["ip.version"][rows] == 4
    l3 = walk.starts[rows] + walk.get("offsets.l3", rows)
    first = np.where(four, IPV4.offset("src"), IPV6.offset("src")) // 8
    return l3 + first, l3 + np.where(four, IPV4.size, IPV6.size)


def judge(walk: Walk, candidate: np.ndarray, error: np.ndarray) -> None:
    """10. Verdict."""
    flags = walk.flags
    wrong_check = flags & Flag.STELLAR_CHECK != 0
    if walk.settings.check_flag:
        wrong_check[:] = False
    table = (
        (error, Verdict.DROP, Reason.MAC_ERROR),
        (~candidate | walk.other_version, Verdict.HOST, Reason.NONE),
        (flags & Flag.UDP_CHECKSUM != 0, Verdict.DROP, Reason.UDP_CHECKSUM),
        (walk.truncated, Verdict.DROP, Reason.STELLAR_TRUNCATED),
        (walk.bad_opcode, Verdict.DROP, Reason.STELLAR_OPCODE),
        (walk.bad_extension, Verdict.DROP, Reason.STELLAR_EXTENSION),
        (wrong_check, Verdict.DROP, Reason.STELLAR_CHECK),
    )
    holds = [row[0] for row in table]
    verdict = np.select(holds, [row[1] for row in table], Verdict.STELLAR)
    reason = np.select(holds, [row[2] for row in table], Reason.NONE)
    walk.put(slice(None), trailer_verdict=verdict, trailer_reason=reason)
