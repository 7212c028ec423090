"""The parser's two records and its settings, field by field.

A record is packed with its first field in the least significant bits, as Amaranth's
``StructLayout`` packs it.  A group that belongs to a layer reads zero when the layer is not shown.
"""

from dataclasses import dataclass

from .codes import LENGTH_MAX, VLAN_LIMIT, Flag, KeyKind, Layer, Reason, Verdict
from .fields import Field
from .headers import ACK, ADDR, IMM, INT, STELLAR, STELLAR_PORT

__all__ = ["HEADER_RECORD", "INGRESS", "SETTINGS", "TRAILER_RECORD", "Group", "Setting"]


@dataclass(frozen=True)
class Group:
    """A named row of fields; shown with its ``layer``, or always when that is ``None``."""

    name: str
    layer: Layer | None
    fields: tuple[Field, ...]

    @property
    def width(self) -> int:
        """Width in bits."""
        return sum(field.width for field in self.fields)


INGRESS = (
    Field("port", 4, "wire port on which the frame arrived"),
    Field("time", 48, "arrival time of the first byte in ns"),
)
"""What the MAC says of a frame: the ``meta`` of a packet stream that enters the parser."""

HEADER_RECORD = (
    Group("meta", None, INGRESS),
    Group(
        "state",
        None,
        (
            Field("layers", len(Layer), "bitmap of the layers shown"),
            Field("candidate", 1, "the headers make this a packet for the transport"),
        ),
    ),
    Group(
        "eth",
        Layer.ETH,
        (
            Field("dst", 48, "destination MAC address"),
            Field("src", 48, "source MAC address"),
            Field("type", 16, "the last type field read; below 0x0600 an 802.3 length"),
            Field("vlan_count", VLAN_LIMIT.bit_length(), "tags read"),
            Field("vlan0_tpid", 16, "first tag's TPID, 0 without a tag"),
            Field("vlan0_pcp", 3, "first tag's priority"),
            Field("vlan0_dei", 1, "first tag's drop eligible bit"),
            Field("vlan0_vid", 12, "first tag's VLAN identifier"),
            Field("vlan1_tpid", 16, "second tag's TPID, 0 without one"),
            Field("vlan1_pcp", 3, "second tag's priority"),
            Field("vlan1_dei", 1, "second tag's drop eligible bit"),
            Field("vlan1_vid", 12, "second tag's VLAN identifier"),
        ),
    ),
    Group(
        "ip",
        Layer.IP,
        (
            Field("version", 4, "4 or 6"),
            Field("src", 128, "source address; IPv4 in the low 32 bits"),
            Field("dst", 128, "destination address; IPv4 in the low 32 bits"),
            Field("dscp", 6, "differentiated services code point"),
            Field("ecn", 2, "explicit congestion notification"),
            Field("ttl", 8, "time to live or hop limit"),
            Field("protocol", 8, "protocol behind the extension headers that were walked"),
            Field("header_length", 9, "bytes of the header and the extension headers walked"),
            Field("total_length", 17, "bytes of headers and payload; 40 + payload length for IPv6"),
            Field("fragment_offset", 16, "in bytes"),
            Field("more_fragments", 1, "more fragments follow"),
        ),
    ),
    Group(
        "udp",
        Layer.UDP,
        (
            Field("sport", 16, "source port"),
            Field("dport", 16, "destination port"),
            Field("length", 16, "bytes of header and payload"),
            Field("checksum", 16, "as it stands in the header"),
        ),
    ),
    Group(
        "tcp",
        Layer.TCP,
        (
            Field("sport", 16, "source port"),
            Field("dport", 16, "destination port"),
            Field("flags", 9, "AE (NS), CWR, ECE, URG, ACK, PSH, RST, SYN, FIN"),
            Field("data_offset", 4, "header length in 4-byte words"),
        ),
    ),
    Group("stellar", Layer.STELLAR, STELLAR.fields),
    Group("addr", Layer.ADDR, ADDR.fields),
    Group("imm", Layer.IMM, IMM.fields),
    Group("ack", Layer.ACK, ACK.fields),
    Group("int", Layer.INT, INT.fields),
    Group(
        "offsets",
        None,
        (
            Field("l3", 5, "bytes in front of the network header; 0: not reached"),
            Field("l4", 9, "bytes in front of the IP payload; 0: not reached"),
            Field("int", 9, "bytes in front of the INT extension; 0: not shown"),
            Field("payload", 9, "bytes in front of what follows the last header shown"),
        ),
    ),
    Group(
        "key",
        None,
        (
            Field("kind", max(KeyKind).bit_length(), "KeyKind"),
            Field("protocol", 8, "IP protocol; 0 for StellarTP kinds"),
            Field("sport", 16, "source port; 0 without ports and for StellarTP kinds"),
            Field("dport", 16, "destination port; 0 likewise"),
            Field("flow", 24, "StellarTP flow; 0 for 5-tuples"),
        ),
    ),
)
"""One per frame, early.  The flow key is ``key`` with ``ip.src`` and ``ip.dst``."""

TRAILER_RECORD = (
    Group(
        "trailer",
        None,
        (
            Field("verdict", max(Verdict).bit_length(), "Verdict"),
            Field("reason", max(Reason).bit_length(), "Reason, NONE unless dropped"),
            Field("candidate", 1, "the header record's bit, and the lengths fit the frame"),
            Field("flags", len(Flag), "Flag"),
            Field("length", LENGTH_MAX.bit_length(), "bytes of the frame, saturating"),
        ),
    ),
)
"""One per frame, after its last beat."""


@dataclass(frozen=True)
class Setting:
    """A setting of the parser: ``width`` in bits and the value after reset."""

    name: str
    width: int
    reset: int
    doc: str


SETTINGS = (
    Setting("stellar_port", 16, STELLAR_PORT, "UDP destination port of StellarTP"),
    Setting("filter", 1, 0, "1: only frames to own_ipv4 or own_ipv6 are for the transport"),
    Setting("own_ipv4", 32, 0, "this card's IPv4 address"),
    Setting("own_ipv6", 128, 0, "this card's IPv6 address"),
    Setting("trim", 1, 0, "1: trim_dscp marks packets whose payload a switch has cut"),
    Setting("trim_dscp", 6, 0, "DSCP of trimmed packets"),
    Setting("max_length", LENGTH_MAX.bit_length(), 9216, "longer frames are OVERSIZE, in bytes"),
    Setting("check_flag", 1, 0, "1: a wrong end-to-end check sets its flag and does not drop"),
)
"""Settings must not change while a frame is inside the parser."""
