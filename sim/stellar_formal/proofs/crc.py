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


def _take_beat(top, state, data, width, name="bit"):
    """The register behind ``width`` bytes, the first in the lowest bits, each from bit 0."""
    for index in range(8 * width):
        after = Signal(32, name=f"{name}{index}")
        top.m.d.comb += after.eq(_take_bit(state, data[index]))
        state = after
    return state


def _residue(zeros):
    """The residue behind so many zero bytes."""
    return _plain(RESIDUE, zeros)


def _before(state, zeros):
    """The register in front of so many zero bytes that leave ``state``."""
    for _ in range(8 * zeros):
        out = state >> 31  # the polynomial's highest bit is set: so it tells what was shifted out
        state = ((state ^ (POLYNOMIAL if out else 0)) << 1 | out) & 0xFFFFFFFF
    return state


def _build(width, basis=False):
    def build(top):
        m = top.m
        dut = MaskedCrc32(width=width)
        inside = top.design(dut)("")
        top.assume(dut.pad < width)
        state, begun = Signal(32), Signal()
        cleared = Signal()  # in the cycle before
        pad = Signal.like(dut.pad)  # … as it was then
        beats = Signal(range(8))  # since the frame began
        lanes = [2, 6] if width == 8 else [2] if width == 4 else [0]
        start, *late = (_before(0xFFFFFFFF, lane) for lane in lanes)
        before = state
        if late:
            top.assume(~dut.late | cleared)
            before = Mux(dut.late, late[0], state)
        after = _take_beat(top, before, dut.data, width)
        m.d.sync += [cleared.eq(dut.clear), pad.eq(dut.pad)]
        with m.If(dut.valid):
            m.d.sync += [state.eq(after), beats.eq(beats + begun)]
        with m.If(dut.clear):
            m.d.sync += [state.eq(start), begun.eq(1), beats.eq(0)]
        # The design's register still has to be advanced over the last bytes that it took.
        lag = min(4, width)
        advanced = _take_beat(top, inside.state, Const(0, 8 * lag), lag, "lag")
        # What holds between the design's register and the serial one, so that one step proves all.
        top.prove(~begun | (advanced == state), "the register is the bit-serial one")
        top.prove(~cleared | (state == start), "a frame begins anew")
        if basis:
            # The step is linear: it is known by what it does to one value and to each single
            # change of it.
            origin = Mux(dut.late, late[0], start) if late else start
            row = Cat(before ^ origin, dut.data)
            top.assume(~dut.valid | ((row & (row - 1)) == 0))
            top.cover((beats == 1) & (state != _plain(start, width)), "a beat has changed a bit")
            return
        wanted = Array(Const(_residue(zeros), 32) for zeros in range(width))
        right = state == wanted[pad]
        top.prove(~begun | (dut.right == right), "right as the bit-serial register says")
        whole = (beats == -(-5 // width)) & (pad == -5 % width)
        top.cover(whole & dut.right, "five bytes end in their right check")
        top.cover(whole & ~dut.right, "five bytes end in a wrong one")

    return build


def _plain(state, zeros):
    """The register behind so many zero bytes."""
    for _ in range(8 * zeros):
        state = state >> 1 ^ (POLYNOMIAL if state & 1 else 0)
    return state


def _bit_missed(m, s):
    with m.If(s.valid & s.data[0]):
        m.d.sync += s.state[7].eq(s.state[6])


def _goes_on(m, s):
    with m.If(s.clear):
        m.d.sync += s.state[0].eq(s.state[1])


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
