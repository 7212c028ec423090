"""Frames whose length lies around what a record can hold; too long for a slow simulator."""

from collections.abc import Iterator

from stellar_model import build
from stellar_spec.codes import LENGTH_MAX

from .recipes import send
from .stimulus import Stimulus

__all__ = ["long_frames"]


def long_frames() -> Iterator[Stimulus]:
    """The longest IP packet, and frames around the length at which records saturate."""
    packet = build.ethernet(build.ipv4(send(65535 - 44)))
    yield Stimulus("long/ipv4", packet)
    yield Stimulus("long/ipv4/cut", packet[:-1])
    packet = build.ethernet(build.ipv6(send(65535 - 24, udp={"checksum": None})))
    yield Stimulus("long/ipv6", packet)
    for size in range(LENGTH_MAX - 1, LENGTH_MAX + 3):
        yield Stimulus(f"long/padded/{size}", build.pad(packet, size))
