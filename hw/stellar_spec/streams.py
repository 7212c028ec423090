"""The packet stream as data: its widths, the fields of its payload, and the rules that hold on it.

The gateware's layouts and checkers and the benches' codecs and monitors are both derived from
here, each with its own code. The rules in prose are in docs/streams.md.
"""

import enum

__all__ = ["PACKET_WIDTHS", "StreamRule", "packet_fields"]


PACKET_WIDTHS = (1, 2, 4, 8, 16, 32, 64)
"""Bytes per beat that a packet stream can have."""


class StreamRule(enum.IntEnum):
    """What a stream can do wrong. Where one cycle breaks several rules the lowest number counts."""

    NONE = 0
    VALID_WITHDRAWN = 1
    """`valid` fell although the payload that was offered had not been accepted."""
    PAYLOAD_CHANGED = 2
    """The payload changed although what was offered had not been accepted."""
    KEEP_EMPTY = 3
    """A beat without a byte: so a packet would have less than one byte, or a hole."""
    KEEP_GAP = 4
    """The bytes of a beat are not contiguous from lane 0."""
    KEEP_PARTIAL = 5
    """A beat that is not its packet's last has fewer bytes than the stream is wide."""
    META_CHANGED = 6
    """`meta` differs from that of the packet's first beat."""


def packet_fields(width, meta_width):
    """Widths in bits of the payload's fields, in order, the first in the lowest bits.

    Parameters
    ----------
    width : int
        Bytes per beat, one of :data:`PACKET_WIDTHS`.
    meta_width : int
        Bits of side information that accompany every beat; 0 if there is none.
    """
    return {"data": 8 * width, "keep": width, "last": 1, "error": 1, "meta": meta_width}
