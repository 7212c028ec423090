"""Packets whose payload a switch has cut: at every byte, with lengths fixed up or not."""

from collections.abc import Iterator

from stellar_model import build
from stellar_spec.codes import Protocol
from stellar_spec.headers import STELLAR_PORT
from stellar_spec.opcodes import Opcode

from .recipes import (
    ACK_FIELDS,
    ADDR_FIELDS,
    IMM_FIELDS,
    L4,
    datagram,
    filler,
    good,
    int_fields,
    on_ip,
    reseal,
    send,
    tagged,
)
from .stimulus import TRIM_DSCP, Stimulus

__all__ = ["cut_at_every_byte", "lengths", "trimmed", "unfit", "whole"]


def trimmed() -> Iterator[Stimulus]:
    """All of this theme."""
    yield from cut_at_every_byte()
    yield from lengths()
    yield from whole()
    yield from unfit()


def packet(**fields) -> build.Part:
    """A good packet with extensions and some payload."""
    fields |= {"addr": ADDR_FIELDS, "imm": IMM_FIELDS, "int": int_fields(2, 2)}
    return good(Opcode.READ_RESPONSE, 4, **fields)


def acknowledged(**fields) -> build.Part:
    """A good packet with the other extension."""
    return good(Opcode.ACK, ack=ACK_FIELDS, **fields)


def cut_at_every_byte() -> Iterator[Stimulus]:
    """The frame cut, its lengths as the sender wrote them, trimming on and off; and padded."""
    for name, make in {"long": packet, "ack": acknowledged}.items():
        for version in (4, 6):
            frame = build.ethernet(on_ip(version, make(), dscp=TRIM_DSCP))
            l4, step = L4[version], 1 if version == 4 else 2
            for end in range(l4 - 2 if name == "long" else l4 + 20, len(frame), step):
                where = f"ipv{version}-{name}/{end}"
                yield Stimulus(f"trim/on/{where}", frame[:end], settings="trim")
                if version == 4 and name == "ack":
                    yield Stimulus(f"trim/off/{where}", frame[:end])
                if version == 4 and end < 64:
                    padded = build.pad(frame[:end], 64, b"\xff")
                    yield Stimulus(f"trim/padded/{where}", padded, settings="trim")


def lengths() -> Iterator[Stimulus]:
    """Cut packets whose IP length, or both lengths, the switch has fixed."""
    for version in (4, 6):
        whole = datagram(version, packet(), 0)
        for size in range(0, len(whole), 1 if version == 4 else 5):
            where = f"ipv{version}/{size}"
            fixed = on_ip(version, whole[:size], Protocol.UDP, dscp=TRIM_DSCP)
            frame = build.ethernet(fixed)
            yield Stimulus(f"trim/ip-fixed/{where}", frame, settings="trim")
            if len(frame) < 60:
                padded = build.pad(frame)
                yield Stimulus(f"trim/ip-fixed-padded/{where}", padded, settings="trim")
            fixed = on_ip(version, reseal(version, whole[:size]), Protocol.UDP, dscp=TRIM_DSCP)
            yield Stimulus(f"trim/all-fixed/{where}", build.ethernet(fixed), settings="trim")


def whole() -> Iterator[Stimulus]:
    """Packets that bear the DSCP and are not cut, with a good and a wrong check and sum."""
    inners = {
        "good": send(),
        "check": send(check=b"\0\0\0\1"),
        "sum": send(udp={"checksum": 0x0101}),
        "right-sum": send(udp={"checksum": None}),
        "opcode": good(33),
        "extension": send(imm=IMM_FIELDS),
        "int": send(int=int_fields(1, 2)),
        "int-hops": send(int=int_fields(9, 2)),
        "int-stack": send(int=int_fields(8, 2), stack=filler(5)),
        "body": good(Opcode.ATOMIC, -9),
        "version": send(version=2),
        "empty": build.udp(b"", dport=STELLAR_PORT, checksum=0),
        "other-port": build.udp(filler(9), dport=53),
        "other-port-wrong": build.udp(filler(9), dport=53, checksum=0x7777),
        "tcp": build.tcp(filler(9), dport=53),
    }
    for name, inner in inners.items():
        for version in (4, 6):
            frame = build.ethernet(on_ip(version, inner, dscp=TRIM_DSCP))
            where = f"{name}/ipv{version}"
            yield Stimulus(f"trim/whole/{where}", frame, settings="trim")
            if version == 4:
                yield Stimulus(f"trim/tail/{where}", frame[:-3], settings="trim")
                yield Stimulus(f"trim/behind/{where}", frame + b"\xee" * 3, settings="trim")
        other = build.ethernet(build.ipv4(inner, dscp=TRIM_DSCP ^ 1 << len(name) % 6))
        yield Stimulus(f"trim/other-dscp/{name}", other[:-3], settings="trim")


def unfit() -> Iterator[Stimulus]:
    """Cut packets that are no candidates all the same, and some that are in spite of it."""
    cut = send(udp={"length": 1032})
    outers = {
        "fragment": build.ipv4(cut, dscp=TRIM_DSCP, more_fragments=1),
        "later-fragment": build.ipv4(cut, dscp=TRIM_DSCP, fragment_offset=4),
        "header-sum": build.ipv4(cut, dscp=TRIM_DSCP, checksum=0x1234),
        "source-route": build.ipv4(cut, dscp=TRIM_DSCP, options=b"\x83\3\4\0"),
        "options": build.ipv4(cut, dscp=TRIM_DSCP, options=b"\1\1\1\0"),
        "route": build.ipv6(build.routing(cut, segments_left=1), dscp=TRIM_DSCP),
        "route-done": build.ipv6(build.routing(cut), dscp=TRIM_DSCP),
        "atomic": build.ipv6(build.fragment(cut), dscp=TRIM_DSCP),
        "jumbogram": build.ipv6(build.hop_by_hop(cut), payload_length=0, dscp=TRIM_DSCP),
        "total-short": build.ipv4(cut, dscp=TRIM_DSCP, total_length=27),
        "total-udp": build.ipv4(cut, dscp=TRIM_DSCP, total_length=28),
        "total-long": build.ipv4(cut, dscp=TRIM_DSCP, total_length=1500),
        "payload-udp": build.ipv6(cut, dscp=TRIM_DSCP, payload_length=8),
        "tags": tagged(build.ipv4(cut, dscp=TRIM_DSCP, total_length=1052), (0x8100, 0x8100)),
        "addresses": build.ipv4(cut, dscp=TRIM_DSCP, dst=0x7F000001),
    }
    for name, outer in outers.items():
        yield Stimulus(f"trim/unfit/{name}", build.ethernet(outer), settings="trim")
    for length in range(25):
        frame = build.ethernet(build.ipv4(send(udp={"length": length}), dscp=TRIM_DSCP))
        yield Stimulus(f"trim/udp-length/{length}", frame, settings="trim")
