"""What each named number means, in a line, for the tables of the documents."""

from enum import IntEnum

from .codes import Flag, KeyKind, Layer, Reason, Verdict
from .opcodes import AckCode, StellarFlag

__all__ = ["MEANINGS"]

MEANINGS: dict[type[IntEnum], dict] = {
    StellarFlag: {
        StellarFlag.SOM: "first packet of the message",
        StellarFlag.EOM: "last packet of the message",
        StellarFlag.ACK_REQ: "the receiver answers with an ACK at once",
        StellarFlag.RETX: "sent again; the PSN is that of the first time",
        StellarFlag.ADDR: "the ADDR extension follows",
        StellarFlag.IMM: "the IMM extension follows",
        StellarFlag.ACK: "the ACK extension follows",
        StellarFlag.INT: "the INT extension follows",
    },
    AckCode: {
        AckCode.OK: "no error",
        AckCode.REGISTRATION_TIMEOUT: "the memory's registration timed out",
        AckCode.REMOTE_KEY: "the remote key does not match the region or its protection domain",
        AckCode.NO_CREDIT: "link credits are exhausted",
    },
    Verdict: {
        Verdict.HOST: "goes on to the host untouched",
        Verdict.STELLAR: "is for the transport",
        Verdict.DROP: "ends here, counted by its reason",
    },
    Reason: {
        Reason.NONE: "not dropped",
        Reason.MAC_ERROR: "the MAC marked the frame as bad",
        Reason.UDP_CHECKSUM: "the UDP checksum is wrong",
        Reason.STELLAR_TRUNCATED: "no room for base header, extensions, least body and check",
        Reason.STELLAR_OPCODE: "the opcode is not assigned",
        Reason.STELLAR_EXTENSION: "not the opcode's set of extensions, or INT is malformed",
        Reason.STELLAR_CHECK: "the end-to-end check is wrong",
    },
    Flag: {
        Flag.ETH_TRUNCATED: "ends inside the Ethernet header or a tag",
        Flag.VLAN_DEPTH: "a third tag",
        Flag.IP_TRUNCATED: "ends inside the IP header or an extension header",
        Flag.IP_VERSION: "the version is not the EtherType's",
        Flag.IPV4_IHL: "IHL below 5",
        Flag.IPV4_OPTIONS: "IHL above 5",
        Flag.IPV4_CHECKSUM: "the header's sum is wrong",
        Flag.IP_LENGTH: "the lengths contradict each other or the frame",
        Flag.FRAGMENT: "one of several fragments",
        Flag.IPV6_EXTENSIONS: "an extension header",
        Flag.EXT_LIMIT: "extension headers past the limit",
        Flag.L4_TRUNCATED: "ends inside the UDP or TCP header",
        Flag.UDP_LENGTH: "below 8 or past the IP payload",
        Flag.UDP_CHECKSUM: "the sum is wrong, or absent where it must not be",
        Flag.UNVERIFIED: "the sum could not be judged from this frame",
        Flag.STELLAR_VERSION: "a StellarTP version that is not known here",
        Flag.STELLAR_CHECK: "the end-to-end check is wrong",
        Flag.PADDED: "bytes behind the IP packet",
        Flag.OVERSIZE: "longer than the setting `max_length`",
        Flag.TRIMMED: "a switch cut the payload",
    },
    KeyKind: {
        KeyKind.NONE: "no IP header shown",
        KeyKind.IPV4_5TUPLE: "IPv4 addresses, protocol, ports",
        KeyKind.IPV6_5TUPLE: "IPv6 addresses, protocol, ports",
        KeyKind.IPV4_STELLAR: "IPv4 addresses, StellarTP flow",
        KeyKind.IPV6_STELLAR: "IPv6 addresses, StellarTP flow",
    },
    Layer: {
        Layer.ETH: "Ethernet and tags",
        Layer.IP: "IPv4 or IPv6",
        Layer.UDP: "UDP",
        Layer.TCP: "TCP",
        Layer.STELLAR: "StellarTP base header",
        Layer.ADDR: "ADDR extension",
        Layer.IMM: "IMM extension",
        Layer.ACK: "ACK extension",
        Layer.INT: "INT extension",
    },
}
"""For each enumeration, each member's meaning."""
