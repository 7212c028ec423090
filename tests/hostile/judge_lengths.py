"""What the families of lengths that contradict each other promise."""

from itertools import product

from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import (
    IPv6,
    IPv6ExtHdrDestOpt,
)

from tests.hostile.reading import (
    header_sum_right,
    ip_payload,
    judge,
    number,
    parts,
    scapy,
    udp_sum_right,
    version,
)

__all__ = []


def mixed(frames, at, before, wanted):
    """Every IP length × UDP length × frame length, but for the one where all are right."""
    for kind, upper in (("stellar", 40), ("udp", 24)):
        rows = [f.data for f in frames if parts(f)[0] == kind]
        found = [(number(d, at), number(d, before + 4), len(d)) for d in rows]
        right = before - 14 + upper if at == 16 else upper
        totals = {right + step for step in (-1, 0, 1)} | wanted
        udps = {0, 7, 8, upper - 1, upper, upper + 1, 65535}
        end = before + upper
        sizes = {before + 8, end - 9, end - 1, end, end + 1, end + 99}
        everything = set(product(totals, udps, sizes)) - {(right, upper, end)}
        assert sorted(found) == sorted(everything)


@judge
def lengths_ipv4(frames):
    mixed(frames, 16, 34, {0, 19, 20, 27, 28, 65535})
    assert all(header_sum_right(frame.data) for frame in frames)


@judge
def lengths_ipv6(frames):
    mixed(frames, 18, 54, {0, 7, 8, 65535})


@judge
def lengths_options(frames):
    for options in (0, 4, 12, 40):
        rows = [f for f in frames if f.data[14] & 15 == 5 + options // 4]
        right = len(rows[0].data) - 14
        assert {scapy(f.data)[IP].len for f in rows} >= set(range(right + 5)) | {65535}


@judge
def lengths_chain(frames):
    for count in ("1", "2", "4"):
        rows = [f.data for f in frames if parts(f)[0] == count]
        right = min(map(len, rows)) - 54
        assert {scapy(data)[IPv6].plen for data in rows} >= set(range(right + 5)) | {65535}


@judge
def lengths_tcp(frames):
    for family, l4 in ((4, 34), (6, 54)):
        rows = [f for f in frames if version(f.data) == family]
        whole = [f for f in rows if parts(f)[-1] == "whole"]
        assert {f.data[l4 + 12] >> 4 for f in whole} == set(range(16))
        assert {len(ip_payload(f.data)) for f in rows} == {19, 20, 36}
        sizes = {f.data[16:18] if family == 4 else f.data[18:20] for f in rows}
        assert len(sizes) > 16


@judge
def udp_length(frames):
    for family, kind in product((4, 6), ("stellar", "summed", "unsummed")):
        rows = [f for f in frames if parts(f)[:2] == [f"ipv{family}", kind]]
        sizes = {scapy(f.data)[UDP].len for f in rows if len(parts(f)) == 3}
        assert sizes >= set(range(33)) | {64, 1024, 0x8000, 0xFFFE, 0xFFFF}
    assert any(IPv6ExtHdrDestOpt in scapy(f.data) for f in frames)


@judge
def udp_size(frames):
    found = set()
    for frame in frames:
        packet = scapy(frame.data)
        assert packet[UDP].len == len(ip_payload(frame.data))
        found.add((version(frame.data), packet[UDP].dport, packet[UDP].len - 8))
    assert found == set(product((4, 6), (62842, 53), range(41)))
    assert all(udp_sum_right(frame.data) for frame in frames[::7])
