"""The end-to-end check: right, wrong, over what it covers and over what it masks."""

from collections.abc import Callable, Iterator

from stellar_model import build
from stellar_spec.codes import Protocol
from stellar_spec.headers import ADDR, IMM, STELLAR, UDP
from stellar_spec.opcodes import Opcode

from .recipes import (
    ADDR_FIELDS,
    IMM_FIELDS,
    L4,
    filler,
    good,
    int_fields,
    on_ip,
    send,
    tagged,
)
from .stimulus import OTHER_PORT, Stimulus

__all__ = ["changed", "check", "masked", "wrong"]


def check() -> Iterator[Stimulus]:
    """All of this theme."""
    yield from wrong()
    yield from changed()
    yield from masked()


def wrong() -> Iterator[Stimulus]:
    """Each bit of the check wrong, usual mistakes; dropped, or with the flag in its place."""
    frame = build.ethernet(build.ipv4(send(6)))
    for settings in ("default", "flag"):
        for bit in range(32) if settings == "default" else (0, 31):
            data = bytearray(frame)
            data[len(data) - 4 + bit // 8] ^= 1 << bit % 8
            yield Stimulus(f"check/{settings}/bit-{bit}", bytes(data), settings=settings)
        right = frame[-4:]
        mistakes = {
            "zero": bytes(4),
            "ones": b"\xff" * 4,
            "inverted": bytes(byte ^ 0xFF for byte in right),
            "reversed": right[::-1],
            "shifted": right[1:] + right[:1],
        }
        for name, value in mistakes.items():
            yield Stimulus(f"check/{settings}/{name}", frame[:-4] + value, settings=settings)
        for name, inner in faulty().items():
            data = build.ethernet(build.ipv6(inner))
            yield Stimulus(f"check/{settings}/{name}", data, settings=settings)
    for size in range(1, 18):
        version = (4, 6)[size % 3 == 0]
        data = build.ethernet(on_ip(version, send(size, check=b"\x55\xaa\x55\xaa")))
        yield Stimulus(f"check/size-{size}", data)


def faulty() -> dict[str, build.Part]:
    """Packets with a wrong check and something else: which reason comes first?"""
    bad = b"\xde\xad\xbe\xef"
    return {
        "and-nothing": send(check=bad),
        "and-opcode": good(0, check=bad),
        "and-extension": send(check=bad, imm=IMM_FIELDS),
        "and-int": send(check=bad, int=int_fields(2, 3)),
        "and-length": good(Opcode.ATOMIC, -1, check=bad),
        "and-sum": send(check=bad, udp={"checksum": 0x0101}),
        "and-right-sum": send(check=bad, udp={"checksum": None}),
        "and-version": send(check=bad, version=1),
        "right-and-opcode": good(63),
        "right-and-extension": send(addr=ADDR_FIELDS),
        "right-and-int": send(int=int_fields(9)),
        "right-and-sum": send(udp={"checksum": 0x0101}),
        "right-and-length": good(Opcode.ATOMIC, -1),
    }


def packet(**fields) -> build.Part:
    """A good packet with all that a check must cover or mask behind UDP."""
    fields |= {"addr": ADDR_FIELDS, "imm": IMM_FIELDS}
    return good(Opcode.REDUCE, 5, int=int_fields(2, 1), stack=filler(16), **fields)


def changed() -> Iterator[Stimulus]:
    """One byte changed behind the sender's back, from the IP addresses to the end."""
    for version, first in ((4, 26), (6, 22)):
        frame = build.ethernet(on_ip(version, packet()))
        step = 1 if version == 4 else 3
        for at in range(first, len(frame), step):
            data = bytearray(frame)
            data[at] ^= 1 << at % 8
            if version == 4 and at < 34:  # so that the header's sum stays right
                data = moved(frame, bytes(data[26:34]))
            yield Stimulus(f"check/changed/ipv{version}/{at}", bytes(data))
    frame = build.ethernet(build.ipv4(packet(udp={"dport": OTHER_PORT})))
    yield Stimulus("check/changed/port-right", frame, settings="port")
    data = build.ethernet(build.ipv4(packet()))
    data = data[:36] + OTHER_PORT.to_bytes(2, "big") + data[38:]
    yield Stimulus("check/changed/port-wrong", data, settings="port")


def moved(frame: bytes, addresses: bytes) -> bytes:
    """The packet of ``frame`` with other addresses and a right header sum."""
    src, dst = int.from_bytes(addresses[:4], "big"), int.from_bytes(addresses[4:], "big")
    return build.ethernet(build.ipv4(frame[34:], protocol=Protocol.UDP, src=src, dst=dst))


def masked() -> Iterator[Stimulus]:
    """What switches and routers change on the way; the check stays right."""
    outers: dict[str, Callable[[], bytes]] = {
        "tag": lambda: build.ethernet(tagged(build.ipv4(packet(), ttl=9), (0x8100,))),
        "tags": lambda: build.ethernet(tagged(build.ipv6(packet()), (0x88A8, 0x8100))),
        "mac": lambda: build.ethernet(build.ipv4(packet()), src=0xFEDCBA987654, dst=0x3),
        "ttl": lambda: build.ethernet(build.ipv4(packet(), ttl=1)),
        "hop-limit": lambda: build.ethernet(build.ipv6(packet(), hop_limit=1)),
        "dscp": lambda: build.ethernet(build.ipv4(packet(), dscp=63)),
        "ecn": lambda: build.ethernet(build.ipv6(packet(), ecn=3)),
        "label": lambda: build.ethernet(build.ipv6(packet(), flow_label=0xABCDE)),
        "identification": lambda: build.ethernet(build.ipv4(packet(), identification=0xABCD)),
        "dont-fragment": lambda: build.ethernet(build.ipv4(packet(), dont_fragment=1)),
        "padding": lambda: build.ethernet(build.ipv4(packet())) + b"\xff" * 3,
        "sum": lambda: build.ethernet(build.ipv6(packet(udp={"checksum": None}))),
        "options": lambda: build.ethernet(build.ipv4(packet(), options=b"\x94\4\0\0")),
        "hop": lambda: build.ethernet(build.ipv6(build.hop_by_hop(packet(), options=b"\5\2"))),
        "ah": lambda: build.ethernet(build.ipv6(build.ah(packet(), body=filler(16)))),
    }
    for name, make in outers.items():
        yield Stimulus(f"check/masked/{name}", make())
    for version in (4, 6):
        l4 = L4[version]
        frame = build.ethernet(on_ip(version, packet()))
        first = (
            l4 + UDP.size + STELLAR.size + ADDR.size + IMM.size
        )  # the INT extension's first byte
        if frame[first] != 0x12:
            raise AssertionError(f"no INT at byte {first}: {frame.hex()}")
        for at in (l4 + 6, l4 + 7, *range(first, first + 20)):
            data = bytearray(frame)
            data[at] ^= 0x80 if at == first + 1 else 0x10
            yield Stimulus(f"check/masked/ipv{version}/{at - l4}", bytes(data))
