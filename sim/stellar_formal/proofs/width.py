"""Width converter: order and content, byte by byte, against the naive queue."""

from amaranth.hdl import Array, Cat, Mux

from stellar_nic.stream import WidthConverter

from ..marked import MarkedItem
from ..proof import Proof, Twin
from .waiting import prove_latency

__all__ = ["PROOFS"]


def _items(payload):
    """Each lane's byte with what belongs to it: does it end its packet, with error, and meta."""
    keep = payload.keep
    width = len(keep)
    items = []
    for lane in range(width):
        ends = payload.last & (~keep[lane + 1] if lane + 1 < width else 1)
        byte = payload.data.word_select(lane, 8)
        items.append(Cat(byte, ends, ends & payload.error, payload.meta))
    return items


def _bytes(stream):
    """How many bytes are transferred now."""
    return Mux(stream.valid & stream.ready, sum(stream.p.keep), 0)


def _build(width_in, width_out):
    wide = max(width_in, width_out)

    def build(top):
        m = top.m
        dut = WidthConverter(width_in=width_in, width_out=width_out, meta=1)
        top.design(dut)
        top.assume_contract(dut.i, "i")
        out = _items(dut.o.p)
        model = MarkedItem.put(top, width=len(out[0]), capacity=3 * wide, batch=wide)
        m.d.comb += [
            model.push.eq(_bytes(dut.i)),
            model.pop.eq(_bytes(dut.o)),
            *(model.items[lane].eq(item) for lane, item in enumerate(_items(dut.i.p))),
        ]
        same = Array(out)[model.lane] == model.kept
        top.prove(~model.leaves | same, "the n-th byte out is the n-th in, with its packet's end")
        if width_out < width_in:
            prove_latency(top, model.inside != 0, dut.o.valid, dut.latency)
        else:
            prove_latency(top, model.inside >= width_out, dut.o.valid, dut.latency)
        top.cover(model.leaves & model.kept[9], "a marked byte ends a packet with error")
        top.cover(model.leaves & (model.lane == width_out - 1), "a marked byte in the top lane")
        top.cover(model.inside > wide, "more than one wide beat inside")

    return build


def _keep_stays(m, s):
    m.d.comb += s.filled[32:36].eq(s.word[32:36] | s.i__payload[8] << s.index)


def _lane_twice(m, s):
    with m.If(s.accept & ~s.whole & s.i__payload[0]):
        m.d.sync += s.index.eq(s.index)


def _rest_lost(m, s):
    with m.If(s.word[0]):
        m.d.comb += s.final.eq(1)


def _error_lost(m, s):
    with m.If(s.word[32:36].all()):
        m.d.sync += s.word[37].eq(0)


PROOFS = (
    Proof(
        name="width_up.order",
        about="WidthConverter, 1 to 4 bytes: bytes, packet ends, error, meta in order; latency",
        build=_build(1, 4),
        twins=(
            Twin("keep not cleared for a new word", _keep_stays),
            Twin("a lane is filled twice", _lane_twice),
        ),
    ),
    Proof(
        name="width_up_2.order",
        about="WidthConverter, 2 to 4 bytes: the same",
        build=_build(2, 4),
        twins=(Twin("a lane is filled twice", _lane_twice),),
    ),
    Proof(
        name="width_down.order",
        about="WidthConverter, 4 to 2 bytes: bytes, packet ends, error, meta in order; latency",
        build=_build(4, 2),
        twins=(
            Twin("error lost between the parts of a full beat", _error_lost),
            Twin("the rest of a beat is lost", _rest_lost),
        ),
    ),
)
