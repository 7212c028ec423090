"""Steps 4 to 6 of docs/parser.md for many frames: IPv4, and IPv6 with its extension headers."""

import numpy as np

from stellar_spec.codes import (
    EXTENSION_LIMIT,
    EtherType,
    Flag,
    IPv4Option,
    IPv6Option,
    Layer,
    Protocol,
)
from stellar_spec.headers import IPV4, IPV6, IPV6_EXTENSION, IPV6_FRAGMENT, IPV6_ROUTING

from .sums import good
from .walk import ENDLESS, WORD, Walk

__all__ = ["ip"]

_EXTENSIONS = np.zeros(256, bool)
_EXTENSIONS[
    [
        Protocol.HOP_BY_HOP,
        Protocol.ROUTING,
        Protocol.FRAGMENT,
        Protocol.AH,
        Protocol.DESTINATION,
    ]
] = True
FRAGMENT_UNIT = 8  # bytes


def ip(walk: Walk, rows: np.ndarray) -> np.ndarray:
    """4. IP, first word."""
    l3 = walk.get("offsets.l3", rows)
    there = walk.need(rows, l3 + WORD, Flag.IP_TRUNCATED)
    rows, l3 = rows[there], l3[there]
    version, ihl = (walk.read(IPV4, name, rows, l3) for name in ("version", "ihl"))
    four = walk.get("eth.type", rows) == EtherType.IPV4

    wrong = version != np.where(four, 4, 6)
    short = ~wrong & four & (4 * ihl < IPV4.size)
    walk.flags[rows[wrong]] |= Flag.IP_VERSION
    walk.flags[rows[short]] |= Flag.IPV4_IHL
    bad = wrong | short
    walk.stop(rows[bad], l3[bad] + WORD)
    ipv4_rows = ipv4(walk, rows[four & ~bad], 4 * ihl[four & ~bad])
    ipv6_rows = ipv6(walk, rows[~four & ~bad])
    return np.concatenate([ipv4_rows, ipv6_rows])


def ipv4(walk: Walk, rows: np.ndarray, header_length: np.ndarray) -> np.ndarray:
    """5. IPv4."""
    l3 = walk.get("offsets.l3", rows)
    there = walk.need(rows, l3 + header_length, Flag.IP_TRUNCATED)
    rows, l3, header_length = rows[there], l3[there], header_length[there]
    behind, begin = l3 + header_length, walk.starts[rows] + l3
    walk.show(Layer.IP, IPV4, rows, l3, behind)
    fragment = FRAGMENT_UNIT * walk.get("ip.fragment_offset", rows)
    walk.put(rows, ip_header_length=header_length, ip_fragment_offset=fragment)

    options = header_length > IPV4.size
    walk.flags[rows[options]] |= Flag.IPV4_OPTIONS
    right = good(walk.block.sums(begin, begin + header_length))
    walk.flags[rows[~right]] |= Flag.IPV4_CHECKSUM
    more = walk.get("ip.more_fragments", rows)
    walk.flags[rows[(more | fragment) != 0]] |= Flag.FRAGMENT
    first, end = (begin + IPV4.size)[options], (begin + header_length)[options]
    routed = walk.block.contains(first, end, list(IPv4Option))
    walk.source_route[rows[options]] = routed

    total = walk.get("ip.total_length", rows)
    less = total < header_length
    walk.flags[rows[less]] |= Flag.IP_LENGTH
    walk.stop(rows[less], behind[less])
    walk.ip_payload[rows] = total - header_length
    return rows[~less]


def ipv6(walk: Walk, rows: np.ndarray) -> np.ndarray:
    """6. IPv6."""
    l3 = walk.get("offsets.l3", rows)
    there = walk.need(rows, l3 + IPV6.size, Flag.IP_TRUNCATED)
    rows, l3 = rows[there], l3[there]
    names = {"ttl": "hop_limit", "protocol": "next_header"}
    walk.show(Layer.IP, IPV6, rows, l3, l3 + IPV6.size, names)
    length = walk.read(IPV6, "payload_length", rows, l3)
    walk.put(rows, ip_header_length=IPV6.size, ip_total_length=IPV6.size + length)
    jumbo = (length == 0) & (walk.get("ip.protocol", rows) == Protocol.HOP_BY_HOP)
    walk.jumbogram[rows] = jumbo
    length[jumbo] = ENDLESS

    done = [rows[:0]]
    while len(rows):
        protocol = walk.get("ip.protocol", rows)
        on = _EXTENSIONS[protocol] & (walk.get("ip.fragment_offset", rows) == 0)
        ended = rows[~on]
        extensions = walk.get("ip.header_length", ended) - IPV6.size
        walk.ip_payload[ended] = length[~on] - extensions
        done.append(ended)
        rows, length = extension_header(walk, rows[on], protocol[on], length[on])
    return np.concatenate(done)


def extension_header(walk: Walk, rows, kind, payload_length) -> tuple[np.ndarray, np.ndarray]:
    """One extension header of step 6; the rows that go on, and their payload lengths."""
    at = walk.get("offsets.payload", rows)
    walk.flags[rows] |= Flag.IPV6_EXTENSIONS
    there = walk.need(rows, at + WORD, Flag.IP_TRUNCATED)
    rows, at, kind, payload_length = (a[there] for a in (rows, at, kind, payload_length))
    field = walk.read(IPV6_EXTENSION, "length", rows, at)
    size = np.where(kind == Protocol.AH, (field + 2) * 4, (field + 1) * 8)
    size[kind == Protocol.FRAGMENT] = IPV6_FRAGMENT.size

    together = walk.get("ip.header_length", rows) - IPV6.size + size
    limit, beyond = together > EXTENSION_LIMIT, together > payload_length
    walk.flags[rows[limit]] |= Flag.EXT_LIMIT
    walk.flags[rows[beyond]] |= Flag.IP_LENGTH
    over = limit | beyond
    walk.stop(rows[over], at[over] + WORD)
    fits = ~over
    fits[fits] = walk.need(rows[fits], (at + size)[fits], Flag.IP_TRUNCATED)
    rows, at, kind, size, payload_length = (a[fits] for a in (rows, at, kind, size, payload_length))
    walk.put(rows, offsets_payload=at + size)
    walk.put(rows, ip_header_length=walk.get("ip.header_length", rows) + size)
    _meaning(walk, rows, kind, at, size)
    walk.put(rows, ip_protocol=walk.read(IPV6_EXTENSION, "next_header", rows, at))
    return rows, payload_length


def _meaning(walk: Walk, rows, kind, at, size) -> None:
    """What extension headers that are walked say."""
    which = kind == Protocol.ROUTING
    left = walk.read(IPV6_ROUTING, "segments_left", rows[which], at[which])
    walk.segments_left[rows[which]] |= left != 0

    which = kind == Protocol.DESTINATION
    begin = walk.starts[rows[which]] + at[which]
    found = walk.block.contains(begin + 2, begin + size[which], [IPv6Option.HOME_ADDRESS])
    walk.home_address[rows[which]] |= found

    which = kind == Protocol.FRAGMENT
    rows, at = rows[which], at[which]
    offset = FRAGMENT_UNIT * walk.read(IPV6_FRAGMENT, "fragment_offset", rows, at)
    more = walk.read(IPV6_FRAGMENT, "more_fragments", rows, at)
    walk.put(rows, ip_fragment_offset=offset, ip_more_fragments=more)
    walk.flags[rows[(offset | more) != 0]] |= Flag.FRAGMENT
