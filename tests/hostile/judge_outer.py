"""What the families up to IPv4 promise: lengths, cuts, tags, header lengths, options."""

from itertools import product

from scapy.layers.inet import IP, TCP, UDP, IPOption_LSRR, IPOption_SSRR
from scapy.layers.inet6 import (
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrSegmentRouting,
)
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether

from tests.hostile.reading import (
    header_sum_right,
    judge,
    number,
    parts,
    scapy,
    udp_sum_right,
    version,
)

__all__ = []

KINDS = {"stellar4", "stellar6", "tagged", "udp4", "udp6", "tcp4"}
TPIDS = (0x8100, 0x88A8, 0x9100)


@judge
def length_every(frames):
    assert [len(frame.data) for frame in frames] == list(range(1, 1601))
    for frame in frames[57::16]:
        assert scapy(frame.data)[IP].len == len(frame.data) - 14
        assert udp_sum_right(frame.data)


def by_kind(frames):
    rows = {}
    for frame in frames:
        rows.setdefault(parts(frame)[0], []).append(frame)
    assert set(rows) == KINDS
    return rows.values()


@judge
def length_beat(frames):
    for rows in by_kind(frames):
        whole = {len(frame.data) for frame in rows if len(parts(frame)) == 2}
        for beat in (1, 2, 4, 8, 16, 32, 64):
            assert {size % beat for size in whole} >= {0, 1 % beat, beat - 1}
        for frame in rows:
            wanted = {"short": 1, "behind": -1}.get(parts(frame)[-1], 0)
            assert missing(frame.data) == wanted, frame.name


def missing(data):
    """Bytes by which a frame is shorter than Ethernet, tags and IP packet."""
    packet = scapy(data)
    ip = packet[IP] if IP in packet else packet[IPv6]
    size = ip.len if IP in packet else 40 + ip.plen
    return 14 + 4 * sum(packet.layers().count(tag) for tag in (Dot1Q, Dot1AD)) + size - len(data)


@judge
def length_mtu(frames):
    for rows in by_kind(frames):
        tags = 8 if parts(rows[0])[0] == "tagged" else 0
        sizes = {len(f.data) + missing(f.data) - 14 for f in rows}
        for mtu in (576, 1280, 1492, 1500, 1504, 1518):
            assert sizes >= {mtu + step for step in range(-2, 3)}
            assert tags == 0 or mtu in sizes


@judge
def length_jumbo(frames):
    sizes = {len(frame.data) for frame in frames}
    assert sizes >= {9013, 9014, 9015, 9215, 9216, 9217, 65549, 131070, 131071, 131072}
    assert max(scapy(frame.data)[IP].len for frame in frames) == 65535


@judge
def length_limit(frames):
    for limit in {frame.settings["max_length"] for frame in frames}:
        sizes = {len(f.data) for f in frames if f.settings["max_length"] == limit}
        assert sizes == {limit - 1, limit, limit + 1} - {0}
    assert {len(frame.data) for frame in frames} >= {1, 2, 3, 13, 14, 15, 1513, 1514, 1515}


CUT = {"ethernet": 14, "vlan1": 4, "vlan2": 4, "ipv4": 20, "ipv4-options": 40, "ipv6": 40}
CUT |= {"hop-by-hop": 8, "routing": 24, "fragment": 8, "ah": 24, "destination": 16}
CUT |= {f"second-{name}": CUT[name] for name in list(CUT)[-5:]}
UPPER = {"tcp": 28, "udp": 8, "stellar": 12, "addr": 16, "imm": 4, "ack": 16, "int": 12, "check": 4}
UPPER |= {"all": 16 + 4 + 12 + 4}
CUT |= {f"ipv{v}-{name}": size for v, (name, size) in product((4, 6), UPPER.items())}
"""Headers that are cut and their bytes: with options, one hop of INT, behind "all" a payload."""

WHOLE = {
    "ethernet": Ether,
    "vlan1": Dot1AD,
    "vlan2": Dot1Q,
    "ipv4": IP,
    "ipv6": IPv6,
    "hop-by-hop": IPv6ExtHdrHopByHop,
    "routing": IPv6ExtHdrSegmentRouting,
    "fragment": IPv6ExtHdrFragment,
    "destination": IPv6ExtHdrDestOpt,
    "ipv4-tcp": TCP,
    "ipv6-tcp": TCP,
    "ipv4-udp": UDP,
    "ipv6-udp": UDP,
}


@judge
def header_cut(frames):
    ends = {}
    for frame in frames:
        name, end = parts(frame)
        ends.setdefault(name, []).append(int(end))
        assert len(frame.data) == int(end)
    assert set(ends) == set(CUT)
    longest = {parts(frame)[0]: frame.data for frame in frames}
    for name, places in ends.items():
        assert places == list(range(places[0], places[-1] + 1))
        # An end is missing where another header's frame is the same up to there.
        assert len(places) in (CUT[name], CUT[name] + 1), name
        if name in WHOLE:
            assert WHOLE[name] in scapy(longest[name]), name


@judge
def header_cut_fitted(frames):
    assert {parts(f)[0] for f in frames} == set(CUT) - {"ethernet", "vlan1", "vlan2"}
    forms = set()
    for frame in frames:
        _, end, *form = parts(frame)
        forms.add(tuple(form))
        data = frame.data[: int(end)]
        if version(data) == 4 and len(data) >= 34:
            assert number(data, 16) == len(data) - 14
            assert header_sum_right(data), frame.name
        if version(data) == 6:
            assert number(data, 18) == len(data) - 54
        if "padded" in form:
            assert len(frame.data) == 60
        if "udp" in form:
            assert b"\xf5\x7a" in data or b"\0\x35" in data  # StellarTP's port, or 53
    assert forms == set(product(("ip", "udp"), ("padded",))) | set(
        product(("ip", "udp"), ("tail",))
    ) | {("ip",), ("udp",)}


def tpids(data):
    found, at = [], 12
    while len(data) >= at + 2 and number(data, at) in TPIDS:
        found.append(number(data, at))
        at += 4
    return tuple(found), (number(data, at) if len(data) >= at + 2 else None)


MIXES = [mix for count in range(4) for mix in product(TPIDS, repeat=count)]


@judge
def vlan_mix(frames):
    found = sorted(tpids(frame.data) for frame in frames)
    assert found == sorted(product(MIXES, (0x0800, 0x86DD, 0x88B5)))
    for frame in frames:
        mix, _ = tpids(frame.data)
        if 0x9100 not in mix:  # of which Scapy makes no tag
            wanted = [{0x8100: Dot1Q, 0x88A8: Dot1AD}[tpid] for tpid in mix]
            assert scapy(frame.data).layers()[1 : 1 + len(mix)] == wanted


@judge
def vlan_cut(frames):
    rows = {}
    for frame in frames:
        rows.setdefault(parts(frame)[0], set()).add(len(frame.data))
    assert len(rows) == len(MIXES) - 1
    for mix, sizes in rows.items():
        last = 14 + 4 * mix.count("-")
        assert sizes == set(range(last, last + 6))


@judge
def vlan_tag(frames):
    for place in (0, 1):
        controls = {number(f.data, 14 + 4 * place) for f in frames if parts(f)[0] == "tci"}
        assert controls >= {1 << bit for bit in range(16)} | {0, 4095, 0xFFFF}
    near = {number(f.data, 12) for f in frames if parts(f)[0] == "tpid"}
    assert near == {tpid ^ 1 << bit for tpid in TPIDS for bit in range(16)} - set(TPIDS)


@judge
def ethernet_type(frames):
    for here, there in ((0x0800, 0x86DD), (0x86DD, 0x0800)):
        packets = [f for f in frames if f.data[14] >> 4 == (4 if here == 0x0800 else 6)]
        types = {number(frame.data, 12) for frame in packets}
        assert types >= {here ^ 1 << bit for bit in range(16)} | {there}
    assert {number(f.data, 12) for f in frames} >= {0, 1, 46, 48, 1500, 1501, 0x5FF, 0x600}
    assert {f.data[14:16] for f in frames} >= {b"\xaa\xaa", b"\x42\x42"}


@judge
def ip_version(frames):
    found = sorted((number(f.data, 12), version(f.data)) for f in frames)
    assert found == sorted(product((0x0800, 0x86DD), range(16)))


@judge
def padding(frames):
    behind = {}
    for frame in frames:
        behind.setdefault(version(frame.data), set()).add(-missing(frame.data))
    for counts in behind.values():
        assert set(range(1, 10)) | {17, 46} <= counts and min(counts) == 1
    assert set(behind) == {4, 6}


@judge
def ipv4_ihl(frames):
    found = {}
    for frame in frames:
        name, ihl, form, *_ = parts(frame)
        assert frame.data[14] == 0x40 | int(ihl)
        found.setdefault((name, form), set()).add(frame.data[14] & 15)
    assert set(found) == set(product(("stellar", "udp"), ("fitting", "plain", "cut", "total")))
    for (_, form), ihls in found.items():  # up to IHL 5 there are no options to leave out
        assert ihls == set(range(6 if form == "plain" else 0, 16))
    fitting = [f for f in frames if parts(f)[2] == "fitting" and f.data[14] & 15 >= 5]
    assert all(header_sum_right(f.data) and scapy(f.data)[UDP] for f in fitting)


@judge
def ipv4_option(frames):
    assert {f.data[34] for f in frames if parts(f)[0] == "type"} == set(range(256))
    lengths = {f.data[35] for f in frames}
    assert lengths >= {0, 1, 40, 255}
    assert all(header_sum_right(frame.data) for frame in frames)


@judge
def ipv4_source_route(frames):
    for kind, option in ((131, IPOption_LSRR), (137, IPOption_SSRR)):
        rows = [f for f in frames if parts(f)[1] == str(kind)]
        places = {f.data[34 : 14 + 4 * (f.data[14] & 15)].find(kind) for f in rows}
        assert places >= set(range(40)) | {-1}
        routes = [f for f in rows if parts(f)[2:] == ["open"]]
        assert routes and all(isinstance(scapy(f.data)[IP].options[0], option) for f in routes)


@judge
def ip_protocol(frames):
    found = [(version(f.data), f.data[23 if version(f.data) == 4 else 20]) for f in frames]
    assert sorted(found) == sorted(list(product((4, 6), range(256))) * 2)
