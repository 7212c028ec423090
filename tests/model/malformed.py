"""The rows of docs/parser.md's table "Malformed frames at a glance" up to UDP, with frames."""

from dataclasses import dataclass, field

from stellar_model import Settings
from stellar_model.build import (
    destination,
    ethernet,
    fragment,
    hop_by_hop,
    ipv4,
    ipv6,
    routing,
    stellar,
    tcp,
    udp,
    vlan,
)
from stellar_spec.codes import Flag, Layer, Reason, Verdict
from stellar_spec.opcodes import Opcode

NOTHING, NO_FLAG = Layer(0), Flag(0)
ETH, IP, UDP, TCP, STELLAR = Layer.ETH, Layer.IP, Layer.UDP, Layer.TCP, Layer.STELLAR
UP_TO_IP = ETH | IP
UP_TO_UDP = UP_TO_IP | UDP
UP_TO_STELLAR = UP_TO_UDP | STELLAR

DATA = bytes(range(20))
GOOD_UDP = udp(DATA, sport=1000, dport=53)
SEND = stellar(Opcode.SEND, DATA, flow=5)


@dataclass(frozen=True)
class Case:
    """A frame and what the parser must say of it; DROP goes with a reason alone."""

    frame: bytes
    layers: Layer
    flags: Flag = NO_FLAG
    reason: Reason = Reason.NONE
    verdict: Verdict = None
    settings: Settings = field(default_factory=Settings)
    error: bool = False

    @property
    def expected(self):
        default = Verdict.DROP if self.reason else Verdict.HOST
        verdict = default if self.verdict is None else self.verdict
        return self.layers, self.flags, verdict, self.reason


def cut(frame, at):
    return frame[:at]


FOUR, SIX = ethernet(ipv4(GOOD_UDP)), ethernet(ipv6(GOOD_UDP))
OPTIONS = bytes([1, 1, 1, 0])
NETWORK = {
    "ends before byte 14": [
        Case(cut(FOUR, 13), NOTHING, Flag.ETH_TRUNCATED),
        Case(cut(FOUR, 1), NOTHING, Flag.ETH_TRUNCATED),
    ],
    "ends inside a VLAN tag": [
        Case(cut(ethernet(vlan(b"", type=0x0800)), 17), ETH, Flag.ETH_TRUNCATED),
        Case(cut(ethernet(vlan(vlan(b"", type=0x0800))), 21), ETH, Flag.ETH_TRUNCATED),
    ],
    "three or more tags": [
        Case(
            ethernet(vlan(vlan(vlan(ipv4(GOOD_UDP)), tpid=0x88A8), tpid=0x9100)),
            ETH,
            Flag.VLAN_DEPTH,
        )
    ],
    "802.3 length in place of the type": [Case(ethernet(bytes(46), type=46), ETH)],
    "ends inside the IP header or its options": [
        Case(cut(FOUR, 17), ETH, Flag.IP_TRUNCATED),
        Case(cut(FOUR, 33), ETH, Flag.IP_TRUNCATED),
        Case(cut(ethernet(ipv4(GOOD_UDP, options=OPTIONS)), 37), ETH, Flag.IP_TRUNCATED),
        Case(cut(SIX, 53), ETH, Flag.IP_TRUNCATED),
    ],
    "version nibble against the EtherType": [
        Case(ethernet(ipv4(GOOD_UDP), type=0x86DD), ETH, Flag.IP_VERSION),
        Case(ethernet(ipv6(GOOD_UDP), type=0x0800), ETH, Flag.IP_VERSION),
    ],
    "IHL 0–4": [
        Case(ethernet(ipv4(GOOD_UDP, ihl=4)), ETH, Flag.IPV4_IHL),
        Case(ethernet(ipv4(GOOD_UDP, ihl=0)), ETH, Flag.IPV4_IHL),
    ],
    "IPv4 checksum wrong": [
        Case(ethernet(ipv4(GOOD_UDP, checksum=0x1234)), UP_TO_UDP, Flag.IPV4_CHECKSUM),
        Case(ethernet(ipv4(SEND, checksum=1)), UP_TO_UDP, Flag.IPV4_CHECKSUM),
    ],
    "total length below the header length": [
        Case(ethernet(ipv4(GOOD_UDP, total_length=19)), UP_TO_IP, Flag.IP_LENGTH)
    ],
    "IP packet longer than the frame": [
        Case(cut(FOUR, 61), UP_TO_UDP, Flag.IP_LENGTH | Flag.UNVERIFIED),
        Case(ethernet(ipv4(SEND))[:-1], UP_TO_STELLAR, Flag.IP_LENGTH),
        Case(cut(FOUR, 41), UP_TO_IP, Flag.IP_LENGTH | Flag.L4_TRUNCATED),
    ],
    "frame longer than the IP packet": [
        Case(FOUR + b"\xaa", UP_TO_UDP, Flag.PADDED),
        Case(ethernet(ipv6(SEND)) + bytes(9), UP_TO_STELLAR, Flag.PADDED, verdict=Verdict.STELLAR),
    ],
    "first fragment": [
        Case(
            ethernet(ipv4(GOOD_UDP, more_fragments=1)), UP_TO_UDP, Flag.FRAGMENT | Flag.UNVERIFIED
        ),
        Case(ethernet(ipv4(SEND, more_fragments=1)), UP_TO_UDP, Flag.FRAGMENT),
        Case(
            ethernet(ipv6(fragment(tcp(), more=1))),
            UP_TO_IP | TCP,
            Flag.FRAGMENT | Flag.IPV6_EXTENSIONS,
        ),
    ],
    "later fragment": [
        Case(ethernet(ipv4(GOOD_UDP, fragment_offset=1)), UP_TO_IP, Flag.FRAGMENT),
        Case(
            ethernet(ipv6(fragment(GOOD_UDP, offset=8))),
            UP_TO_IP,
            Flag.FRAGMENT | Flag.IPV6_EXTENSIONS,
        ),
    ],
    "extension headers past 256 bytes": [
        Case(
            ethernet(ipv6(hop_by_hop(destination(GOOD_UDP), options=bytes(254)))),
            UP_TO_IP,
            Flag.IPV6_EXTENSIONS | Flag.EXT_LIMIT,
        )
    ],
    "extension headers past the payload length": [
        Case(
            ethernet(ipv6(routing(GOOD_UDP), payload_length=7)),
            UP_TO_IP,
            Flag.IPV6_EXTENSIONS | Flag.IP_LENGTH,
        )
    ],
    "ends inside an extension header": [
        Case(
            cut(ethernet(ipv6(routing(GOOD_UDP))), 57),
            UP_TO_IP,
            Flag.IPV6_EXTENSIONS | Flag.IP_TRUNCATED | Flag.IP_LENGTH,
        ),
        Case(
            cut(ethernet(ipv6(hop_by_hop(destination(GOOD_UDP)))), 69),
            UP_TO_IP,
            Flag.IPV6_EXTENSIONS | Flag.IP_TRUNCATED | Flag.IP_LENGTH,
        ),
    ],
    "IP payload shorter than the UDP or TCP header": [
        Case(ethernet(ipv4(bytes(7), protocol=17)), UP_TO_IP, Flag.L4_TRUNCATED),
        Case(
            ethernet(ipv6(bytes(19), next_header=6)) + bytes(9),
            UP_TO_IP,
            Flag.L4_TRUNCATED | Flag.PADDED,
        ),
    ],
    "UDP length below 8 or past the IP payload": [
        Case(ethernet(ipv4(udp(DATA, length=7))), UP_TO_UDP, Flag.UDP_LENGTH),
        Case(
            ethernet(ipv6(stellar(Opcode.SEND, DATA, udp={"length": 45}))),
            UP_TO_UDP,
            Flag.UDP_LENGTH,
        ),
    ],
}
