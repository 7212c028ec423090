"""The parser: no record lost, none doubled; the stream contract at its outputs."""

from amaranth.hdl import Signal, Value

from stellar_nic.parse import Parser

from ..marked import MarkedItem
from ..proof import Proof, Twin
from .waiting import prove_latency

__all__ = ["PROOFS"]


class _Outstanding:
    """Counts frames of which a record is still to come, ``most`` at most."""

    def __init__(self, top, port, starts, most, name):
        m = top.m
        self.count = count = Signal(range(most + 2), name=f"{name}_outstanding")
        taken = port.valid & port.ready
        m.d.sync += count.eq(count + starts - taken)
        top.prove(~port.valid | (count != 0), f"no {name} record without a frame")
        top.prove(count <= most, f"no more than {most} {name} records outstanding")


def _records(width):
    def build(top):
        m = top.m
        dut = Parser(width=width)
        top.design(dut)
        top.assume_contract(dut.i, "i")
        accept = dut.i.valid & dut.i.ready
        inside = Signal()
        quiet = Signal(range(dut.latency + 1))
        with m.If(accept):
            m.d.sync += inside.eq(~dut.i.p.last)
        most = dut.latency + 1  # frames of one beat: one in each stage, one in the register
        headers = _Outstanding(top, dut.header, accept & ~inside, most, "header")
        trailers = _Outstanding(top, dut.trailer, accept & dut.i.p.last, most, "trailer")
        ready = dut.header.ready & dut.trailer.ready
        with m.If(accept | ~ready):
            m.d.sync += quiet.eq(0)
        with m.Elif(quiet != dut.latency):
            m.d.sync += quiet.eq(quiet + 1)
        with m.If(quiet == dut.latency):
            top.prove(trailers.count == 0, "no trailer record is lost")
            top.prove(headers.count <= inside, "no header record is lost")
        top.cover(trailers.count == 3, "three trailer records outstanding")
        top.cover(dut.header.valid & inside & (trailers.count == 0), "header before the end")

    return build


def _packets(width):
    def build(top):
        dut = Parser(width=width)
        top.design(dut)
        top.assume_contract(dut.i, "i")
        top.prove_contract(dut.o, "o")
        model = MarkedItem.put(top, width=len(Value.cast(dut.i.payload)), capacity=1)
        top.m.d.comb += [
            model.push.eq(dut.i.valid & dut.i.ready),
            model.items[0].eq(dut.i.payload),
            model.pop.eq(dut.o.valid & dut.o.ready),
        ]
        same = Value.cast(dut.o.payload) == model.kept
        top.prove(~model.leaves | same, "the n-th beat out is the n-th in, untouched")
        prove_latency(top, model.inside != 0, dut.o.valid, 1)
        top.cover(model.leaves & dut.o.p.last & ~dut.o.p.keep.all() | (width == 1), "a last beat")
        top.cover(dut.i.valid & ~dut.i.ready & ~dut.o.valid, "a record holds up the packet")

    return build


def _stable(width):
    def build(top):
        dut = Parser(width=width)
        top.design(dut)
        top.assume_contract(dut.i, "i")
        top.prove_contract(dut.header, "header")
        top.prove_contract(dut.trailer, "trailer")
        top.cover(dut.header.valid & ~dut.header.ready & dut.trailer.valid, "both stalled")

    return build


def _withdrawn(m, s):
    with m.If(s.header__valid & s.trailer__valid & ~s.trailer__ready):
        m.d.sync += s.header__valid.eq(0)


def _doubled(m, s):
    with m.If(s.trailer__valid & s.trailer__ready & s.header__valid):
        m.d.sync += s.trailer__valid.eq(1)


def _not_due(m, s):
    with m.If(s.trailer_due):
        m.d.sync += s.header__valid.eq(s.header__valid & ~s.header__ready)


def _changed(m, s):
    with m.If(s.i__valid):
        m.d.comb += s.trailer__payload[-1].eq(1)


def _beat_lost(m, s):
    with m.If(s.header__valid & ~s.header__ready):
        m.d.comb += s.i__ready.eq(1)


def _proofs(width):
    beats = f"{width} byte{'s' if width > 1 else ''} a beat"
    yield Proof(
        name=f"parser_w{width}.records",
        about=f"Parser, {beats}: one header and one trailer record for each frame; latency",
        build=_records(width),
        twins=(
            Twin("a header record is withdrawn", _withdrawn),
            Twin("a header record due with the trailer is lost", _not_due),
            Twin("a trailer record is doubled", _doubled),
        ),
    )
    yield Proof(
        name=f"parser_w{width}.packets",
        about=f"Parser, {beats}: packets pass in order and untouched; the stream contract",
        build=_packets(width),
        twins=(Twin("a beat is lost while a record waits", _beat_lost),),
    )
    yield Proof(
        name=f"parser_w{width}.stable",
        about=f"Parser, {beats}: what is offered of a record stays until it is taken",
        build=_stable(width),
        engine="induction",
        depth=3,
        twins=(
            Twin("a header record is withdrawn", _withdrawn),
            Twin("a bit of a stalled trailer record changes", _changed),
        ),
    )


PROOFS = tuple(proof for width in (8, 1) for proof in _proofs(width))
