"""One's complement sums with saved carries against a sum whose carries are added at once."""

from amaranth.hdl import Mux, Signal

from stellar_nic.parse.sums import OnesSum

from ..proof import Proof, Twin

__all__ = ["PROOFS"]

ONES = 0xFFFF


def _reduce(m, wide, most):
    """``wide`` modulo 0xffff as a one's complement sum: 0 only for 0, else 1 to 0xffff."""
    reduced = Signal(16)
    m.d.comb += reduced.eq(wide)
    for times in range(1, most + 1):
        with m.If(wide > times * ONES):
            m.d.comb += reduced.eq(wide - times * ONES)
    return reduced


def _build(terms, start):
    def build(top):
        m = top.m
        dut = OnesSum(terms=terms, start=start)
        inside = top.design(dut)("")
        total, begun = Signal(16), Signal()
        wide = Signal(16 + terms.bit_length())
        m.d.comb += wide.eq(sum(dut.terms[k] for k in range(terms)) + Mux(dut.first, start, total))
        with m.If(dut.valid):
            m.d.sync += [total.eq(_reduce(m, wide, terms)), begun.eq(begun | dut.first)]
        top.prove(~begun | (dut.right == (total == ONES)), "right as the wide sum says")
        # What holds between the design's registers and the sum, so that one step proves all.
        saved = Signal(17)
        m.d.comb += saved.eq(inside.total + inside.carry)
        same = (saved == total) | (total != 0) & (saved == total + ONES)
        top.prove(~begun | same & (inside.carry <= terms), "total and carry are the sum")
        top.cover(begun & dut.right & (inside.carry == terms - 1), "right with a large carry")
        top.cover(begun & (saved > ONES) & ~dut.right, "a carry that overflows again")

    return build


def _carry_lost(m, s):
    with m.If(s.valid & (s.carry == 1) & ~s.first):
        m.d.sync += s.total.eq(s.total)


def _not_begun(m, s):
    with m.If(s.valid & s.first):
        m.d.sync += s.carry.eq(s.carry)


PROOFS = tuple(
    Proof(
        name=f"sum_{terms}.wide",
        about=f"OnesSum, {terms} words a cycle from {start}: equal to a wide sum modulo 0xffff",
        build=_build(terms, start),
        engine="induction",
        depth=2,
        reach=4,
        twins=(
            Twin("words behind a carry are lost", _carry_lost),
            Twin("the carry outlives its sum", _not_begun),
        ),
    )
    for terms, start in ((2, 0), (4, 0), (5, 17))
)
