"""The payload of a packet stream.

::

    beat 0   data[7:0] = first byte on the wire, data[15:8] = second, ...   keep = all ones
    ...
    last     data, keep = 0…01…1: contiguous from lane 0, at least one      last = 1, error, meta

It maps one to one onto AXI4-Stream: data is TDATA, keep TKEEP, last TLAST, and error and meta are
TUSER (error in its lowest bit).
"""

from amaranth.hdl import Shape
from amaranth.lib import data, stream

from stellar_spec.streams import PACKET_WIDTHS, packet_fields

from ..params import check_choice, check_shape

__all__ = ["PacketLayout", "PacketSignature"]


class PacketLayout(data.StructLayout):
    """Payload of a packet stream. The contract is in docs/streams.md.

    Parameters
    ----------
    width : int
        Bytes per beat: 1, 2, 4, 8, 16, 32 or 64.
    meta : shape-like, optional
        Side information that accompanies the packet. By default it has no bits; ``meta`` can be
        read and assigned all the same, so that a block needs no special case for it.

    Members
    -------
    data : unsigned(8 * width)
        Bytes. The first on the wire is in bits 7 to 0. Lanes that ``keep`` excludes mean nothing.
    keep : unsigned(width)
        One bit per byte that is there.
    last : unsigned(1)
        This beat ends its packet.
    error : unsigned(1)
        The packet is bad. Means something only where ``last`` is set.
    meta : meta
        Constant during a packet.
    """

    def __init__(self, width, meta=None):
        self._width = check_choice("width", width, PACKET_WIDTHS)
        self._meta = check_shape("meta", 0 if meta is None else meta, low=0)
        fields = packet_fields(width, Shape.cast(self._meta).width)
        super().__init__({**fields, "meta": self._meta})

    @property
    def width(self):
        """Bytes per beat."""
        return self._width

    @property
    def meta(self):
        """Shape of ``meta``."""
        return self._meta

    @property
    def meta_width(self):
        """Bits of ``meta``."""
        return Shape.cast(self._meta).width

    def __iter__(self):
        # A field without bits becomes the wire [-1:0] in Verilog, which means two bits there and
        # makes Verilator stop. It is not listed, hence not exported; by its name it still exists.
        return (item for item in super().__iter__() if item[0] != "meta" or self.meta_width)

    def __repr__(self):
        return f"PacketLayout({self._width}, {self._meta!r})"


def PacketSignature(width, meta=None):
    """Signature of a packet stream, for use in a component's members.

    Parameters are those of :class:`PacketLayout`.

    Returns
    -------
    :class:`amaranth.lib.stream.Signature`
    """
    return stream.Signature(PacketLayout(width, meta))
