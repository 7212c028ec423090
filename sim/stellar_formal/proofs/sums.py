"""One's complement sums with saved carries against a sum whose carries are added at once."""

from amaranth.hdl import Cat, Mux, Signal

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


def _build(terms, bits, start):
    def build(top):
        m = top.m
        dut = OnesSum(terms=terms, bits=bits, start=start)
        inside = top.design(dut)("")
        total, begun = Signal(16), Signal()
        second = Signal()  # of bytes: the next is the lower one of a word
        words = [dut.terms[k] for k in range(terms)]
        if bits == 8:
            words = [Mux(second, word, word << 8) for word in words]
        wide = Signal(16 + terms.bit_length())
        m.d.comb += wide.eq(sum(words) + total)
        with m.If(dut.valid):
            m.d.sync += [total.eq(_reduce(m, wide, terms)), second.eq(~second)]
        with m.If(dut.clear):
            m.d.sync += [total.eq(start), begun.eq(1), second.eq(0)]
        top.prove(~begun | (dut.right == (total == ONES)), "right as the wide sum says")
        # What holds between the design's registers and the sum, so that one step proves all.
        # Between words a sum of bytes stands there the other way round.
        turned = Cat(total[8:], total[:8]) if bits == 8 else total
        meant, saved = Mux(second, total, turned), Signal(17)
        m.d.comb += saved.eq(inside.total + inside.left_over)
        same = (saved == meant) | (total != 0) & (saved == meant + ONES)
        top.prove(~begun | same, "total and carries are the sum")
        top.cover(begun & dut.right & (inside.left_over != 0), "right with a carry")
        top.cover(begun & (saved > ONES) & ~dut.right, "a carry that overflows again")

    return build


def _carry_lost(m, s):
    with m.If(s.valid & s.carries[0] & ~s.clear):
        m.d.sync += s.total.eq(s.total)


def _not_begun(m, s):
    with m.If(s.clear):
        m.d.sync += s.carries.eq(s.carries)


PROOFS = tuple(
    Proof(
        name=f"sum_{terms}x{bits}.wide",
        about=f"OnesSum, {terms} terms of {bits} bits a cycle from {start}: equal to a wide sum "
        "modulo 0xffff",
        build=_build(terms, bits, start),
        engine="induction",
        depth=2,
        reach=6,
        twins=(
            Twin("words behind a carry are lost", _carry_lost),
            Twin("the carry outlives its sum", _not_begun),
        ),
    )
    for terms, bits, start in ((2, 8, 17), (2, 16, 0), (4, 16, 0))
)
