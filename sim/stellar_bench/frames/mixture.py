"""Random frames: good StellarTP, other good traffic, and both of them damaged."""

import random

from stellar_model import Settings, build
from stellar_model.build import Part
from stellar_spec.codes import TPIDS
from stellar_spec.fields import Header
from stellar_spec.headers import ETHERNET, INT_HOP, STELLAR, STELLAR_EXTENSIONS, VLAN
from stellar_spec.opcodes import INT_HOPS_MAX, OPCODES, StellarFlag

from .mutations import Made, mutate
from .recipes import IP_SIZES, raw
from .stimulus import OTHER_PORT, SETTINGS_SETS, Stimulus

__all__ = ["GOOD_SHARE", "random_frames"]

GOOD_SHARE = 0.45
"""Share of good StellarTP packets; of the others a third is other good traffic."""

SETTINGS = ("default",) * 6 + tuple(name for name in SETTINGS_SETS if name != "default")
ERROR_SHARE = 0.02
OTHER_TYPES = (0x0806, 0x8808, 0x88CC, 0x8847, 0x0026, 0x05FF)


def random_frames(rng: random.Random, count: int, settings: str | None = None) -> list[Stimulus]:
    """``count`` frames, all drawn from ``rng``: equal states give equal frames.

    ``settings`` names those that all are made for; without it each frame draws its own.
    """
    good = round(count * GOOD_SHARE)
    other = (count - good) // 3
    kinds = ["good"] * good + ["other"] * other + ["mutant"] * (count - good - other)
    rng.shuffle(kinds)
    return [random_frame(rng, kind, f"random/{i}/{kind}", settings) for i, kind in enumerate(kinds)]


def random_frame(rng: random.Random, kind: str, name: str, settings: str | None = None) -> Stimulus:
    """One frame of ``kind``: ``good``, ``other`` or ``mutant``; for settings that are drawn."""
    settings = settings or rng.choice(SETTINGS)
    if kind == "good":
        return Stimulus(name, pad(rng, good_stellar(rng, settings).data), settings=settings)
    error = rng.random() < ERROR_SHARE
    if kind == "other":
        return Stimulus(name, pad(rng, other_traffic(rng).data), error, settings)
    made = good_stellar(rng, settings) if rng.random() < 0.75 else other_traffic(rng)
    return Stimulus(name, mutate(rng, made), error, settings)


def good_stellar(rng: random.Random, settings: str) -> Made:
    """A packet that becomes ``STELLAR`` with these settings."""
    opcode = rng.choice(list(OPCODES))
    rule = OPCODES[opcode]
    fields = values(rng, STELLAR) | {"version": 0, "opcode": opcode}
    fields["flags"] &= ~(rule.required | StellarFlag.ADDR | StellarFlag.IMM) & 0xF0
    for extension, header in STELLAR_EXTENSIONS.items():
        flag = StellarFlag[extension]
        if flag & rule.required or flag & rule.allowed and rng.random() < 0.5:
            fields[extension.lower()] = values(rng, header)
    if "int" in fields:
        reserved = rng.randint(0, INT_HOPS_MAX)
        used = rng.randint(0, reserved)
        fields["int"] |= {"hops_reserved": reserved, "hops_used": used, "zero": 0}
        fields["stack"] = rng.randbytes(INT_HOP.size * reserved)
    port = SETTINGS_SETS[settings].stellar_port
    checksum = rng.choice((0, None))
    fields["udp"] = {"sport": rng.randrange(2**16), "dport": port, "checksum": checksum}
    payload = rng.randbytes(rule.body + payload_size(rng))
    inner = build.stellar(fields.pop("opcode"), payload, **fields)
    return packet(rng, inner, udp=True, settings=SETTINGS_SETS[settings])


def payload_size(rng: random.Random) -> int:
    """Mostly small, so that many frames take little time."""
    return rng.randint(0, rng.choice((0, 7, 7, 40, 40, 150)))


def values(rng: random.Random, header: Header) -> dict[str, int]:
    """A random value for each field."""
    return {field.name: rng.getrandbits(field.width) for field in header.fields}


def other_traffic(rng: random.Random) -> Made:
    """UDP, TCP, other protocols, fragments; ARP and the like."""
    payload = rng.randbytes(payload_size(rng))
    ports = {"sport": rng.randrange(2**16), "dport": rng.choice((53, 4791, OTHER_PORT, 443))}
    draw = rng.randrange(8)
    if draw == 0:
        return packet(rng, raw(rng.choice(OTHER_TYPES), rng.randbytes(46)))
    if draw == 1:
        return packet(rng, raw(rng.choice((1, 2, 47, 50, 58, 59, 132)), payload), ip=True)
    if draw == 2:
        offset, more = rng.choice(((0, 1), (8 * rng.randint(1, 8191), rng.randint(0, 1))))
        return packet(rng, build.udp(payload, **ports), udp=True, fragment=(offset, more))
    if draw < 6:
        flags, options = rng.randrange(512), b"\1" * (4 * rng.randint(0, 10))
        inner = build.tcp(payload, options=options, flags=flags, **ports)
        return packet(rng, inner, ip=True)
    return packet(rng, build.udp(payload, **ports, checksum=rng.choice((0, None))), udp=True)


def packet(
    rng: random.Random,
    inner: Part,
    *,
    ip: bool = False,
    udp: bool = False,
    settings: Settings | None = None,
    fragment: tuple[int, int] | None = None,
) -> Made:
    """``inner`` in IP (``ip`` or ``udp``), behind tags, in Ethernet.

    ``settings``: to the card's address where they filter, perhaps with the DSCP of trimmed packets.
    ``fragment``: its offset in bytes and its M bit.
    """
    version = 0
    if ip or udp:
        version = rng.choice((4, 6))
        wrap = in_ipv4 if version == 4 else in_ipv6
        fields = {"ecn": rng.randrange(4), "dscp": rng.randrange(64)}
        if settings and settings.trim and rng.random() < 0.5:
            fields["dscp"] = settings.trim_dscp
        own = settings if settings and settings.filter else None
        outer, between = wrap(rng, inner, own, fragment, fields)
    else:
        outer = inner
    tags = rng.choice((0, 0, 0, 1, 1, 2))
    for _ in range(tags):
        bits = {"pcp": rng.randrange(8), "dei": rng.randrange(2), "vid": rng.randrange(4096)}
        outer = build.vlan(outer, tpid=rng.choice(TPIDS), **bits)
    data = build.ethernet(outer, dst=rng.getrandbits(48), src=rng.getrandbits(48))
    l3 = ETHERNET.size + VLAN.size * tags
    l4 = l3 + IP_SIZES[version] + between if udp else 0
    return Made(data, version, l3, l4)


def in_ipv4(rng, inner: Part, own, fragment, fields: dict[str, int]) -> tuple[Part, int]:
    """``inner`` in IPv4, sometimes with options; and the options' bytes."""
    if fragment:
        fields |= {"fragment_offset": fragment[0] // 8, "more_fragments": fragment[1]}
    fields |= {"ttl": rng.randrange(256), "identification": rng.randrange(2**16)}
    fields |= {"src": rng.getrandbits(32), "dst": own.own_ipv4 if own else rng.getrandbits(32)}
    options = harmless(rng, 4 * rng.randint(1, 10)) if rng.random() < 0.15 else b""
    return build.ipv4(inner, options=options, **fields), len(options)


def in_ipv6(rng, inner: Part, own, fragment, fields: dict[str, int]) -> tuple[Part, int]:
    """``inner`` in IPv6, sometimes with extension headers; and their bytes."""
    between = 0
    if fragment:
        inner, between = build.fragment(inner, offset=fragment[0], more=fragment[1]), 8
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3))):
        words = rng.randint(0, 3)
        extension, size = {
            0: (lambda p, w: build.hop_by_hop(p, options=harmless(rng, 6 + 8 * w)), 8 + 8 * words),
            1: (lambda p, w: build.destination(p, options=harmless(rng, 6 + 8 * w)), 8 + 8 * words),
            2: (lambda p, w: build.routing(p, data=rng.randbytes(4 + 8 * w)), 8 + 8 * words),
            3: (lambda p, w: build.ah(p, body=rng.randbytes(8 + 4 * w)), 12 + 4 * words),
            4: (lambda p, w: build.fragment(p, identification=rng.getrandbits(32)), 8),
        }[rng.randrange(5)]
        inner, between = extension(inner, words), between + size
    fields |= {"hop_limit": rng.randrange(256), "flow_label": rng.getrandbits(20)}
    fields |= {"src": rng.getrandbits(128), "dst": own.own_ipv6 if own else rng.getrandbits(128)}
    return build.ipv6(inner, **fields), between


def harmless(rng: random.Random, size: int) -> bytes:
    """Random option bytes, none of which looks like a source route or a home address."""
    return bytes(byte & 0x7F for byte in rng.randbytes(size))


def pad(rng: random.Random, data: bytes) -> bytes:
    """Sometimes as a MAC pads short frames, sometimes with a tail of any length."""
    draw = rng.random()
    if draw < 0.3:
        return build.pad(data)
    return data + rng.randbytes(rng.randint(1, 12)) if draw < 0.4 else data
