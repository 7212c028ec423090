"""The parser: no record lost, none doubled; the stream contract at its outputs."""

from amaranth.hdl import Mux, Signal

from stellar_nic.parse import Parser

from ..proof import Proof, Twin

__all__ = ["PROOFS"]

IN_FLIGHT = 5  # frames whose records are not out: a beat each in the stages, one in the register


class _Outstanding:
    """Counts frames of which a record is still to come."""

    def __init__(self, top, port, starts, name):
        m = top.m
        self.count = count = Signal(range(IN_FLIGHT + 2), name=f"{name}_outstanding")
        taken = port.valid & port.ready
        m.d.sync += count.eq(count + starts - taken)
        top.prove(~port.valid | (count != 0), f"no {name} record without a frame")
        top.prove(count <= IN_FLIGHT, f"no more than {IN_FLIGHT} {name} records outstanding")


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
        headers = _Outstanding(top, dut.header, accept & ~inside, "header")
        trailers = _Outstanding(top, dut.trailer, accept & dut.i.p.last, "trailer")
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


PROOFS = tuple(
    Proof(
        name=f"parser_w{width}.records",
        about=f"Parser, {width} bytes a beat: one header and one trailer record a frame",
        build=_records(width),
        twins=(
            Twin("a", lambda m, s: m.d.comb.__iadd__(s.header__ready.eq(0))),),
        depth=20,
    )
    for width in (8, 1)
)
