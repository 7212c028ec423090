"""Scapy as an outside witness: what it builds is read with the same values and verdicts.

Frames are random; a failing one is printed in full, and the seed repeats the run.
"""

import random
import warnings

import pytest

from stellar_model import build, parse
from stellar_spec.codes import Flag, Layer
from stellar_spec.opcodes import Opcode

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Scapy's imports warn of what others will remove one day
    from scapy.config import conf
    from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_RR, IPOption_Timestamp
    from scapy.layers.inet6 import (
        IPv6,
        IPv6ExtHdrDestOpt,
        IPv6ExtHdrFragment,
        IPv6ExtHdrHopByHop,
        IPv6ExtHdrRouting,
        PadN,
    )
    from scapy.layers.ipsec import AH
    from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
    from scapy.packet import Padding, Raw, bind_layers
    from scapy.utils import checksum as scapy_checksum
    from scapy.utils import mac2str

FRAMES = 1500
UPPER = {UDP: 17, TCP: 6, ICMP: 1}
for layer, number in UPPER.items():
    bind_layers(AH, layer, nh=number)  # Scapy itself does not look behind AH
EXTENSIONS = (
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrRouting,
    IPv6ExtHdrFragment,
    AH,
)


@pytest.fixture(scope="module", autouse=True)
def no_routes_are_asked():
    """Addresses are given, so no packet needs the machine's routes."""
    before, conf.route_autoload = conf.route_autoload, False
    yield
    conf.route_autoload = before


def random_frame(rng):
    """A packet of Scapy's, from Ethernet up."""
    mac = [":".join(f"{rng.randrange(256):02x}" for _ in range(6)) for _ in range(2)]
    packet = Ether(dst=mac[0], src=mac[1])
    for _ in range(rng.choice([0, 0, 1, 2])):
        packet /= rng.choice([Dot1Q, Dot1AD])(
            prio=rng.randrange(8), dei=rng.randrange(2), vlan=rng.randrange(4096)
        )
    kind = rng.random()
    if kind < 0.05:
        return packet / ARP(psrc="10.0.0.1", pdst="10.0.0.2", hwsrc=mac[1])
    upper = random_upper(rng)
    return packet / (random_ipv4(rng) if kind < 0.5 else random_ipv6(rng, upper)) / upper


def random_ipv4(rng):
    route = IPOption_RR(pointer=4, routers=["0.0.0.0"] * 2)
    options = rng.choice([[], [], [route], [IPOption_Timestamp(timestamp=1)]])
    return IP(
        src=f"10.1.{rng.randrange(256)}.{rng.randrange(256)}",
        dst=f"172.16.{rng.randrange(256)}.{rng.randrange(256)}",
        tos=rng.randrange(256),
        ttl=rng.randrange(256),
        id=rng.randrange(65536),
        flags=rng.choice(["", "", "", "DF", "MF"]),
        frag=rng.choice([0, 0, 0, 0, rng.randrange(8192)]),
        options=options,
    )


def random_ipv6(rng, upper):
    packet = IPv6(
        src=f"2001:db8::{rng.randrange(65536):x}",
        dst=f"fe80::{rng.randrange(65536):x}:1",
        tc=rng.randrange(256),
        fl=rng.randrange(1 << 20),
        hlim=rng.randrange(256),
    )
    for kind in sorted(
        rng.sample(EXTENSIONS, rng.choice([0, 0, 1, 2, 4])), key=lambda kind: kind is AH
    ):
        if kind is IPv6ExtHdrFragment:
            packet /= kind(m=rng.choice([0, 0, 1]), offset=rng.choice([0, 0, 5]), id=7)
        elif kind is IPv6ExtHdrRouting:
            packet /= kind(addresses=["fd00::9"] * rng.randrange(3), segleft=0)
        elif kind is AH:
            # Scapy fills in neither the type nor the length; so AH comes last
            size = rng.choice([12, 20])
            length = (12 + size) // 4 - 2
            packet /= kind(nh=UPPER[type(upper)], payloadlen=length, spi=3, icv=bytes(size))
        else:
            packet /= kind(options=[PadN(optdata=bytes(rng.randrange(30)))])
    return packet


def random_upper(rng):
    data = Raw(rng.randbytes(rng.choice([0, 1, 2, 3, 60, 200])))
    ports = dict(sport=rng.randrange(65536), dport=rng.randrange(60000))  # not StellarTP's
    kind = rng.random()
    if kind < 0.5:
        return UDP(**ports, **({"chksum": rng.randrange(65536)} if kind < 0.1 else {})) / data
    if kind < 0.8:
        options = [("MSS", 1460)] if kind < 0.6 else []
        return TCP(**ports, flags=rng.randrange(512), seq=5, options=options) / data
    return ICMP() / data


def expected_ip(packet):
    """Fields of the IP header as Scapy reads them."""
    if IP in packet:
        ip = packet[IP]
        return {
            "version": 4,
            "src": int.from_bytes(bytes(map(int, ip.src.split("."))), "big"),
            "dst": int.from_bytes(bytes(map(int, ip.dst.split("."))), "big"),
            "dscp": ip.tos >> 2,
            "ecn": ip.tos & 3,
            "ttl": ip.ttl,
            "protocol": ip.proto,
            "header_length": 4 * ip.ihl,
            "total_length": ip.len,
            "fragment_offset": 8 * ip.frag,
            "more_fragments": int(ip.flags.MF),
        }
    ip, last, fragment = packet[IPv6], packet[IPv6], None
    length = 40
    while isinstance(last.payload, EXTENSIONS) and not (fragment and fragment.offset):
        last = last.payload
        length += len(last.original) - len(last.payload.original)
        fragment = last if isinstance(last, IPv6ExtHdrFragment) else fragment
    return {
        "version": 6,
        "src": int.from_bytes(ip.fieldtype["src"].i2m(ip, ip.src), "big"),
        "dst": int.from_bytes(ip.fieldtype["dst"].i2m(ip, ip.dst), "big"),
        "dscp": ip.tc >> 2,
        "ecn": ip.tc & 3,
        "ttl": ip.hlim,
        "protocol": last.nh,
        "header_length": length,
        "total_length": 40 + ip.plen,
        "fragment_offset": 8 * fragment.offset if fragment else 0,
        "more_fragments": fragment.m if fragment else 0,
    }


def right_checksum(packet, layer):
    """Whether Scapy would have computed the checksum that ``layer`` of ``packet`` has."""
    given = packet[layer].chksum
    again = packet.copy()
    del again[layer].chksum
    return type(packet)(bytes(again))[layer].chksum == given


def expected_flags(packet, header):
    ip = header["ip"]
    flags = Flag.PADDED if Padding in packet else Flag(0)
    if ip["header_length"] > 20 and IP in packet:
        flags |= Flag.IPV4_OPTIONS
    if IPv6 in packet and ip["header_length"] > 40:
        flags |= Flag.IPV6_EXTENSIONS
    if ip["fragment_offset"] or ip["more_fragments"]:
        flags |= Flag.FRAGMENT
    if IP in packet and scapy_checksum(bytes(packet[IP])[: 4 * packet[IP].ihl]) != 0:
        flags |= Flag.IPV4_CHECKSUM
    if UDP in packet and not ip["fragment_offset"]:
        udp = packet[UDP]
        if udp.chksum == 0:
            flags |= Flag.UDP_CHECKSUM if IPv6 in packet else Flag(0)
        elif Flag.FRAGMENT in flags:
            flags |= Flag.UNVERIFIED
        elif not right_checksum(packet, UDP):
            flags |= Flag.UDP_CHECKSUM
    return flags


def compare(frame):
    packet, parsed = Ether(frame), parse(frame)
    header = parsed.header
    eth, layers = header["eth"], Layer(header["state"]["layers"])
    macs = eth["dst"].to_bytes(6, "big"), eth["src"].to_bytes(6, "big")
    assert macs == (mac2str(packet.dst), mac2str(packet.src))
    tags = [p for p in packet.iterpayloads() if isinstance(p, (Dot1Q, Dot1AD))]
    assert eth["vlan_count"] == len(tags)
    for i, tag in enumerate(tags):
        ours = [eth[f"vlan{i}_{name}"] for name in ("pcp", "dei", "vid")]
        assert ours == [tag.prio, tag.dei, tag.vlan]
    assert eth["type"] == (tags[-1] if tags else packet).type
    if not (IP in packet or IPv6 in packet):
        assert (layers, parsed.trailer["flags"]) == (Layer.ETH, 0)
        return
    assert header["ip"] == expected_ip(packet)
    first = header["ip"]["fragment_offset"] == 0
    assert (Layer.UDP in layers, Layer.TCP in layers) == (
        first and UDP in packet,
        first and TCP in packet,
    )
    if Layer.UDP in layers:
        udp = packet[UDP]
        assert tuple(header["udp"].values()) == (udp.sport, udp.dport, udp.len, udp.chksum)
    if Layer.TCP in layers:
        tcp = packet[TCP]
        values = (tcp.sport, tcp.dport, int(tcp.flags) | tcp.reserved % 2 << 8, tcp.dataofs)
        assert tuple(header["tcp"].values()) == values
    assert Flag(parsed.trailer["flags"]) == expected_flags(packet, header)


def test_random_frames(seed):
    rng = random.Random(seed)
    for i in range(FRAMES):
        frame = bytes(random_frame(rng)) + rng.randbytes(rng.choice([0, 0, 1, 18]))
        try:
            compare(frame)
        except AssertionError as error:
            pytest.fail(f"seed {seed} frame {i}: {frame.hex()}\n{Ether(frame)!r}\n{error}")


@pytest.mark.parametrize("upper", ["udp", "tcp", "stellar"])
@pytest.mark.parametrize("version", [4, 6])
def test_scapy_reads_what_the_builders_build(upper, version, seed):
    """Every checksum and length of the builders is the one that Scapy computes."""
    rng = random.Random(seed)
    for _ in range(20):
        data = rng.randbytes(rng.randrange(64))
        segment = {
            "udp": lambda data=data: build.udp(data, sport=7, dport=9),
            "tcp": lambda data=data: build.tcp(data, sport=7, dport=9, options=b"\1\1\1\1"),
            "stellar": lambda data=data: build.stellar(Opcode.SEND, data, udp={"checksum": None}),
        }[upper]()
        if version == 4:
            frame = build.ethernet(build.vlan(build.ipv4(segment, options=b"\1\1\1\1"), vid=5))
        else:
            frame = build.ethernet(build.ipv6(build.hop_by_hop(build.fragment(segment))))
        packet = Ether(frame)
        again = packet.copy()
        for layer, names in ((IP, ("len", "ihl", "chksum")), (UDP, ("len", "chksum"))):
            for name in names if layer in again else ():
                setattr(again[layer], name, None)  # to be filled in, whatever the layer behind says
        if TCP in again:
            del again[TCP].chksum
        if IPv6 in again:
            del again[IPv6].plen
        assert TCP in packet or UDP in packet
        assert bytes(again) == frame


def test_scapy_fragments_of_a_packet():
    """A datagram in three pieces, as Scapy cuts it: one first fragment, two later ones."""
    datagram = IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=1, dport=2) / Raw(bytes(1400))
    pieces = datagram.fragment(fragsize=512)
    macs = Ether(dst="02:00:00:00:00:01", src="02:00:00:00:00:02")
    parsed = [parse(bytes(macs / piece)) for piece in pieces]
    assert [p.header["ip"]["fragment_offset"] for p in parsed] == [0, 512, 1024]
    assert [p.header["ip"]["more_fragments"] for p in parsed] == [1, 1, 0]
    assert [Flag(p.trailer["flags"]) for p in parsed] == [
        Flag.FRAGMENT | Flag.UNVERIFIED,  # the sum is the whole datagram's
        Flag.FRAGMENT,
        Flag.FRAGMENT,
    ]
