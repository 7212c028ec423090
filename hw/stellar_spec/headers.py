"""Every header that the parser reads, from Ethernet to StellarTP, field by field."""

from .fields import Field, Header

__all__ = [
    "ACK",
    "ADDR",
    "AH",
    "CHECK_SIZE",
    "ETHERNET",
    "IMM",
    "INT",
    "INT_HOP",
    "IPV4",
    "IPV6",
    "IPV6_EXTENSION",
    "IPV6_FRAGMENT",
    "IPV6_ROUTING",
    "STELLAR",
    "STELLAR_EXTENSIONS",
    "STELLAR_PORT",
    "STELLAR_VERSION",
    "TCP",
    "UDP",
    "VLAN",
]

ETHERNET = Header(
    "Ethernet",
    "IEEE 802.3, clause 3",
    (
        Field("dst", 48, "destination MAC address"),
        Field("src", 48, "source MAC address"),
        Field("type", 16, "EtherType; below 0x0600 an 802.3 length"),
    ),
)

VLAN = Header(
    "VLAN tag behind its TPID",
    "IEEE 802.1Q, clause 9",
    (
        Field("pcp", 3, "priority code point"),
        Field("dei", 1, "drop eligible"),
        Field("vid", 12, "VLAN identifier"),
        Field("type", 16, "EtherType of what follows, or the next tag's TPID"),
    ),
)

IPV4 = Header(
    "IPv4",
    "RFC 791, RFC 2474, RFC 3168",
    (
        Field("version", 4, "4"),
        Field("ihl", 4, "header length in 4-byte words"),
        Field("dscp", 6, "differentiated services code point"),
        Field("ecn", 2, "explicit congestion notification"),
        Field("total_length", 16, "bytes of header and payload"),
        Field("identification", 16, "names the fragments of one packet"),
        Field("evil", 1, "reserved"),
        Field("dont_fragment", 1, "DF"),
        Field("more_fragments", 1, "MF"),
        Field("fragment_offset", 13, "in units of 8 bytes"),
        Field("ttl", 8, "time to live"),
        Field("protocol", 8, "upper-layer protocol"),
        Field("checksum", 16, "one's complement sum of the header"),
        Field("src", 32, "source address"),
        Field("dst", 32, "destination address"),
    ),
)

IPV6 = Header(
    "IPv6",
    "RFC 8200, section 3",
    (
        Field("version", 4, "6"),
        Field("dscp", 6, "differentiated services code point"),
        Field("ecn", 2, "explicit congestion notification"),
        Field("flow_label", 20, "flow label"),
        Field("payload_length", 16, "bytes behind this header"),
        Field("next_header", 8, "type of the next header"),
        Field("hop_limit", 8, "hop limit"),
        Field("src", 128, "source address"),
        Field("dst", 128, "destination address"),
    ),
)

IPV6_EXTENSION = Header(
    "IPv6 extension header, first word",
    "RFC 8200, section 4",
    (
        Field("next_header", 8, "type of the next header"),
        Field("length", 8, "8-byte units behind the first 8 bytes"),
        Field("body", 16, "depends on the type"),
    ),
)

IPV6_ROUTING = Header(
    "IPv6 routing header, first word",
    "RFC 8200, section 4.4",
    (
        Field("next_header", 8, "type of the next header"),
        Field("length", 8, "8-byte units behind the first 8 bytes"),
        Field("routing_type", 8, "routing type"),
        Field("segments_left", 8, "nodes still to visit"),
    ),
)

IPV6_FRAGMENT = Header(
    "IPv6 fragment header",
    "RFC 8200, section 4.5",
    (
        Field("next_header", 8, "type of the next header"),
        Field("reserved", 8, "0"),
        Field("fragment_offset", 13, "in units of 8 bytes"),
        Field("reserved_low", 2, "0"),
        Field("more_fragments", 1, "M"),
        Field("identification", 32, "names the fragments of one packet"),
    ),
)

AH = Header(
    "IP authentication header, first word",
    "RFC 4302, section 2",
    (
        Field("next_header", 8, "type of the next header"),
        Field("length", 8, "4-byte words of the header, less 2"),
        Field("reserved", 16, "0"),
    ),
)

UDP = Header(
    "UDP",
    "RFC 768",
    (
        Field("sport", 16, "source port; for StellarTP the path's entropy"),
        Field("dport", 16, "destination port"),
        Field("length", 16, "bytes of header and payload"),
        Field("checksum", 16, "one's complement sum; 0 is absent"),
    ),
)

TCP = Header(
    "TCP, fixed part",
    "RFC 9293, section 3.1",
    (
        Field("sport", 16, "source port"),
        Field("dport", 16, "destination port"),
        Field("sequence", 32, "sequence number"),
        Field("acknowledgement", 32, "acknowledgement number"),
        Field("data_offset", 4, "header length in 4-byte words"),
        Field("reserved", 3, "0"),
        Field("flags", 9, "AE (NS), CWR, ECE, URG, ACK, PSH, RST, SYN, FIN"),
        Field("window", 16, "receive window"),
        Field("checksum", 16, "one's complement sum"),
        Field("urgent", 16, "urgent pointer"),
    ),
)

_DOCUMENT = "docs/wire-format.md"

STELLAR_PORT = 62842
"""Default UDP destination port of StellarTP (0xF57A), from the dynamic range."""

STELLAR_VERSION = 0
"""The version that this specification describes."""

STELLAR = Header(
    "StellarTP base header",
    _DOCUMENT,
    (
        Field("version", 2, "0"),
        Field("opcode", 6, "what the packet is"),
        Field("flags", 8, "message, request and extension flags"),
        Field("flow", 24, "flow, as the receiver named it"),
        Field("psn", 24, "packet sequence number of the flow"),
        Field("placement", 32, "where the payload goes"),
    ),
)

ADDR = Header(
    "ADDR extension",
    _DOCUMENT,
    (
        Field("rkey", 32, "remote key of the memory region"),
        Field("address", 64, "virtual address at the receiver"),
        Field("length", 32, "bytes of the whole message"),
    ),
)

IMM = Header("IMM extension", _DOCUMENT, (Field("data", 32, "immediate data"),))

ACK = Header(
    "ACK extension",
    _DOCUMENT,
    (
        Field("bitmap", 64, "bit i: PSN + 1 + i has arrived"),
        Field("credits", 16, "packets that the receiver still grants"),
        Field("path", 16, "UDP source port of the packet that is answered"),
        Field("code", 16, "0, or the error's number"),
        Field("echo", 16, "congestion echo: bit 15 CE seen, bits 14 to 0 CE-marked packets"),
    ),
)

INT = Header(
    "INT extension, first word",
    _DOCUMENT,
    (
        Field("hops_used", 4, "hops that have written"),
        Field("hops_reserved", 4, "hops that the sender left room for, at most 8"),
        Field("exceeded", 1, "a hop found no room"),
        Field("zero", 23, "0; anything else is malformed"),
    ),
)

INT_HOP = Header(
    "INT hop",
    _DOCUMENT,
    (
        Field("queue", 20, "queue depth in units of 64 bytes, saturating"),
        Field("utilisation", 12, "link utilisation in units of 1/4095 of the line rate"),
        Field("time", 32, "local time in ns, wrapping"),
    ),
)

STELLAR_EXTENSIONS = {"ADDR": ADDR, "IMM": IMM, "ACK": ACK, "INT": INT}
"""The extensions in the one order in which they follow the base header.

INT's size is that of its first word; ``hops_reserved`` entries of ``INT_HOP`` follow it.
"""

CHECK_SIZE = 4
"""Bytes of the end-to-end check, the last of the UDP payload."""
