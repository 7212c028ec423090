"""Packet FIFO: order, content and drops, against the table of docs/streams.md as counters."""

from amaranth.hdl import Cat, Mux, Signal

from stellar_nic.stream import PacketFIFO

from ..proof import Proof, Twin

__all__ = ["PROOFS"]

DEPTH = 4


class _Model:
    """What docs/streams.md says of ``PacketFIFO``, without pointers and memory.

    ``whole`` beats of whole packets and ``part`` beats of the packet that is being stored are in
    the memory; one more beat may be offered at the output.
    """

    def __init__(self, top, dut):
        m = top.m
        self.whole, self.part = Signal(range(DEPTH + 1)), Signal(range(DEPTH + 1))
        self.offered, self.swallowing = Signal(), Signal()
        self.error, self.overflow = Signal(), Signal()
        beat = dut.i.p
        room = self.whole + self.part < DEPTH
        self.ready = dut.drop_when_full | room | (self.whole == 0)
        self.accept = dut.i.valid & self.ready
        self.fits = room & ~self.swallowing
        self.commit = self.accept & self.fits & beat.last & ~beat.error
        self.stored = self.accept & self.fits
        self.gone = self.accept & (~self.fits | beat.last & beat.error)
        self.fetch = (self.whole != 0) & (dut.o.ready | ~self.offered)
        m.d.sync += [
            self.error.eq(self.accept & self.fits & beat.last & beat.error),
            self.overflow.eq(self.accept & ~self.fits & beat.last),
            self.whole.eq(self.whole + Mux(self.commit, self.part + 1, 0) - self.fetch),
            self.offered.eq(self.fetch | self.offered & ~dut.o.ready),
        ]
        with m.If(self.commit | self.gone):
            m.d.sync += self.part.eq(0)
        with m.Elif(self.stored):
            m.d.sync += self.part.eq(self.part + 1)
        with m.If(self.accept):
            m.d.sync += self.swallowing.eq(~self.fits & ~beat.last)


class _Mark:
    """One beat that the solver marks when it is stored; forgotten if its packet is dropped."""

    def __init__(self, top, dut, model):
        m = top.m
        self.marked, self.sure, self.offered = Signal(), Signal(), Signal()
        self.ahead = Signal(range(DEPTH + 1))  # beats in the memory in front of it
        self.kept = Signal(len(_content(dut.i.p)))
        begins = model.stored & top.free(1, "mark") & ~self.marked
        mine = self.marked & ~self.sure  # in the packet that is being stored
        leaves = self.offered & dut.o.ready
        with m.If(begins):
            m.d.sync += [
                self.kept.eq(_content(dut.i.p)),
                self.ahead.eq(model.whole + model.part - model.fetch),
                self.marked.eq(~model.gone),
                self.sure.eq(model.commit),
            ]
        with m.If(mine & model.gone):
            m.d.sync += self.marked.eq(0)
        with m.If(mine & model.commit):
            m.d.sync += self.sure.eq(1)
        with m.If(self.marked & ~self.offered & model.fetch):
            m.d.sync += self.ahead.eq(self.ahead - 1)
            with m.If(self.ahead == 0):
                m.d.sync += self.offered.eq(1)
        with m.If(leaves):
            m.d.sync += [self.marked.eq(0), self.sure.eq(0), self.offered.eq(0)]


def _content(payload):
    return Cat(payload.data[0], payload.last, payload.meta)


def _build(drop_when_full):
    def build(top):
        dut = PacketFIFO(width=1, depth=DEPTH, meta=1, drop_when_full=drop_when_full)
        top.design(dut)
        top.assume_contract(dut.i, "i")
        model = _Model(top, dut)
        mark = _Mark(top, dut, model)
        top.prove(dut.i.ready == model.ready, "waits only where the table says so")
        top.prove(dut.o.valid == model.offered, "offers whole packets, and these at once")
        top.prove(dut.dropped_error == model.error, "one pulse for each packet with an error")
        top.prove(dut.dropped_overflow == model.overflow, "one pulse for each without room")
        same = _content(dut.o.p) == mark.kept
        top.prove(~mark.offered | same, "the n-th stored beat that is not dropped leaves n-th")
        top.prove(~dut.o.valid | ~dut.o.p.error, "no error at the output")
        top.prove(~mark.offered | mark.sure, "no beat of a packet that may still be dropped")
        top.cover(mark.offered & dut.o.ready & ~mark.kept[1], "a marked beat leaves")
        top.cover(model.error, "dropped for an error")
        top.cover(model.overflow & model.offered, "dropped for want of room")
        top.cover(model.whole == DEPTH, "filled by whole packets")
        top.cover(model.swallowing & (model.whole == 0), "swallowing")

    return build


def _full_early(m, s):
    m.d.comb += s.full.eq((s.write - s.read)[:3] == DEPTH - 1)


def _full_late(m, s):
    m.d.comb += s.full.eq((s.write - s.read)[:3] == DEPTH + 1)


def _error_kept(m, s):
    with m.If(s.accept & s.i__payload[9] & ~s.lost):
        m.d.sync += [s.commit.eq(s.write + 1), s.write.eq(s.write + 1)]


def _pulse_lost(m, s):
    with m.If(s.swallowing):
        m.d.sync += s.dropped_overflow.eq(0)


def _shown_early(m, s):
    m.d.comb += s.fetch.eq((s.read != s.write) & (s.o__ready | ~s.o__valid))


PROOFS = (
    Proof(
        name="packet_fifo.wait",
        about=f"PacketFIFO of {DEPTH} beats that waits when full: order, content, drops, pulses",
        build=_build(False),
        twins=(
            Twin("full one beat early", _full_early),
            Twin("full one beat late", _full_late),
            Twin("a packet with an error is kept", _error_kept),
            Twin("beats are shown before the packet is whole", _shown_early),
        ),
    ),
    Proof(
        name="packet_fifo.drop",
        about=f"PacketFIFO of {DEPTH} beats that drops when full: order, content, drops, pulses",
        build=_build(True),
        twins=(
            Twin("full one beat late", _full_late),
            Twin("no pulse for a swallowed packet", _pulse_lost),
        ),
    ),
)
