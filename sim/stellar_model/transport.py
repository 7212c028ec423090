"""Steps 7 and 8 of docs/parser.md: UDP, TCP and StellarTP."""

from math import inf

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

from .codec import decode
from .walk import WORD, Stop, Walk

__all__ = ["ip_payload", "stellar"]


def ip_payload(walk: Walk) -> None:
    """7. IP payload; goes on for candidates only."""
    ip = walk.header["ip"]
    l4 = walk.offsets["l4"] = walk.offsets["payload"]
    header = {Protocol.UDP: UDP, Protocol.TCP: TCP}.get(ip["protocol"])
    if ip["fragment_offset"] or header is None:
        raise Stop(l4)
    if walk.ip_payload < header.size:
        walk.flags |= Flag.L4_TRUNCATED
        raise Stop(l4)
    walk.need(l4 + header.size, Flag.L4_TRUNCATED)
    values = decode(header, walk.frame, l4)
    if header is TCP:
        walk.show(Layer.TCP, values, payload=l4 + max(TCP.size, 4 * values["data_offset"]))
        raise Stop(l4 + TCP.size)
    walk.show(Layer.UDP, values, payload=l4 + UDP.size)
    beyond = values["length"] > walk.ip_payload and not walk.flags & Flag.FRAGMENT
    if not walk.jumbogram and (values["length"] < UDP.size or beyond):
        walk.flags |= Flag.UDP_LENGTH
    walk.candidate = is_candidate(walk)
    if not walk.candidate:
        raise Stop(l4 + UDP.size)


def is_candidate(walk: Walk) -> bool:
    """Is it a candidate?"""
    settings, ip, udp = walk.settings, walk.header["ip"], walk.header["udp"]
    own = settings.own_ipv4 if ip["version"] == 4 else settings.own_ipv6
    walk.trimmed = bool(settings.trim and ip["dscp"] == settings.trim_dscp)
    return (
        not walk.flags & (Flag.IPV4_CHECKSUM | Flag.FRAGMENT)
        and not (walk.source_route or walk.segments_left or walk.home_address or walk.jumbogram)
        and udp["length"] >= UDP.size
        and (walk.trimmed or udp["length"] <= walk.ip_payload)
        and udp["dport"] == settings.stellar_port
        and (not settings.filter or ip["dst"] == own)
    )


def stellar(walk: Walk) -> None:
    """8. StellarTP."""
    at = walk.offsets["payload"]
    room = (walk.ip_payload if walk.trimmed else walk.header["udp"]["length"]) - UDP.size
    if room == 0:
        walk.truncated = True
        raise Stop(at)
    first_word = min(at + WORD, walk.n)
    if at < walk.n and walk.frame[at] >> 6 != STELLAR_VERSION:
        walk.other_version = True
        raise Stop(first_word)
    if room < STELLAR.size:
        walk.truncated = True
        raise Stop(first_word)
    if at + STELLAR.size > walk.n:
        walk.truncated = walk.trimmed
        raise Stop(walk.n)
    base = decode(STELLAR, walk.frame, at)
    walk.show(Layer.STELLAR, base, payload=at + STELLAR.size)

    rule = OPCODES.get(base["opcode"])
    announced = [name for name in STELLAR_EXTENSIONS if base["flags"] & StellarFlag[name]]
    need = STELLAR.size + sum(STELLAR_EXTENSIONS[name].size for name in announced)
    if not walk.trimmed:
        need += (rule.body if rule else 0) + CHECK_SIZE
        walk.bad_opcode = rule is None
        walk.bad_extension = rule is not None and not rule.accepts(base["flags"])
    if room < need:
        walk.truncated = not walk.trimmed
        raise Stop(at + STELLAR.size)
    for name in announced:
        extension(walk, name, inf if walk.trimmed else room - need)
    raise Stop(walk.offsets["payload"])


def extension(walk: Walk, name: str, spare: float) -> None:
    """One extension of step 8; ``spare`` bytes of the room are left for INT's stack."""
    at, header = walk.offsets["payload"], STELLAR_EXTENSIONS[name]
    walk.need(at + header.size)
    values = decode(header, walk.frame, at)
    if header is INT:
        telemetry(walk, at, values, spare)
    walk.show(Layer[name], values, payload=at + header.size)


def telemetry(walk: Walk, at: int, values: dict[str, int], spare: float) -> None:
    """INT, the last extension."""
    used, reserved = values["hops_used"], values["hops_reserved"]
    if reserved > INT_HOPS_MAX or used > reserved or values["zero"]:
        walk.bad_extension = not walk.trimmed
    stack = INT_HOP.size * (reserved if reserved <= INT_HOPS_MAX else 0)
    if spare < stack:
        walk.truncated = True
    else:
        walk.offsets["int"] = at
        walk.show(Layer.INT, values, payload=at + INT.size + stack)
    raise Stop(at + INT.size)
