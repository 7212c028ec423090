"""The packet's layout, and the benches' codec, which is written apart from it."""

import importlib
import pkgutil

import pytest
from amaranth.back import verilog
from amaranth.hdl import Shape, signed
from amaranth.lib import data, stream

import stellar_nic.stream
from stellar_bench.packets import Packet, PacketAssembler, PacketFormat
from stellar_nic.stream import PacketFIFO, PacketLayout, PacketSignature
from stellar_spec.streams import PACKET_WIDTHS

META = data.StructLayout({"port": 3, "time": 40})


@pytest.mark.parametrize("meta", [None, 5, signed(7), META], ids=str)
@pytest.mark.parametrize("width", PACKET_WIDTHS)
def test_codec_has_the_layouts_bits(width, meta):
    layout = PacketLayout(width, meta)
    fmt = PacketFormat(width, layout.meta_width)
    assert fmt.bits == layout.size == 9 * width + 2 + layout.meta_width
    for name, shift in fmt.shift.items():
        assert (name, layout[name].offset) == (name, shift)
    assert layout["data"].width == 8 * width
    assert layout["keep"].width == width
    assert layout["last"].width == layout["error"].width == 1


def test_first_byte_is_in_the_lowest_lane():
    layout = PacketLayout(4, 3)
    beats = PacketFormat(4, 3).beats(Packet(b"\x01\x02\x03\x04\x05\x06", error=True, meta=6))
    first, second = (layout.from_bits(beat) for beat in beats)
    assert (first.data, first.keep, first.last, first.error, first.meta) == (
        0x04030201,
        0b1111,
        0,
        0,
        6,
    )
    assert (second.data, second.keep, second.last, second.error, second.meta) == (
        0x0605,
        0b0011,
        1,
        1,
        6,
    )


@pytest.mark.parametrize("width", PACKET_WIDTHS)
def test_codec_round_trip(width, rng):
    fmt = PacketFormat(width, 9)
    for length in (1, width, width + 1, 3 * width - 1, 5 * width):
        packet = Packet(rng.randbytes(length), rng.random() < 0.5, rng.getrandbits(9))
        beats = fmt.beats(packet)
        assert len(beats) == -(-length // width)
        assembler = PacketAssembler(fmt)
        assert [assembler.push(beat) for beat in beats] == [None] * (len(beats) - 1) + [packet]
        assert assembler.partial == b""


def test_meta_may_have_no_bits():
    layout = PacketLayout(2)
    assert layout.meta == 0 and layout.meta_width == 0
    assert [name for name, _ in layout] == ["data", "keep", "last", "error"]
    assert Shape.cast(layout["meta"].shape).width == 0
    text = verilog.convert(PacketFIFO(width=2, depth=4))
    assert "[19:0] i__payload;" in text
    assert "[-1:0]" not in text


def test_layouts_compare_by_their_fields():
    assert PacketLayout(4) == PacketLayout(4, 0)
    assert PacketLayout(4, META) == PacketLayout(4, META)
    assert PacketLayout(4, META) != PacketLayout(4, 42)
    assert PacketLayout(4) != PacketLayout(8)
    assert PacketSignature(4, META) == stream.Signature(PacketLayout(4, META))
    assert repr(PacketLayout(4, 3)) == "PacketLayout(4, 3)"


@pytest.mark.parametrize("width", [0, 3, 128, -1])
def test_bad_width(width):
    with pytest.raises(ValueError, match=f"width must be one of 1, 2, 4, 8, .*, not {width}$"):
        PacketLayout(width)
    with pytest.raises(ValueError, match=f"width must be one of .*, not {width}$"):
        PacketFormat(width)


def test_bad_types():
    for width in ("8", 8.0, True, None):
        with pytest.raises(TypeError, match=f"width must be an integer, not {width!r}"):
            PacketLayout(width)
    with pytest.raises(TypeError, match="meta must be a shape, .* not 'port'"):
        PacketSignature(8, "port")


def test_bad_packets():
    with pytest.raises(ValueError, match="at least one byte"):
        Packet(b"")
    with pytest.raises(ValueError, match="meta 0x8 does not fit into 3 bits"):
        PacketFormat(1, 3).beats(Packet(b"1", meta=8))
    with pytest.raises(ValueError, match="meta -0x1 does not fit into 3 bits"):
        PacketFormat(1, 3).beats(Packet(b"1", meta=-1))
    with pytest.raises(ValueError, match="meta_width must not be negative, not -1"):
        PacketFormat(1, -1)


def test_all_lists_what_exists():
    names = [info.name for info in pkgutil.iter_modules(stellar_nic.stream.__path__)]
    assert {"contract", "fifo", "packet", "packet_fifo", "slice", "width"} <= set(names)
    modules = [importlib.import_module(f"stellar_nic.stream.{name}") for name in names]
    for module in (stellar_nic.stream, *modules):
        assert module.__all__ == sorted(module.__all__)
        for name in module.__all__:
            assert getattr(module, name) is not None
    for module in modules:
        assert set(module.__all__) <= set(stellar_nic.stream.__all__)
