"""The end-to-end check in Python, its covered bytes from ``stellar_spec.coverage``.

Not the golden model's: a witness beside it, for tools that build packets.
"""

import zlib

from stellar_spec import headers
from stellar_spec.fields import Header
from stellar_spec.opcodes import INT_HOPS_MAX, StellarFlag

from .masks import mask

__all__ = ["end_to_end_check"]


def end_to_end_check(addresses: bytes, between: int, datagram: bytes) -> bytes:
    """The check as it stands on the wire (docs/wire-format.md, section 6).

    ``addresses``: IP source and destination; ``between``: bytes from there to the UDP header;
    ``datagram``: UDP header and payload, the place of the check included.  A datagram that ends
    inside its headers is covered as far as it goes.
    """
    end = len(datagram) - headers.CHECK_SIZE
    crc, at = zlib.crc32(addresses + bytes(between)), 0
    for header in _layout(datagram):
        data = datagram[at : min(at + header.size, end)]
        crc = zlib.crc32(bytes(b & m for b, m in zip(data, mask(header), strict=False)), crc)
        at += header.size
    crc = zlib.crc32(datagram[at:end], crc)
    return crc.to_bytes(headers.CHECK_SIZE, "little")


def _layout(datagram: bytes) -> list[Header]:
    """The headers of a datagram in order."""
    layout = [headers.UDP, headers.STELLAR]
    at = headers.UDP.size + headers.STELLAR.offset("flags") // 8
    flags = datagram[at] if at < len(datagram) else 0
    layout += [h for n, h in headers.STELLAR_EXTENSIONS.items() if flags & StellarFlag[n]]
    if flags & StellarFlag.INT:
        byte, bit = divmod(headers.INT.offset("hops_reserved"), 8)
        width = headers.INT["hops_reserved"].width
        first = sum(header.size for header in layout) - headers.INT.size + byte
        word = datagram[first] if first < len(datagram) else 0
        hops = word >> 8 - bit - width & (1 << width) - 1
        layout += [headers.INT_HOP] * (hops if hops <= INT_HOPS_MAX else 0)
    return layout
