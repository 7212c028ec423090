"""pcapng: blocks; sections that set the byte order, interfaces, and three kinds of packet block.

Ref: draft-ietf-opsawg-pcapng, section 3.1 (blocks), 3.5 (options), 4.1 (section header), 4.2
(interface description), 4.3 (enhanced packet), 4.4 (simple packet), appendix A (packet, obsolete).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import error as StructError
from struct import unpack, unpack_from

from .base import MAX_LENGTH, CaptureError, Frame, Source

__all__ = ["SECTION_HEADER", "read_pcapng"]

SECTION_HEADER = b"\x0a\x0d\x0d\x0a"  # reads the same in both byte orders
_BYTE_ORDERS = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
_INTERFACE, _OBSOLETE_PACKET, _SIMPLE_PACKET, _ENHANCED_PACKET = 1, 2, 3, 6
_IF_TSRESOL, _IF_TSOFFSET = 9, 14


@dataclass(frozen=True, slots=True)
class _Interface:
    link_type: int
    snap_length: int  # bytes; 0: no limit
    ticks_per_second: int
    offset_ns: int

    def time(self, high: int, low: int) -> int:
        """Nanoseconds since 1970 of a packet's timestamp."""
        ticks = high << 32 | low
        return ticks * 1_000_000_000 // self.ticks_per_second + self.offset_ns


@dataclass(slots=True)
class _Section:
    order: str
    interfaces: list[_Interface] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Block:
    """A block's type, its body without the lengths around it, and how to complain about it."""

    source: Source
    offset: int
    kind: int
    body: bytes

    def unpack(self, layout: str) -> tuple[int, ...]:
        """The body's first fields."""
        try:
            return unpack_from(layout, self.body)
        except StructError:
            raise self.error(f"only {len(self.body)} bytes of body, too short for it") from None

    def error(self, text: str) -> CaptureError:
        return self.source.error(f"block of type {self.kind:#x}: {text}", self.offset)


def read_pcapng(source: Source, magic: bytes) -> Iterator[Frame]:
    """Yield the frames of a pcapng file behind its ``magic``, in file order.

    Blocks that hold no packet are passed over. An interface of another link type than Ethernet is
    an error when one of its packets comes.
    """
    packets = {
        _ENHANCED_PACKET: _enhanced_packet,
        _SIMPLE_PACKET: _simple_packet,
        _OBSOLETE_PACKET: _obsolete_packet,
    }
    head = magic + source.read(4, "the first section header", follows=20)
    while head:
        offset = source.offset - len(head)
        if head[:4] == SECTION_HEADER:
            section = _read_section_header(source, head, offset)
        else:
            kind, length = unpack(section.order + "II", head)
            body = _read_body(source, section.order, length, len(head), offset)
            block = _Block(source, offset, kind, body)
            if kind == _INTERFACE:
                section.interfaces.append(_interface(block, section.order))
            elif kind in packets:
                yield packets[kind](block, section)
        head = source.read(8, _behind(source), last=True, follows=4)


def _behind(source: Source) -> str:
    return f"the block after frame {source.frames}"


def _read_section_header(source: Source, head: bytes, offset: int) -> _Section:
    magic = source.read(4, "a section header", follows=16)
    if magic not in _BYTE_ORDERS:
        raise source.error(
            f"section header with byte-order magic {magic.hex(' ')}; "
            "4d 3c 2b 1a or 1a 2b 3c 4d is needed",
            offset,
        )
    order = _BYTE_ORDERS[magic]
    (length,) = unpack(order + "I", head[4:])
    block = _Block(source, offset, 0x0A0D0D0A, _read_body(source, order, length, 12, offset))
    major, minor = block.unpack(order + "HH")
    if major != 1:
        raise block.error(f"pcapng version {major}.{minor}; version 1 is needed")
    return _Section(order)


def _read_body(source: Source, order: str, length: int, done: int, offset: int) -> bytes:
    """The rest of a block of ``length`` bytes, ``done`` of them read, without the last length."""
    if length < done + 4 or length % 4 or length > MAX_LENGTH:
        raise source.error(
            f"block with a length of {length} bytes; a multiple of 4 from {done + 4} to "
            f"{MAX_LENGTH} is needed: the file is damaged here",
            offset,
        )
    rest = source.read(length - done, _behind(source))
    (again,) = unpack(order + "I", rest[-4:])
    if again != length:
        raise source.error(
            f"block that begins with length {length} and ends with length {again}: "
            "the file is damaged here",
            offset,
        )
    return rest[:-4]


def _interface(block: _Block, order: str) -> _Interface:
    link_type, _, snap_length = block.unpack(order + "HHI")
    ticks_per_second, offset_ns = 1_000_000, 0
    for code, value in _options(block, order, 8):
        if code == _IF_TSRESOL and len(value) == 1:
            base = 2 if value[0] & 0x80 else 10
            ticks_per_second = base ** (value[0] & 0x7F)
        elif code == _IF_TSOFFSET and len(value) == 8:
            offset_ns = unpack(order + "q", value)[0] * 1_000_000_000
        elif code in (_IF_TSRESOL, _IF_TSOFFSET):
            need = 1 if code == _IF_TSRESOL else 8
            raise block.error(f"option {code} of {len(value)} bytes; {need} needed")
    return _Interface(link_type, snap_length, ticks_per_second, offset_ns)


def _options(block: _Block, order: str, at: int) -> Iterator[tuple[int, bytes]]:
    """Code and value of each option from byte ``at`` of the body; the end mark is optional."""
    while at + 4 <= len(block.body):
        code, length = unpack_from(order + "HH", block.body, at)
        if code == 0:
            return
        value = block.body[at + 4 : at + 4 + length]
        if len(value) < length:
            raise block.error(f"option {code} of {length} bytes does not fit the block")
        yield code, value
        at += 4 + length + -length % 4


def _enhanced_packet(block: _Block, section: _Section) -> Frame:
    index, high, low, captured, wire = block.unpack(section.order + "IIIII")
    interface = _interface_of(block, section, index)
    data = _packet_data(block, 20, captured)
    return block.source.frame(data, wire, interface.time(high, low))


def _obsolete_packet(block: _Block, section: _Section) -> Frame:
    index, _, high, low, captured, wire = block.unpack(section.order + "HHIIII")
    interface = _interface_of(block, section, index)
    data = _packet_data(block, 20, captured)
    return block.source.frame(data, wire, interface.time(high, low))


def _simple_packet(block: _Block, section: _Section) -> Frame:
    (wire,) = block.unpack(section.order + "I")
    # It names neither interface nor captured length: the first interface's snap length cuts it.
    snap_length = _interface_of(block, section, 0).snap_length
    data = _packet_data(block, 4, min(wire, snap_length or wire))
    return block.source.frame(data, wire, None)


def _interface_of(block: _Block, section: _Section, index: int) -> _Interface:
    if index >= len(section.interfaces):
        raise block.error(
            f"packet of interface {index}, but its section has described "
            f"{len(section.interfaces)} interfaces before it"
        )
    interface = section.interfaces[index]
    what = f"interface {index} of a packet"
    block.source.check_ethernet(interface.link_type, block.offset, what)
    return interface


def _packet_data(block: _Block, start: int, captured: int) -> bytes:
    data = block.body[start : start + captured]
    if len(data) < captured:
        raise block.error(
            f"captured length of {captured} bytes, but only {len(data)} are left in the block"
        )
    return data
