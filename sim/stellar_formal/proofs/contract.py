"""The contract of docs/streams.md at the outputs of the primitives, if their input keeps it."""

from stellar_nic.axi import AxiIngress
from stellar_nic.stream import (
    ForwardRegister,
    PacketFIFO,
    PacketLayout,
    RegisterSlice,
    StreamFIFO,
    WidthConverter,
)

from ..proof import Proof, Twin

__all__ = ["PROOFS"]

META = 2
"""Bits of ``meta``: enough to see it change."""


def _build(component):
    """One stream in, one out, free in everything but the input's contract."""

    def build(top):
        dut = component()
        top.design(dut)
        top.assume_contract(dut.i, "i")
        top.prove_contract(dut.o, "o")
        moves = dut.o.valid & dut.o.ready
        top.cover(moves & dut.o.p.last & ~dut.o.p.keep.all(), "a short last beat leaves")
        top.cover(moves & ~dut.o.p.last, "a packet of several beats leaves")
        top.cover(dut.o.valid & ~dut.o.ready & dut.i.valid & ~dut.i.ready, "all is stalled")

    return build


def _withdrawn(m, s):
    with m.If(s.o__valid & ~s.o__ready & s.i__valid):
        m.d.sync += s.o__valid.eq(0)


def _withdrawn_at_once(m, s):
    m.d.comb += s.o__valid.eq(s.r_rdy & ~s.i__valid)


def _overwritten(m, s):
    with m.If(s.i__valid):
        m.d.sync += s.payload.eq(s.i__payload)


def _no_room_needed(m, s):
    m.d.comb += s.full.eq(0)


def _sent_early(m, s):
    m.d.comb += s.whole.eq(s.accept & (s.index == 2))


def _ends_late(m, s):
    m.d.comb += s.final.eq(~s.word[32:36].any())


def _gap_passed(m, s):
    m.d.comb += s.upto.eq(s.i__payload[16:18])


def _first_forgotten(m, s):
    m.d.sync += s.first.eq(s.i__payload[20:])


def _proof(name, component, about, *twins):
    return Proof(name=f"{name}.contract", about=about, build=_build(component), twins=twins)


PROOFS = (
    _proof(
        "slice",
        lambda: RegisterSlice(shape=PacketLayout(2, META)),
        "the stream contract at the output of RegisterSlice",
        Twin("valid withdrawn while stalled", _withdrawn),
        Twin("payload overwritten while stalled", _overwritten),
    ),
    _proof(
        "forward",
        lambda: ForwardRegister(shape=PacketLayout(2, META)),
        "the stream contract at the output of ForwardRegister",
        Twin("valid withdrawn while stalled", _withdrawn),
    ),
    _proof(
        "fifo",
        lambda: StreamFIFO(shape=PacketLayout(2, META), depth=4),
        "the stream contract at the output of StreamFIFO",
        Twin("valid withdrawn for a new payload", _withdrawn_at_once),
    ),
    _proof(
        "packet_fifo",
        lambda: PacketFIFO(width=2, depth=4, meta=META),
        "the stream contract at the output of PacketFIFO",
        Twin("valid withdrawn while stalled", _withdrawn),
        Twin("written when full", _no_room_needed),
    ),
    _proof(
        "width_up",
        lambda: WidthConverter(width_in=1, width_out=4, meta=META),
        "the stream contract at the output of WidthConverter, 1 to 4 bytes",
        Twin("valid withdrawn while stalled", _withdrawn),
        Twin("a word leaves before it is whole", _sent_early),
    ),
    _proof(
        "width_down",
        lambda: WidthConverter(width_in=4, width_out=2, meta=META),
        "the stream contract at the output of WidthConverter, 4 to 2 bytes",
        Twin("goes on until no byte is left", _ends_late),
    ),
    _proof(
        "axi",
        lambda: AxiIngress(width=2),
        "the packet stream's contract at the parser, whatever keep an AXI4-Stream source gives",
        Twin("a gap in the last keep is passed on", _gap_passed),
        Twin("the first beat's meta is forgotten", _first_forgotten),
    ),
)
