"""What the families on fragments, IPv6 extension headers and checksums promise."""

from itertools import pairwise, permutations, product

from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import (
    HAO,
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    Jumbo,
)

from tests.hostile.reading import (
    chain,
    header_sum_right,
    ip_payload,
    judge,
    number,
    parts,
    scapy,
    total,
    udp_sum_right,
    version,
)

__all__ = []


def every_way(rows):
    """Fragments as (packet, offset, size, more), in bytes: every way to cut is among them."""
    packets = {}
    for packet, offset, size, more in rows:
        packets.setdefault(packet, []).append((offset, offset + size, more))
    pieces = [piece for packet in packets.values() for piece in packet]
    assert any(start == 0 and more and end > 0 for start, end, more in pieces), "first"
    assert any(start and more for start, _, more in pieces), "middle"
    assert any(start and not more and end > start for start, end, more in pieces), "last"
    assert any(start == 0 and not more for start, _, more in pieces), "atomic"
    assert any(start == 0 and end == 8 and more for start, end, more in pieces), "tiny"
    assert any(start == end for start, end, _ in pieces), "empty"
    assert any((end - start) % 8 and more for start, end, more in pieces), "odd"
    assert any(end > 65535 for _, end, _ in pieces), "past the largest packet"
    beside = [pair for packet in packets.values() for pair in pairwise(sorted(packet))]
    assert any(b[0] < a[1] < b[1] and a[0] < b[0] for a, b in beside), "overlapping"
    assert any(a[0] < b[0] and b[1] < a[1] for a, b in beside), "inside the other"
    assert any(a[:2] == b[:2] and a[2] != b[2] for a, b in beside), "more, and the last"
    assert any(a[1] < b[0] for a, b in beside), "gap"
    assert any(p[0][0] > p[1][0] for p in packets.values() if len(p) > 1), "out of order"


@judge
def fragment_ipv4(frames):
    assert {frame.data[23] for frame in frames} == {1, 6, 17}
    rows = []
    for frame in frames:
        if len(parts(frame)) == 3:
            ip = scapy(frame.data)[IP]
            assert ip.len == len(frame.data) - 14
            packet, more = (parts(frame)[0], ip.id), bool(ip.flags.MF)
            rows.append((packet, 8 * ip.frag, ip.len - 20, more))
    every_way(rows)
    assert all(header_sum_right(f.data) for f in frames if len(f.data) >= 34)


@judge
def fragment_ipv4_bits(frames):
    found = {(number(frame.data, 20), scapy(frame.data)[IP].proto) for frame in frames}
    words = [1 << bit for bit in range(16)] + [0xE000, 0xFFFF]
    assert found >= set(product(words, (6, 17)))
    assert all(header_sum_right(frame.data) for frame in frames)


@judge
def fragment_ipv6(frames):
    rows = []
    for frame in frames:
        if len(parts(frame)) == 3:
            packet = scapy(frame.data)
            part = packet[IPv6ExtHdrFragment]
            size = packet[IPv6].plen - 8
            rows.append(((parts(frame)[0], part.id), 8 * part.offset, size, bool(part.m)))
        if parts(frame)[-1] == "hop-by-hop":
            assert [kind for kind, _ in chain(frame.data)][:2] == [0, 44]
    every_way(rows)


@judge
def fragment_ipv6_chain(frames):
    rows = [f.data for f in frames if parts(f)[0] == "offset"]
    assert {number(data, 56) for data in rows} == {1 << bit for bit in range(16)} | {0xFFFF}
    places = {(0, 1), (64, 1), (128, 0), (0, 0)}
    nested = [f.data for f in frames if parts(f)[0] == "nested"]
    found = {tuple((number(d, at) & ~7, d[at + 1] & 1) for at in (56, 64)) for d in nested}
    assert found == set(product(places, repeat=2))
    assert {f.data[54] for f in frames} >= {0, 17, 43, 44, 51, 60}
    assert any(len(f.data) == 70 for f in frames)  # no upper-layer header (RFC 7112)


@judge
def chain_order(frames):
    found = {tuple(kind for kind, _ in chain(frame.data)) for frame in frames}
    kinds = (0, 43, 44, 51, 60)
    for length in (1, 2, 3):
        assert found >= set(product(kinds, repeat=length))
    assert found >= set(permutations(kinds)) | {(kind,) * 8 for kind in kinds}
    above = {parts(f)[1] for f in frames}
    assert above == {"stellar", "udp", "tcp", "none", "unknown"}
    read = [f for f in frames if parts(f)[1] == "udp" and UDP in scapy(f.data)]
    assert len(read) > 20 and all(udp_sum_right(frame.data) for frame in read)


@judge
def chain_limit(frames):
    whole = [[size for _, size in chain(f.data)] for f in frames if "cut" not in f.name]
    sums = {sum(sizes) for sizes in whole}
    assert sums >= set(range(8, 281, 8)) | set(range(12, 281, 4))
    assert {len(sizes) for sizes in whole if sum(sizes) == 256} >= {1, 2, 32}
    assert {len(sizes) for sizes in whole if sum(sizes) > 256} >= {1, 2, 33, 35}
    cut = [f for f in frames if "cut" in f.name]
    short = [f for f in cut if 54 + sum(size for _, size in chain(f.data)) > len(f.data)]
    assert len(short) > len(cut) / 2


@judge
def chain_length(frames):
    found = sorted((frame.data[20], frame.data[55]) for frame in frames)
    assert found == sorted(product((0, 43, 44, 51, 60), range(256)))


@judge
def chain_option(frames):
    for kind in (0, 60):
        rows = [f for f in frames if f.data[20] == kind]
        assert {f.data[56] for f in rows if parts(f)[1] == "type"} == set(range(256))
        lengths = [f for f in rows if parts(f)[1] == "length"]
        assert {f.data[57] for f in lengths} >= {0, 1, 7, 13, 14, 15, 255}
        assert {list(chain(f.data))[0] for f in lengths} == {(kind, 16)}


@judge
def jumbogram(frames):
    found, udp = set(), set()
    for frame in frames:
        data = frame.data
        if data[20] == 0 and number(data, 18) == 0 and len(data) >= 70:
            options = IPv6ExtHdrHopByHop(data[54:62]).options
            found |= {option.jumboplen for option in options if isinstance(option, Jumbo)}
            udp |= {number(data, 66)} if data[54] == 17 else set()
    assert found >= {0, 0xFFFF, 0x10000, 0x20000, 0xFFFFFFFF}
    assert udp >= {0, 7, 28}
    assert {number(f.data, 18) > 0 for f in frames} == {True, False}


@judge
def routing_header(frames):
    found = {(f.data[56], f.data[57], f.data[55]) for f in frames if parts(f)[1] != "two"}
    types = (*range(7), 253, 254, 255)
    assert found == set(product(types, (0, 1, 2, 127, 128, 255), (0, 2, 4)))
    two = [f for f in frames if parts(f)[1] == "two"]
    assert {tuple(chain(f.data))[:2] for f in two} == {((43, 8), (43, 8))}
    assert {(f.data[57], f.data[65]) for f in two} == set(product((0, 1), repeat=2))


@judge
def home_address(frames):
    for size in (8, 16, 24, 32):
        rows = [f.data for f in frames if parts(f)[1] == str(size)]
        assert {data[56 : 54 + size].find(201) for data in rows} == set(range(size - 2))
    good = [f for f in frames if parts(f)[1] == "good"]
    assert len(good) == 2
    for frame in good:
        options = scapy(frame.data)[IPv6ExtHdrDestOpt].options
        assert any(isinstance(option, HAO) for option in options)


FOLDED = {k * 0xFFFF + step for k in (1, 2, 3) for step in (-1, 0, 1)}
"""0xffff, 0x1fffe, 0x2fffd, which are right, and their neighbours."""


@judge
def sum_ipv4(frames):
    for ihl, wanted in ((5, FOLDED), (15, {k * 0xFFFF for k in (20, 21, 22, 23)})):
        rows = [f.data for f in frames if f.data[14] & 15 == ihl]
        sums = {total(data[14 : 14 + 4 * ihl]) for data in rows}
        assert sums >= wanted
        for data in rows:
            right = total(data[14 : 14 + 4 * ihl]) % 0xFFFF == 0
            assert header_sum_right(data) == right


@judge
def sum_ipv4_value(frames):
    zero = {number(f.data, 24): f.data for f in frames if parts(f)[0] == "zero-sum"}
    assert {value for value, data in zero.items() if header_sum_right(data)} == {0, 0xFFFF}
    plain = {number(f.data, 24): f.data for f in frames if parts(f)[0] == "plain"}
    assert not any(header_sum_right(plain[value]) for value in (0, 0xFFFF))
    bits = [frame.data for frame in frames if parts(frame)[0] == "bit"]
    flipped = {int.from_bytes(data[14:34], "big") for data in bits}
    middle = sum(1 << b for b in range(160) if sum(v >> b & 1 for v in flipped) > 80)
    assert {value ^ middle for value in flipped} == {1 << bit for bit in range(160)}


def pseudo_total(data):
    """Pseudo header and datagram added up (RFC 768, RFC 8200 section 8.1)."""
    addresses = data[26:34] if version(data) == 4 else data[22:54]
    datagram = ip_payload(data)
    return total(addresses + datagram) + 17 + len(datagram)


@judge
def sum_udp(frames):
    for family, wanted in ((4, FOLDED), (6, FOLDED)):
        rows = [f.data for f in frames if version(f.data) == family]
        least = min(pseudo_total(data) for data in rows)
        sums = {pseudo_total(data) for data in rows}
        assert sums >= {value for value in wanted if value >= least} >= {0x1FFFE, 0x2FFFD}
        assert max(sums) > 0x200_0000
        for data in rows:
            assert udp_sum_right(data) == (pseudo_total(data) % 0xFFFF == 0), data.hex()


@judge
def sum_udp_value(frames):
    for family, port in product((4, 6), (62842, 53)):
        rows = [f for f in frames if parts(f)[:2] == [f"ipv{family}", str(port)]]
        values = {scapy(f.data)[UDP].chksum: f.data for f in rows if "zero-sum" not in f.name}
        assert len(values) >= 20 and {0, 0xFFFF} <= set(values)
        assert sum(udp_sum_right(data) for data in values.values()) == 1
        zero = {scapy(f.data)[UDP].chksum: f.data for f in rows if "zero-sum" in f.name}
        assert {value for value, data in zero.items() if udp_sum_right(data)} == {0, 0xFFFF}
    odd = [f.data for f in frames if "odd" in f.name]
    assert {scapy(data)[UDP].len % 2 for data in odd} == {0, 1}
    assert all(udp_sum_right(data) for data in odd)
