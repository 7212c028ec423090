"""StellarTP for Scapy: builds packets with everything filled in, and dissects them.

    import stellar_wire.scapy_layer as tp
    packet = IP(dst="10.0.0.2") / UDP(sport=49153) / tp.StellarTP(opcode="SEND", flow=7, psn=1)
    packet /= tp.StellarINT(hops_reserved=2) / Raw(b"hello")

This file is BSD-2-Clause, and imports Scapy, which is GPL-2.0-only: a program that uses both is
bound by the GPL.  Nothing else of the project imports this module.

- A field that is ``None`` is filled in: ``extensions`` from the layers behind, ``hops_reserved``
  from the hops or ``stack``, the check, UDP's port and length; UDP's checksum is 0 unless given.
- Extensions are layers of their own, which must follow in the order of the specification.  Other
  values and orders are built as they are given: so malformed packets can be made.
- A field's name that Scapy uses itself gets an underscore: ``StellarHop.time_``.
- Packets are StellarTP by their UDP destination port (``bind(port)`` for another than the default).
- The check is read from the last four bytes of a UDP payload that is whole; ``check_ok`` says
  whether it is right.

Fields, widths, numbers and covered bytes: ``stellar_spec``.
"""

from scapy.fields import BitEnumField, BitField, FlagsField, PacketListField, XLEIntField
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.packet import Packet, Raw, bind_top_down

from stellar_spec import headers
from stellar_spec.fields import Header
from stellar_spec.opcodes import EXTENSION_FLAGS, INT_HOPS_MAX, AckCode, Opcode, StellarFlag

from .check import end_to_end_check

__all__ = [
    "StellarACK",
    "StellarADDR",
    "StellarHop",
    "StellarIMM",
    "StellarINT",
    "StellarTP",
    "bind",
    "scapy_name",
]

MESSAGE_FLAGS = [flag for flag in sorted(StellarFlag) if not flag & EXTENSION_FLAGS]
_EXTENSION_FLAGS = [flag for flag in sorted(StellarFlag) if flag & EXTENSION_FLAGS]
_LOW = len(_EXTENSION_FLAGS)  # bits of the flags byte that announce extensions
if EXTENSION_FLAGS != (1 << _LOW) - 1:
    raise ValueError(f"the extension flags are {EXTENSION_FLAGS:#x}; they must be the lowest bits")


def scapy_name(name: str) -> str:
    """What a field is called here: a name that Scapy's packets have already gets an underscore."""
    return f"{name}_" if hasattr(Packet, name) else name


def _fields(header: Header, **given) -> list:
    """Scapy's fields for ``header``; ``given`` replaces some by name."""
    made = []
    for field in header.fields:
        made += given.get(field.name, [BitField(scapy_name(field.name), 0, field.width)])
    return made


def _flags() -> list:
    """The flags byte as two fields: what is announced is filled in, the rest is the user's."""
    width = headers.STELLAR["flags"].width - _LOW
    return [
        FlagsField("flags", 0, width, [flag.name for flag in MESSAGE_FLAGS]),
        FlagsField("extensions", None, _LOW, [flag.name for flag in _EXTENSION_FLAGS]),
    ]


def _named(header: Header, name: str, default: int, enumeration) -> list:
    names = {int(member): member.name for member in enumeration}
    return [BitEnumField(name, default, header[name].width, names)]


class _CheckField(XLEIntField):
    """The check: behind the base header while Scapy reads and builds fields, else at the end."""

    def getfield(self, pkt, s):
        return super().getfield(pkt, s) if pkt.check_is_there else (s, None)

    def i2m(self, pkt, x):
        return 0 if x is None else x


def _around(udp) -> tuple[bytes, int] | None:
    """IP addresses as bytes, and the bytes from there to UDP; ``None`` without IP around it."""
    layer, between = udp.underlayer, 0
    while layer is not None and not isinstance(layer, (IP, IPv6)):
        between += _size(layer)
        layer = layer.underlayer
    if layer is None:
        return None
    pairs = (layer.getfield_and_val(name) for name in ("src", "dst"))
    addresses = b"".join(field.i2m(layer, value) for field, value in pairs)
    fixed = headers.IPV4 if isinstance(layer, IP) else headers.IPV6
    return addresses, between + _size(layer) - fixed.size


def _size(layer: Packet) -> int:
    """Bytes of one layer by itself."""
    alone = layer.copy()
    alone.remove_payload()
    return len(bytes(alone))


class _Layer(Packet):
    """Base header and extensions: each knows which extension follows."""

    extension = ""  # its name in the specification

    def guess_payload_class(self, payload):
        base, names = self, list(headers.STELLAR_EXTENSIONS)
        while not isinstance(base, StellarTP) and base.underlayer is not None:
            base = base.underlayer
        announced = int(getattr(base, "extensions", None) or 0)
        for name in names[names.index(self.extension) + 1 if self.extension else 0 :]:
            if announced & StellarFlag[name]:
                whole = len(payload) >= headers.STELLAR_EXTENSIONS[name].size
                return _CLASSES[name] if whole else Raw
        return Raw


class StellarTP(_Layer):
    """The base header, and the check at the end of the packet."""

    name = "StellarTP"
    fields_desc = [
        *_fields(
            headers.STELLAR,
            opcode=_named(headers.STELLAR, "opcode", Opcode.WRITE, Opcode),
            flags=_flags(),
        ),
        _CheckField("check", None),
    ]
    check_is_there = True

    @classmethod
    def dispatch_hook(cls, _pkt=None, *args, **kargs):
        """Bytes that are too short, or of another version, are not read."""
        if _pkt and (len(_pkt) < headers.STELLAR.size or _pkt[0] >> 6 != headers.STELLAR_VERSION):
            return Raw
        return cls

    def pre_dissect(self, s):
        """Moves the check from the end to where its field is read, if the packet is whole."""
        size, udp = headers.STELLAR.size, self.underlayer
        length = udp.len - headers.UDP.size if isinstance(udp, UDP) and udp.len else len(s)
        self.check_is_there = len(s) == length >= size + headers.CHECK_SIZE
        if not self.check_is_there:
            return s
        end = len(s) - headers.CHECK_SIZE
        return s[:size] + s[end:] + s[size:end]

    def post_dissect(self, s):
        if self.check_is_there:
            self.raw_packet_cache = None  # so that post_build moves the check back
        return s

    def post_build(self, p, pay):
        """Announces the extensions that follow, and ends the packet with its check."""
        size = headers.STELLAR.size
        base, check = bytearray(p[:size]), p[size:]
        if self.extensions is None:
            base[headers.STELLAR.offset("flags") // 8] |= self._following()
        if self.check is None:
            computed = self._computed(bytes(base) + pay)
            check = bytes(headers.CHECK_SIZE) if computed is None else computed
        return bytes(base) + pay + check

    def _following(self) -> int:
        flags, layer = 0, self.payload
        while isinstance(layer, _Layer) and layer.extension:
            flags |= StellarFlag[layer.extension]
            layer = layer.payload
        return flags

    def _computed(self, packet: bytes) -> bytes | None:
        """The check of ``packet``, all of it but the check; ``None`` without UDP and IP around."""
        udp = self.underlayer
        around = _around(udp) if isinstance(udp, UDP) else None
        if around is None:
            return None
        whole = headers.UDP.size + len(packet) + headers.CHECK_SIZE
        length = whole if udp.len is None else udp.len
        first = b"".join(number.to_bytes(2, "big") for number in (udp.sport, udp.dport, length, 0))
        return end_to_end_check(*around, first + packet + bytes(headers.CHECK_SIZE))

    @property
    def check_ok(self) -> bool | None:
        """Whether the check is right; ``None`` when it, UDP or IP is not there."""
        if self.check is None:
            return None
        data = self.do_build()  # without Ethernet's padding
        computed = self._computed(data[: -headers.CHECK_SIZE])
        return None if computed is None else data[-headers.CHECK_SIZE :] == computed


class StellarADDR(_Layer):
    """The ADDR extension."""

    name, extension = "StellarTP ADDR", "ADDR"
    fields_desc = _fields(headers.ADDR)


class StellarIMM(_Layer):
    """The IMM extension."""

    name, extension = "StellarTP IMM", "IMM"
    fields_desc = _fields(headers.IMM)


class StellarACK(_Layer):
    """The ACK extension."""

    name, extension = "StellarTP ACK", "ACK"
    fields_desc = _fields(headers.ACK, code=_named(headers.ACK, "code", AckCode.OK, AckCode))


class StellarHop(Packet):
    """What one hop has written into INT."""

    name = "StellarTP INT hop"
    fields_desc = _fields(headers.INT_HOP)

    def extract_padding(self, s):
        return b"", s


def _hops(packet: Packet) -> int:
    reserved = packet.hops_reserved or 0
    return reserved if reserved <= INT_HOPS_MAX else 0


class StellarINT(_Layer):
    """The INT extension: its first word, and the hops; those that are not given are zeros."""

    name, extension = "StellarTP INT", "INT"
    fields_desc = [
        *_fields(
            headers.INT,
            hops_reserved=[BitField("hops_reserved", None, headers.INT["hops_reserved"].width)],
        ),
        PacketListField("hops", [], StellarHop, count_from=_hops),
    ]

    def post_build(self, p, pay):
        if self.hops_reserved is None:
            byte, bit = divmod(headers.INT.offset("hops_reserved"), 8)
            width = headers.INT["hops_reserved"].width
            p = bytearray(p)
            p[byte] |= (len(self.hops) & (1 << width) - 1) << 8 - bit - width
            p = bytes(p)
        missing = max(0, _hops(self) - len(self.hops))
        return p + bytes(missing * headers.INT_HOP.size) + pay


_CLASSES = {layer.extension: layer for layer in (StellarADDR, StellarIMM, StellarACK, StellarINT)}


def bind(port: int = headers.STELLAR_PORT) -> None:
    """Take UDP datagrams to ``port`` as StellarTP, and send packets there, from now on.

    Raises ``ValueError`` for a number that is no port.
    """
    if not 0 < port < 2**16:
        raise ValueError(f"{port} is no UDP port; give 1 to 65535")
    # In front of all others: the source port, by which they may know a datagram, is any number.
    others = [guess for guess in UDP.payload_guess if guess[1] is not StellarTP]
    UDP.payload_guess = [({"dport": port}, StellarTP), *others]
    bind_top_down(UDP, StellarTP, dport=port, chksum=0)


bind()
