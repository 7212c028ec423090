"""The parser with the port names of AXI4-Stream, for designs that are not written in Amaranth.

::

    s_axis ──► AxiIngress ──► Parser ─┬──► m_axis           the frame, untouched
                                      ├──► m_axis_header    one record a frame
    cfg_* ────────────────────────────┴──► m_axis_trailer   one record a frame

How it is used, in Verilog and in LiteX, is shown in docs/using-the-core.md.
"""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.records import SETTINGS

from .parse import HEADER_LAYOUT, INGRESS_LAYOUT, TRAILER_LAYOUT, Parser
from .stream import PacketSignature

__all__ = ["AxiIngress", "ParserAXI"]

_USER_BITS = 1 + INGRESS_LAYOUT.size


def _record_bits(layout) -> int:
    """Bits of TDATA for a record: those of ``layout``, rounded up to whole bytes."""
    return -(-layout.size // 8) * 8


def _packets(prefix, width, flow):
    """Members of a packet stream; ``flow`` is the direction of all but ``tready``."""
    back = Out if flow is In else In
    return {
        f"{prefix}_tdata": flow(8 * width),
        f"{prefix}_tkeep": flow(width),
        f"{prefix}_tvalid": flow(1),
        f"{prefix}_tready": back(1),
        f"{prefix}_tlast": flow(1),
        f"{prefix}_tuser": flow(_USER_BITS),
    }


def _records(prefix, layout):
    return {
        f"{prefix}_tdata": Out(_record_bits(layout)),
        f"{prefix}_tvalid": Out(1),
        f"{prefix}_tready": In(1),
        f"{prefix}_tlast": Out(1),
    }


class AxiIngress(wiring.Component):
    """Makes of the frames that AXI4-Stream allows those that docs/streams.md asks for.

    Parameters
    ----------
    width : int
        Bytes a beat.

    Members
    -------
    i : In(stream.Signature(StructLayout))
        ``data``, ``keep``, ``last`` and ``user``: the payload of ``s_axis`` of :class:`ParserAXI`,
        where the rules for ``keep`` are.
    o : Out(PacketSignature(width, INGRESS_LAYOUT))
        The frames.
    bad : Out(1)
        The beat that is offered at ``o`` ends a frame with a bad ``keep``.

    Timing
    ------
    Combinational: 0 cycles, ``i.ready`` is ``o.ready``. Reset forgets a frame that is inside.
    """

    def __init__(self, *, width: int):
        beat = {"data": 8 * width, "keep": width, "last": 1, "user": _USER_BITS}
        super().__init__(
            {
                "i": In(stream.Signature(data.StructLayout(beat))),
                "o": Out(PacketSignature(width, INGRESS_LAYOUT)),
                "bad": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        beat, o = self.i.p, self.o
        keep, last = beat.keep, beat.last
        inside = Signal()  # a beat of this frame has been passed on
        broken = Signal()  # and the keep of one that has was none that is allowed
        first = Signal(INGRESS_LAYOUT.size, reset_less=True)  # what came with its first beat
        null = Signal()
        gap = Signal()
        wrong = Signal()
        take = Signal()
        upto = Signal.like(keep)  # all lanes up to the highest, and the lowest in any case
        m.d.comb += [
            null.eq(~keep.any()),
            gap.eq((keep & (keep + 1)).any()),
            wrong.eq(broken | null | gap | (~last & ~keep.all())),
            upto.eq(Cat(Const(1, 1), *(keep[lane:].any() for lane in range(1, len(keep))))),
            self.i.ready.eq(o.ready),
            o.valid.eq(self.i.valid & (~null | (last & inside))),
            take.eq(o.valid & o.ready),
            o.p.data.eq(beat.data),
            o.p.keep.eq(Mux(last, upto, -1)),
            o.p.last.eq(last),
            o.p.error.eq(last & (beat.user[0] | wrong)),
            Value.cast(o.p.meta).eq(Mux(inside, first, beat.user[1:])),
            self.bad.eq(last & wrong),
        ]
        with m.If(take):
            m.d.sync += [inside.eq(~last), broken.eq(~last & wrong)]
        with m.If(take & ~inside):
            m.d.sync += first.eq(beat.user[1:])
        return m


class ParserAXI(wiring.Component):
    """:class:`~stellar_nic.parse.Parser` with flat ports, as in AXI4-Stream (Arm IHI 0051).

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    s_axis_tdata : In(8 * width)
        Frames; byte 0 is in bits 7 to 0.
    s_axis_tkeep : In(width)
        Bytes that are there, see below.
    s_axis_tvalid, s_axis_tlast : In(1)
    s_axis_tready : Out(1)
    s_axis_tuser : In(53)
        Bit 0: the MAC marks the frame as bad; read with ``tlast``. Above it, read with a frame's
        first byte: ``port`` (4 bits), then ``time`` (48 bits).
    m_axis_… : the same in the other direction
        The frames, untouched. ``tuser`` shows bit 0 with ``tlast`` only, and the bits above it on
        every beat as they were on the first.
    m_axis_header_tdata : Out(1192)
        The header record, first field in the lowest bits, zeros above the last.
    m_axis_trailer_tdata : Out(48)
        The trailer record, likewise.
    m_axis_header_…, m_axis_trailer_… : ``tvalid``, ``tready``, ``tlast``
        Each record is one transfer, and ``tlast`` is always 1.
    cfg_… : In
        The settings of ``stellar_spec.records.SETTINGS``, one port each. Must not change while a
        frame is inside.
    status_bad_tkeep : Out(1)
        High for one cycle for each frame whose ``tkeep`` was none of those below.

    What ``s_axis_tkeep`` may be
    ----------------------------
    All ones before ``tlast``; with ``tlast`` at least one bit, from bit 0 up without a gap. Beats
    without a byte and without ``tlast`` are taken and passed over, and so are packets without a
    byte. Anything else that AXI4-Stream allows marks the frame as bad: ``m_axis_tuser[0]`` at its
    end, and the verdict DROP with the reason MAC_ERROR. In such a frame a beat before ``tlast``
    counts as full, one with it up to its highest byte, and as one byte if it has none.

    Timing
    ------
    As :class:`~stellar_nic.parse.Parser`. ``s_axis_tready`` depends on the ``tready`` of the three
    outputs in the same cycle; all other outputs are registers.
    ``rst`` is synchronous, active high.

    Raises ``ValueError`` for another width.
    """

    def __init__(self, *, width: int):
        self._parser = Parser(width=width)
        super().__init__(
            {
                **_packets("s_axis", width, In),
                **_packets("m_axis", width, Out),
                **_records("m_axis_header", HEADER_LAYOUT),
                **_records("m_axis_trailer", TRAILER_LAYOUT),
                **{f"cfg_{setting.name}": In(setting.width) for setting in SETTINGS},
                "status_bad_tkeep": Out(1),
            }
        )

    @property
    def width(self) -> int:
        """Bytes a beat."""
        return self._parser.width

    @property
    def latency(self) -> int:
        """Cycles to a record, as :attr:`stellar_nic.parse.Parser.latency`."""
        return self._parser.latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.ingress = ingress = AxiIngress(width=self.width)
        m.submodules.parser = parser = self._parser
        wiring.connect(m, ingress.o, parser.i)
        m.d.sync += self.status_bad_tkeep.eq(parser.i.valid & parser.i.ready & ingress.bad)
        for name in ("data", "keep", "last", "user"):
            m.d.comb += ingress.i.p[name].eq(getattr(self, f"s_axis_t{name}"))
        packet = parser.o.p
        m.d.comb += [
            ingress.i.valid.eq(self.s_axis_tvalid),
            self.s_axis_tready.eq(ingress.i.ready),
            self.m_axis_tdata.eq(packet.data),
            self.m_axis_tkeep.eq(packet.keep),
            self.m_axis_tvalid.eq(parser.o.valid),
            parser.o.ready.eq(self.m_axis_tready),
            self.m_axis_tlast.eq(packet.last),
            self.m_axis_tuser.eq(Cat(packet.error, packet.meta)),
        ]
        for name in ("header", "trailer"):
            record = getattr(parser, name)
            m.d.comb += [
                getattr(self, f"m_axis_{name}_tdata").eq(Value.cast(record.payload)),
                getattr(self, f"m_axis_{name}_tvalid").eq(record.valid),
                record.ready.eq(getattr(self, f"m_axis_{name}_tready")),
                getattr(self, f"m_axis_{name}_tlast").eq(1),
            ]
        for setting in SETTINGS:
            m.d.comb += parser.settings[setting.name].eq(getattr(self, f"cfg_{setting.name}"))
        return m
