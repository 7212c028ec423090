"""Lengths and sums at the edge of what they are compared with, over all their bits."""

from collections.abc import Iterator
from itertools import product

from stellar_model import build
from stellar_spec.codes import Protocol

from .recipes import filler, on_ip, raw, send
from .stimulus import TRIM_DSCP, Stimulus

__all__ = ["edges", "extension_lengths", "last_words"]


def edges() -> Iterator[Stimulus]:
    """All of this theme."""
    yield from extension_lengths()
    yield from last_words()
    yield from single_bits()


def extension_lengths() -> Iterator[Stimulus]:
    """An extension header's length, each of its bits, in a payload that just holds it, and less.

    The frame is as long as the packet says, so that nothing else is wrong with its length. Beyond
    the limit of extension headers too: the two are told apart.
    """
    powers = [1 << bit for bit in range(8)]
    two = [0x80 | power for power in powers[:6]]
    for length in sorted({0, *powers, *(power - 1 for power in powers[1:]), *two}):
        size = 8 * (length + 1)
        for less in (0, 1, 8):
            header = bytes([Protocol.UDP, length, 1, size % 251]) + bytes(size - 4)
            packet = build.ipv6(raw(Protocol.DESTINATION, header[: size - less]))
            yield Stimulus(f"edge/extension-{length}/{less}", build.ethernet(packet))


def last_words() -> Iterator[Stimulus]:
    """Right sums, and some off by one, whose last word is all ones or zero, or nearly so.

    Of a right sum the words in front of 0xffff come to 0xffff too, so the very last addition
    carries.
    """
    for word, off in product((0xFFFF, 0xFFFE, 0xFF00, 0x00FF, 0x0000), (0, 1)):
        for words in (0, 1, 10):
            options = bytes(4 * words - 2) + word.to_bytes(2, "big") if words else b""
            address = {"dst": 0x0A00 << 16 | (0x0102 if words else word)}
            packet = build.ipv4(send(), options=options, **address)
            frame = bytearray(build.ethernet(packet))
            frame[18] ^= off  # of the identification
            yield Stimulus(f"edge/ipv4-sum/{word:04x}/{words}/{off}", bytes(frame))
        for version, size in product((4, 6), (24, 25, 26, 27)):
            payload = filler(size - 2) + word.to_bytes(2, "big")
            frame = bytearray(
                build.ethernet(on_ip(version, build.udp(payload, dport=53, checksum=None)))
            )
            frame[-size] ^= off
            yield Stimulus(f"edge/udp-sum/{version}/{size}/{word:04x}/{off}", bytes(frame))


def single_bits() -> Iterator[Stimulus]:
    """Lengths of IP payload and UDP datagram with a single bit; the frame ends long before.

    Trimmed packets are judged by the former, all others by the latter.
    """
    for version, bit in product((4, 6), range(3, 16)):
        size = 1 << bit
        claims = {4: {"total_length": 20 + size}, 6: {"payload_length": size}}
        for udp in (size, 20, 0xFFFF):
            packet = send(24, udp={"length": udp})
            for name, dscp in (("trim", TRIM_DSCP), ("default", 0)):
                frame = build.ethernet(on_ip(version, packet, dscp=dscp, **claims[version]))
                yield Stimulus(f"edge/bit/{version}/{bit}/{udp}/{name}", frame, settings=name)
