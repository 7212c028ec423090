"""CRC over whole beats against a register that takes one bit at a time."""

from amaranth.hdl import Array, Cat, Const, Mux, Signal

from stellar_nic.parse.crc import MaskedCrc32

from ..proof import Proof, Twin

__all__ = ["PROOFS"]

POLYNOMIAL = 0xEDB88320  # IEEE 802.3, clause 3.2.9, first bit in bit 0
RESIDUE = 0xDEBB20E3  # of a message with its check, before the final inversion


def _take_bit(state, bit):
    """The register behind one more ``bit``: IEEE 802.3's divider, one step."""
    feedback = state[0] ^ bit
    return Cat(state[1:], 0) ^ Mux(feedback, POLYNOMIAL, 0)


def _take_beat(top, state, data, width):
    """The register behind ``width`` bytes, the first in the lowest bits, each from bit 0."""
    for index in range(8 * width):
        after = Signal(32, name=f"bit{index}")
        top.m.d.comb += after.eq(_take_bit(state, data[index]))
        state = after
    return state


def _residue(zeros):
    """The residue behind so many zero bytes."""
    state = RESIDUE
    for _ in range(8 * zeros):
        state = state >> 1 ^ (POLYNOMIAL if state & 1 else 0)
    return state


def _build(width, basis=False):
    def build(top):
        m = top.m
        dut = MaskedCrc32(width=width)
        inside = top.design(dut)("")
        top.assume(dut.pad < width)
        state, begun = Signal(32), Signal()
        beats = Signal(range(8))  # since the frame began
        lanes = []
        for lane in range(width):
            byte = dut.data.word_select(lane, 8) ^ Mux(dut.invert[lane], 0xFF, 0)
            lanes.append(Mux(dut.mask[lane], byte, 0))
        before, covered = Mux(dut.first, 0, state), Cat(*lanes)
        after = _take_beat(top, before, covered, width)
        with m.If(dut.valid):
            m.d.sync += [
                state.eq(after),
                begun.eq(begun | dut.first),
                beats.eq(Mux(dut.first, 1, beats + begun)),
            ]
        # What holds between the design's register and the serial one, so that one step proves all.
        top.prove(~begun | (inside.state == state), "the register is the bit-serial one")
        if basis:
            row = Cat(before, covered)
            top.assume(~dut.valid | ((row & (row - 1)) == 0))
            top.cover((beats == 1) & state[0], "a beat has set the lowest bit")
            top.cover((beats == 2) & state[31], "two beats have set the highest bit")
            return
        wanted = Array(Const(_residue(zeros), 32) for zeros in range(width))
        right = state == wanted[dut.pad]
        top.prove(~begun | (dut.right == right), "right as the bit-serial register says")
        whole = (beats == -(-5 // width)) & (dut.pad == -5 % width)
        top.cover(whole & dut.right, "five bytes end in their right check")
        top.cover(whole & ~dut.right, "five bytes end in a wrong one")

    return build


def _bit_missed(m, s):
    with m.If(s.valid & s.data[0]):
        m.d.sync += s.state[7].eq(s.state[6])


def _goes_on(m, s):
    with m.If(s.valid & s.first):
        m.d.sync += s.state[0].eq(s.state[1] ^ s.data[0])


TWINS = (
    Twin("one bit of the matrix is wrong", _bit_missed),
    Twin("a frame does not begin anew", _goes_on),
)
PROOFS = (
    Proof(
        name="crc_w1.serial",
        about="MaskedCrc32, 1 byte a beat: equal to a bit-serial register, for any bytes",
        build=_build(1),
        engine="induction",
        depth=2,
        reach=7,
        twins=TWINS,
    ),
    *(
        Proof(
            name=f"crc_w{width}.basis",
            about=f"MaskedCrc32, {width} bytes a beat: the step equal to the bit-serial one where "
            "register and bytes have at most one bit set (the step being linear)",
            build=_build(width, basis=True),
            engine="induction",
            depth=2,
            reach=4,
            twins=TWINS,
        )
        for width in (2, 4, 8)
    ),
)
