"""Headers cut at every byte: by the frame's end, by the IP length, by the UDP length."""

from collections.abc import Iterator

from stellar_model import build
from stellar_spec.codes import Protocol
from stellar_spec.opcodes import Opcode

from .chains import EXTENSION_KINDS
from .recipes import (
    ACK_FIELDS,
    ADDR_FIELDS,
    IMM_FIELDS,
    datagram,
    good,
    int_fields,
    on_ip,
    reseal,
    send,
    tagged,
)
from .stimulus import Stimulus

__all__ = ["cut_datagrams", "cut_extension_headers", "cut_frames", "cut_segments", "cuts"]


def cuts() -> Iterator[Stimulus]:
    """All of this theme."""
    yield from cut_frames()
    yield from cut_datagrams()
    yield from cut_segments()
    yield from cut_extension_headers()


def longest(**fields) -> build.Part:
    """A good packet with three extensions."""
    fields |= {"addr": ADDR_FIELDS, "imm": IMM_FIELDS, "int": int_fields(1, 1)}
    return good(Opcode.READ_RESPONSE, 4, **fields)


def acknowledged(**fields) -> build.Part:
    """A good packet with the other extension."""
    return good(Opcode.PROBE_REPLY, 2, ack=ACK_FIELDS, int=int_fields(1), **fields)


PACKETS = {"long": longest, "ack": acknowledged}


def cut_frames() -> Iterator[Stimulus]:
    """Frames that end at every byte while their lengths stay; with options and tags in front."""
    for name, make in PACKETS.items():
        for version in (4, 6):
            frame = build.ethernet(on_ip(version, make()))
            # up to the last 36 bytes, from ACK's first on, what is cut is the other packet's too
            for end in range(14 if name == "long" else len(frame) - 36, len(frame)):
                yield Stimulus(f"cut/frame/ipv{version}-{name}/{end}", frame[:end])
    frame = build.ethernet(tagged(build.ipv4(longest(), options=b"\1" * 20), (0x88A8, 0x8100)))
    for end in range(22, 84):
        yield Stimulus(f"cut/frame/tags-options/{end}", frame[:end])


def cut_datagrams() -> Iterator[Stimulus]:
    """UDP and StellarTP cut at every byte by one length or all of them."""
    for name, make in PACKETS.items():
        for version in (4, 6):
            whole = datagram(version, make())
            for size in range(0 if name == "long" else 24, len(whole)):
                where = f"ipv{version}-{name}/{size}"
                cut = reseal(version, whole[:size])
                frame = build.ethernet(on_ip(version, cut, Protocol.UDP))
                yield Stimulus(f"cut/all/{where}", frame)
                if name == "long" and (version == 4 or size < 30):
                    yield Stimulus(f"cut/padded/{where}", frame + whole[size : size + 9])
                if name == "long" and (version == 4 or size % 4 == 0):
                    yield from cut_by_one(where, version, whole, size)


def cut_by_one(where: str, version: int, whole: bytes, size: int) -> Iterator[Stimulus]:
    """The UDP length says ``size``; the IP length does, with the rest behind as padding."""
    if size >= 8:
        shorter = reseal(version, whole[:size]) + whole[size:]
        packet = on_ip(version, shorter, Protocol.UDP)
        yield Stimulus(f"cut/udp/{where}", build.ethernet(packet))
    packet = on_ip(version, whole[:size], Protocol.UDP)
    yield Stimulus(f"cut/ip/{where}", build.ethernet(packet) + whole[size : size + 5])


def cut_segments() -> Iterator[Stimulus]:
    """TCP cut at every byte by the frame's end, by the IP length, and by both."""
    for version in (4, 6):
        whole = datagram(version, build.tcp(b"\xee\xff", sport=0x1122, dport=0x3344, flags=0x1AA))
        frame = build.ethernet(on_ip(version, whole, Protocol.TCP))
        for size in range(len(whole)):
            where = f"ipv{version}/{size}"
            yield Stimulus(f"cut/tcp-frame/{where}", frame[: len(frame) - len(whole) + size])
            short = build.ethernet(on_ip(version, whole[:size], Protocol.TCP))
            yield Stimulus(f"cut/tcp-all/{where}", short)
            yield Stimulus(f"cut/tcp-ip/{where}", short + whole[size:])
    for offset in range(16):
        packet = build.tcp(b"\1" * 8, flags=1 << offset % 9, data_offset=offset)
        yield Stimulus(f"tcp/offset-{offset}", build.ethernet(build.ipv4(packet)))


def cut_extension_headers() -> Iterator[Stimulus]:
    """IPv6 extension headers cut at every byte by the frame's end, and by the payload length."""
    for name, extension in EXTENSION_KINDS.items():
        inner = extension(send())
        frame = build.ethernet(build.ipv6(inner))
        for end in range(54, len(frame) - 28):
            yield Stimulus(f"cut/extension/{name}/{end}", frame[:end])
        for length in range(len(frame) - 54 - 28 + 9):
            packet = build.ipv6(inner, payload_length=length)
            yield Stimulus(f"cut/extension-length/{name}/{length}", build.ethernet(packet))
    inner = EXTENSION_KINDS["hop"](EXTENSION_KINDS["routing"](send()))
    frame = build.ethernet(build.ipv6(inner))
    for end in range(62, 80):
        yield Stimulus(f"cut/extension/second/{end}", frame[:end])
