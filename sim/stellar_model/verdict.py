"""Steps 9 and 10 of docs/parser.md: the trailer record."""

from stellar_spec.codes import LENGTH_MAX, Flag, Layer, Reason, Verdict
from stellar_spec.headers import CHECK_SIZE, IPV4, IPV6

from .check import end_to_end_check
from .checksum import GOOD, ones_complement_sum, pseudo_header
from .walk import NO_FLAG, Walk

__all__ = ["trailer"]


def trailer(walk: Walk, error: bool) -> dict[str, int]:
    """9. The trailer."""
    length = min(walk.n, LENGTH_MAX)
    end = walk.offsets["l3"] + walk.header["ip"]["total_length"]
    if length > walk.settings.max_length:
        walk.flags |= Flag.OVERSIZE
    if walk.layers & Layer.IP and not walk.jumbogram:
        if end > length:
            walk.flags |= Flag.IP_LENGTH
        elif end < length and not walk.flags & Flag.IP_LENGTH:
            walk.flags |= Flag.PADDED
    candidate = walk.candidate and (walk.trimmed or end <= length)
    if walk.layers & Layer.UDP and not walk.flags & Flag.UDP_LENGTH:
        walk.flags |= udp_checksum(walk, length)
    if candidate:
        walk.flags |= candidate_flags(walk)
    verdict, reason = judge(walk, candidate, error)
    return {
        "verdict": int(verdict),
        "reason": int(reason),
        "candidate": int(candidate),
        "flags": int(walk.flags),
        "length": length,
    }


def udp_checksum(walk: Walk, length: int) -> Flag:
    """What is to say of the UDP checksum."""
    ip, udp = walk.header["ip"], walk.header["udp"]
    if udp["checksum"] == 0:
        absent = ip["version"] == 4 or udp["dport"] == walk.settings.stellar_port
        return NO_FLAG if absent else Flag.UDP_CHECKSUM
    unverifiable = (
        walk.flags & Flag.FRAGMENT
        or walk.source_route
        or walk.segments_left
        or walk.home_address
        or walk.jumbogram
        or (walk.candidate and walk.trimmed)
        or walk.offsets["l4"] + udp["length"] > length
    )
    if unverifiable:
        return Flag.UNVERIFIED
    summed = pseudo_header(addresses(walk), udp["length"]) + datagram(walk)
    return NO_FLAG if ones_complement_sum(summed) == GOOD else Flag.UDP_CHECKSUM


def candidate_flags(walk: Walk) -> Flag:
    """What is to say of candidates only."""
    flags = NO_FLAG
    if walk.trimmed:
        flags |= Flag.TRIMMED
    if walk.other_version:
        flags |= Flag.STELLAR_VERSION
    if not (walk.trimmed or walk.other_version or walk.truncated) and not check_right(walk):
        flags |= Flag.STELLAR_CHECK
    return flags


def check_right(walk: Walk) -> bool:
    """Whether the end-to-end check, the datagram's last bytes, is right."""
    fixed = IPV4.size if walk.header["ip"]["version"] == 4 else IPV6.size
    between = walk.header["ip"]["header_length"] - fixed
    data = datagram(walk)
    return data[-CHECK_SIZE:] == end_to_end_check(addresses(walk), between, data)


def addresses(walk: Walk) -> bytes:
    """IP source and destination address."""
    ip = walk.header["ip"]
    size = 4 if ip["version"] == 4 else 16
    return ip["src"].to_bytes(size, "big") + ip["dst"].to_bytes(size, "big")


def datagram(walk: Walk) -> bytes:
    """UDP header and payload: UDP length bytes."""
    l4 = walk.offsets["l4"]
    return walk.frame[l4 : l4 + walk.header["udp"]["length"]]


def judge(walk: Walk, candidate: bool, error: bool) -> tuple[Verdict, Reason]:
    """10. Verdict."""
    wrong_check = walk.flags & Flag.STELLAR_CHECK and not walk.settings.check_flag
    rows = (
        (error, Verdict.DROP, Reason.MAC_ERROR),
        (not candidate or walk.other_version, Verdict.HOST, Reason.NONE),
        (walk.flags & Flag.UDP_CHECKSUM, Verdict.DROP, Reason.UDP_CHECKSUM),
        (walk.truncated, Verdict.DROP, Reason.STELLAR_TRUNCATED),
        (walk.bad_opcode, Verdict.DROP, Reason.STELLAR_OPCODE),
        (walk.bad_extension, Verdict.DROP, Reason.STELLAR_EXTENSION),
        (wrong_check, Verdict.DROP, Reason.STELLAR_CHECK),
        (True, Verdict.STELLAR, Reason.NONE),
    )
    return next((verdict, reason) for holds, verdict, reason in rows if holds)
