"""Frames of every length from 1 byte on, in several contents."""

import random
from collections.abc import Iterator

from stellar_model import build

from .recipes import filler, good, on_ip
from .stimulus import Stimulus

__all__ = ["lengths"]

LONGEST = 130  # bytes: two beats of 64 bytes and what lies around them


def lengths() -> Iterator[Stimulus]:
    """Every length as good StellarTP and in another content, cut if shorter than its headers."""
    turns = ("noise", "type", "noise", "stellar6", "tcp")  # 5 and a beat's bytes share no factor
    for size in range(1, LONGEST + 1):
        for name in ("stellar4", turns[size % len(turns)]):
            yield Stimulus(f"length/{name}/{size}", CONTENTS[name](size))


def noise(size: int) -> bytes:
    """Bytes without meaning, others for each length."""
    return random.Random(size).randbytes(size)


def other_type(size: int) -> bytes:
    """An EtherType for local experiments (IEEE 802), then filler."""
    return build.ethernet(filler(size), type=0x88B5)[:size]


def stellar_ipv4(size: int) -> bytes:
    return fitted(4, size)


def stellar_ipv6(size: int) -> bytes:
    return fitted(6, size)


def fitted(version: int, size: int) -> bytes:
    """A good READ_RESPONSE that fills the frame to the byte; a prefix where none is so short."""
    least = len(build.ethernet(on_ip(version, good(6, psn=size))))
    return build.ethernet(on_ip(version, good(6, max(0, size - least), psn=size)))[:size]


def tcp(size: int) -> bytes:
    """TCP over IPv4 that fills the frame to the byte."""
    packet = build.ethernet(build.ipv4(build.tcp(sport=size, dport=80)))
    if size > len(packet):
        payload = filler(size - len(packet))
        packet = build.ethernet(build.ipv4(build.tcp(payload, sport=size, dport=80)))
    return packet[:size]


CONTENTS = {
    "noise": noise,
    "type": other_type,
    "stellar4": stellar_ipv4,
    "stellar6": stellar_ipv6,
    "tcp": tcp,
}
