"""Register slice and FIFO: order and content, against the naive queue."""

from amaranth.hdl import Signal

from stellar_nic.stream import ForwardRegister, RegisterSlice, StreamFIFO

from ..marked import MarkedItem
from ..proof import Proof, Twin
from .waiting import prove_latency

__all__ = ["PROOFS"]

BITS = 3
"""Bits of a payload: nothing in these blocks depends on them."""


def _build(component, capacity, level=False):
    def build(top):
        dut = component()
        top.design(dut)
        top.assume_contract(dut.i, "i")
        model = MarkedItem.put(top, width=BITS, capacity=capacity)
        top.m.d.comb += [
            model.push.eq(dut.i.valid & dut.i.ready),
            model.items[0].eq(dut.i.payload),
            model.pop.eq(dut.o.valid & dut.o.ready),
        ]
        top.prove(~model.leaves | (dut.o.payload == model.kept), "the n-th out is the n-th in")
        prove_latency(top, model.inside != 0, dut.o.valid, dut.latency)
        if level:
            top.prove(dut.level == model.inside, "level counts what is inside")
        busy = Signal()
        top.m.d.sync += busy.eq(model.push & model.pop)
        top.cover(model.inside == capacity, "full")
        top.cover(model.leaves & (model.kept != 0), "a marked payload leaves")
        top.cover(busy & model.push & model.pop, "one in and one out, cycle after cycle")

    return build


def _spare_lost(m, s):
    with m.If(s.spare_full & s.o__ready):
        m.d.sync += s.payload.eq(s.i__payload)


def _doubled(m, s):
    with m.If(s.spare_full & s.o__ready & s.i__valid):
        m.d.sync += s.spare_full.eq(1)


def _overwritten(m, s):
    with m.If(s.i__valid):
        m.d.sync += s.payload.eq(s.i__payload)


def _read_twice(m, s):
    m.d.comb += s.r_en.eq(s.o__ready & s.w_rdy)


def _one_lost(m, s):
    m.d.comb += s.w_en.eq(s.i__valid & ~s.w_data.all())


PROOFS = (
    Proof(
        name="slice.order",
        about="RegisterSlice: the n-th out is the n-th in; two places; latency",
        build=_build(lambda: RegisterSlice(shape=BITS), 2),
        twins=(
            Twin("the spare payload is lost", _spare_lost),
            Twin("the spare payload is sent twice", _doubled),
        ),
    ),
    Proof(
        name="forward.order",
        about="ForwardRegister: the n-th out is the n-th in; one place; latency",
        build=_build(lambda: ForwardRegister(shape=BITS), 1),
        twins=(Twin("overwritten while stalled", _overwritten),),
    ),
    Proof(
        name="fifo.order",
        about="StreamFIFO of 4: the n-th out is the n-th in; level; latency",
        build=_build(lambda: StreamFIFO(shape=BITS, depth=4), 4, level=True),
        twins=(
            Twin("one payload is not written", _one_lost),
            Twin("read twice when full", _read_twice),
        ),
    ),
)
