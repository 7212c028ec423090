"""Packets, and how they travel on a packet stream: the benches' own codec.

Plain Python, for cocotb and for Amaranth's simulator alike.
"""

from dataclasses import dataclass

from stellar_spec.streams import PACKET_WIDTHS, packet_fields

__all__ = ["Packet", "PacketAssembler", "PacketFormat"]


@dataclass(frozen=True)
class Packet:
    """One packet: its bytes, the ``error`` of its last beat, and its ``meta`` as a number."""

    data: bytes
    error: bool = False
    meta: int = 0

    def __post_init__(self):
        if not self.data:
            raise ValueError("a packet has at least one byte, this one has none")


class PacketFormat:
    """The payload of a packet stream as one number, the way the exported Verilog has it.

    Parameters
    ----------
    width : int
        Bytes per beat.
    meta_width : int
        Bits of ``meta``.
    """

    def __init__(self, width, meta_width=0):
        if width not in PACKET_WIDTHS:
            raise ValueError(f"width must be one of {PACKET_WIDTHS}, not {width!r}")
        if meta_width < 0:
            raise ValueError(f"meta_width must not be negative, not {meta_width!r}")
        self.width = width
        self.meta_width = meta_width
        self.shift = {}
        self.bits = 0
        for name, bits in packet_fields(width, meta_width).items():
            self.shift[name] = self.bits
            self.bits += bits
        self.full_keep = (1 << width) - 1
        self._data_mask = (1 << 8 * width) - 1

    def encode(self, chunk, *, last, error=False, meta=0):
        """The payload of one beat with the bytes ``chunk``."""
        shift = self.shift
        return (
            int.from_bytes(chunk, "little")
            | ((1 << len(chunk)) - 1) << shift["keep"]
            | last << shift["last"]
            | error << shift["error"]
            | meta << shift["meta"]
        )

    def beats(self, packet):
        """The payloads that carry ``packet``."""
        if packet.meta >> self.meta_width:
            raise ValueError(f"meta {packet.meta:#x} does not fit into {self.meta_width} bits")
        chunks = [
            packet.data[start : start + self.width]
            for start in range(0, len(packet.data), self.width)
        ]
        final = len(chunks) - 1
        return [
            self.encode(
                chunk,
                last=index == final,
                error=packet.error and index == final,
                meta=packet.meta,
            )
            for index, chunk in enumerate(chunks)
        ]

    def keep(self, payload):
        """The ``keep`` of a payload."""
        return payload >> self.shift["keep"] & self.full_keep

    def last(self, payload):
        """The ``last`` of a payload."""
        return payload >> self.shift["last"] & 1

    def error(self, payload):
        """The ``error`` of a payload."""
        return payload >> self.shift["error"] & 1

    def meta(self, payload):
        """The ``meta`` of a payload."""
        return payload >> self.shift["meta"]

    def chunk(self, payload):
        """The bytes of a payload that ``keep`` says are there."""
        data = (payload & self._data_mask).to_bytes(self.width, "little")
        return data[: self.keep(payload).bit_length()]


class PacketAssembler:
    """Makes packets of the payloads that a sink accepted."""

    def __init__(self, fmt):
        self._fmt = fmt
        self._chunks = []

    def push(self, payload):
        """Take one payload; the packet if it is complete with it, else None."""
        fmt = self._fmt
        self._chunks.append(fmt.chunk(payload))
        if not fmt.last(payload):
            return None
        packet = Packet(b"".join(self._chunks), bool(fmt.error(payload)), fmt.meta(payload))
        self._chunks = []
        return packet

    @property
    def partial(self):
        """The bytes of the packet that is under way."""
        return b"".join(self._chunks)

    def reset(self):
        """Forget the packet that is under way."""
        self._chunks = []
