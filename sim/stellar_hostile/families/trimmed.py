"""Packets that a switch has trimmed: cut at every byte, with lengths as sent or written anew."""

from collections.abc import Iterator
from itertools import product

from stellar_model import build
from stellar_spec.headers import STELLAR_PORT, UDP
from stellar_spec.opcodes import Opcode

from ..frame import Hostile, Kit
from ..pieces import (
    IP_END,
    VERSIONS,
    extensions,
    on_ip,
    put,
    send,
    set_ip_length,
    tagged,
    udp,
)

__all__ = ["TRIM", "trim_cut", "trim_dscp", "trim_unfit"]

TRIM = {"trim": 1, "trim_dscp": 0b000100}
"""The settings under which a switch's trimming is known, and the DSCP by which."""
DSCP = TRIM["trim_dscp"]


def _packets(kit: Kit) -> dict[str, build.Part]:
    """What is trimmed: together they carry every extension."""
    summed = {"checksum": None}
    return {
        "read": send(
            kit.random(9), opcode=Opcode.READ_RESPONSE, **extensions(["ADDR", "IMM", "INT"])
        ),
        "ack": send(b"", opcode=Opcode.ACK, udp=summed, **extensions(["ACK", "INT"])),
    }


def trim_cut(kit: Kit) -> Iterator[Hostile]:
    """A packet with the DSCP of trimmed ones, cut at every byte from the UDP header on: lengths as
    the sender wrote them, the IP length written anew, IP and UDP length written anew; padded to the
    least frame; and, without trimming in the settings, a packet that is merely cut.

    Source: this project's docs/parser.md, step 7, and docs/wire-format.md, section 5;
    packet trimming in general: NDP (SIGCOMM 2017)
    """
    for version, (name, packet) in product(VERSIONS, _packets(kit).items()):
        frame = kit.frame(on_ip(version, packet, dscp=DSCP))
        l4 = IP_END[version]
        for end in range(l4, len(frame)):
            where = (f"ipv{version}", name, end)
            note = f"{end} of {len(frame)} bytes"
            cut = frame[:end]
            yield kit.hostile((*where, "sent"), cut, f"{note}, lengths as sent", **TRIM)
            yield kit.hostile((*where, "off"), cut, f"{note}, trimming is off")
            forms = {"ip": set_ip_length(cut, end - l4)}
            if end >= l4 + UDP.size:
                forms["both"] = put(forms["ip"], l4, UDP, "length", end - l4)
            for form, data in forms.items():
                text = f"{note}, length of {form} anew"
                yield kit.hostile((*where, form), data, text, **TRIM)
                if end < 60:
                    padded = build.pad(data, 60)
                    yield kit.hostile((*where, form, "padded"), padded, f"{text}; padded", **TRIM)


def trim_dscp(kit: Kit) -> Iterator[Hostile]:
    """Each of the 64 DSCPs on a cut and on a whole packet while another one means trimmed, and
    while trimming is off; the ECN bits beside it.

    Source: RFC 2474, section 3; RFC 3168, section 5
    """
    for version, dscp, ecn in product(VERSIONS, range(64), (0, 3)):
        frame = kit.frame(on_ip(version, send(kit.random(8)), dscp=dscp, ecn=ecn))
        for name, data in {"whole": frame, "cut": frame[:-5]}.items():
            where = (f"ipv{version}", dscp, ecn, name)
            note = f"DSCP {dscp}, ECN {ecn}, {name}"
            yield kit.hostile((*where, "on"), data, f"{note}, trimming on", **TRIM)
            if ecn:
                yield kit.hostile((*where, "off"), data, f"{note}, trimming off")


def trim_unfit(kit: Kit) -> Iterator[Hostile]:
    """Packets with the DSCP of trimmed ones that are something else besides: fragments, a wrong
    header sum, a source route, a jumbogram, another port, TCP; with wrong sums, checks, opcodes,
    extensions, INT, versions; with every UDP length up to 32; all of them whole and cut.

    Source: this project's docs/parser.md, steps 7 to 10
    """
    for name, packet in _unfit(kit).items():
        frame = kit.frame(packet)
        for form, data in {"whole": frame, "cut": frame[:-3], "behind": frame + b"\xee"}.items():
            yield kit.hostile((name, form), data, f"trimmed, {name}, {form}", **TRIM)
    for version, length in product(VERSIONS, range(33)):
        frame = kit.frame(on_ip(version, send(udp={"length": length}), dscp=DSCP))
        note = f"trimmed, UDP length {length}"
        yield kit.hostile((f"ipv{version}", "udp", length), frame, note, **TRIM)


def _unfit(kit: Kit) -> dict[str, build.Part]:
    cut = send(udp={"length": 1032})
    outer = {"dscp": DSCP}
    packets = {
        "fragment": build.ipv4(cut, more_fragments=1, **outer),
        "later-fragment": build.ipv4(cut, fragment_offset=4, **outer),
        "header-sum": build.ipv4(cut, checksum=0x1234, **outer),
        "source-route": build.ipv4(cut, options=b"\x83\3\4\0", **outer),
        "options": build.ipv4(cut, options=b"\1\1\1\0", **outer),
        "route": build.ipv6(build.routing(cut, segments_left=1), **outer),
        "route-done": build.ipv6(build.routing(cut), **outer),
        "atomic": build.ipv6(build.fragment(cut), **outer),
        "jumbogram": build.ipv6(build.hop_by_hop(cut), payload_length=0, **outer),
        "total-27": build.ipv4(cut, total_length=27, **outer),
        "total-28": build.ipv4(cut, total_length=28, **outer),
        "total-long": build.ipv4(cut, total_length=1500, **outer),
        "payload-8": build.ipv6(cut, payload_length=8, **outer),
        "tags": tagged(build.ipv4(cut, total_length=1052, **outer), (0x8100, 0x8100)),
    }
    inners = {
        "check": send(check=b"\0\0\0\1"),
        "sum": send(udp={"checksum": 0x0101}),
        "right-sum": send(udp={"checksum": None}),
        "opcode": send(opcode=33),
        "extension": send(**extensions(["ADDR"])),
        "int-used": send(int={"hops_used": 2, "hops_reserved": 1}),
        "int-hops": send(int={"hops_used": 2, "hops_reserved": 9}),
        "int-stack": send(int={"hops_used": 2, "hops_reserved": 8}, stack=kit.random(5)),
        "body": send(kit.random(2), opcode=Opcode.ATOMIC, **extensions(["ADDR"])),
        "version": send(version=2),
        "empty": build.udp(b"", dport=STELLAR_PORT, checksum=0),
        "other-port": udp(kit.random(9)),
        "tcp": build.tcp(kit.random(9), dport=53),
    }
    for name, inner in inners.items():
        for version in VERSIONS:
            packets[f"{name}-ipv{version}"] = on_ip(version, inner, **outer)
    return packets
