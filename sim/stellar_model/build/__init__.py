"""Frames from fields: each layer is a function around its payload, Ethernet the outermost.

    frame = ethernet(vlan(ipv4(stellar(Opcode.SEND, b"hello", flow=7)), vid=5))
    frame = ethernet(ipv6(hop_by_hop(fragment(udp(b"...", dport=53), more=1)), hop_limit=3))

Types, lengths, checksums and the end-to-end check are right unless they are given.  Fields have
the names of ``stellar_spec.headers``; one that is not given is 0 or a usual value.  A name that is
no field, and a value too wide for its field, raise ``ValueError``.
"""

from .network import (
    ah,
    destination,
    ethernet,
    fragment,
    hop_by_hop,
    ipv4,
    ipv6,
    pad,
    routing,
    vlan,
)
from .part import Part
from .transport import stellar, tcp, udp

__all__ = [
    "Part",
    "ah",
    "destination",
    "ethernet",
    "fragment",
    "hop_by_hop",
    "ipv4",
    "ipv6",
    "pad",
    "routing",
    "stellar",
    "tcp",
    "udp",
    "vlan",
]
