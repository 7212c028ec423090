"""The packet parser: wires its stages and keeps the handshakes.

::

    i ─┬──────────────────────── register slice ───────────────────────► o
       └► Words ─► Walk ─┬► Capture ──────────┬► Judge ─┬► HeaderRecord ─► header
          words   labels ├► Facts ────────────┤         └► TrailerRecord ─► trailer
                         └► Cover ─► sums, CRC ┘

What the records say of each frame is specified in docs/parser.md.
"""

from amaranth.hdl import EnableInserter, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect

from stellar_nic.stream import ForwardRegister, PacketSignature
from stellar_spec.codes import Layer
from stellar_spec.records import HEADER_RECORD

from .layouts import HEADER_LAYOUT, INGRESS_LAYOUT, SETTINGS_LAYOUT, TRAILER_LAYOUT
from .pipeline import Pipeline

__all__ = ["PARSER_WIDTHS", "Parser"]

PARSER_WIDTHS = (1, 2, 4, 8)
"""Bytes a beat that the parser can be built for."""


class Parser(wiring.Component):
    """Reads packet headers from Ethernet to StellarTP at one beat a cycle.

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    i : In(PacketSignature(width, INGRESS_LAYOUT))
        Frames.  ``error`` is the MAC's.
    o : Out(PacketSignature(width, INGRESS_LAYOUT))
        The same frames, untouched; they do not wait for their records, nor these for them.
    header : Out(stream.Signature(HEADER_LAYOUT))
        One record a frame, in order.
    trailer : Out(stream.Signature(TRAILER_LAYOUT))
        One record a frame, in order, behind its last beat.
    settings : In(SETTINGS_LAYOUT)
        Must not change while a frame is inside.

    Timing
    ------
    ``latency`` cycles from the beat with the last header byte to the header record, and from the
    last beat to the trailer record, if nothing is held up; 1 cycle from ``i`` to ``o``.  A beat
    every cycle, no bubble between frames.  A record that is not taken holds up the next frame, of
    which the parser holds the first beats.  Nothing is ever dropped; reset forgets a frame that is
    inside.

    Raises ``ValueError`` for another width.
    """

    def __init__(self, *, width: int):
        if width not in PARSER_WIDTHS:
            raise ValueError(f"width is {width!r}; the parser takes 1, 2, 4 or 8 bytes a beat")
        self._width = width
        super().__init__(
            {
                "i": In(PacketSignature(width, INGRESS_LAYOUT)),
                "o": Out(PacketSignature(width, INGRESS_LAYOUT)),
                "header": Out(stream.Signature(HEADER_LAYOUT)),
                "trailer": Out(stream.Signature(TRAILER_LAYOUT)),
                "settings": In(SETTINGS_LAYOUT),
            }
        )

    @property
    def width(self) -> int:
        """Bytes a beat."""
        return self._width

    @property
    def latency(self) -> int:
        """Cycles to a record: the pipeline and the record's register."""
        return Pipeline.latency + 1

    def elaborate(self, platform):
        m = Module()
        pipeline = Pipeline(width=self._width)
        packets = ForwardRegister(shape=self.i.payload.shape())
        enable = Signal()
        take = Signal()
        m.submodules.packets = packets
        m.submodules.pipeline = EnableInserter(enable)(pipeline)
        connect(m, packets.o, wiring.flipped(self.o))
        # A record of the frame before is still here, and this frame's first beat has come.
        header_waits = Signal()
        trailer_waits = Signal()
        opens = Signal()
        m.d.comb += [
            enable.eq(
                ~(header_waits & ~self.header.ready) & ~(trailer_waits & ~self.trailer.ready)
            ),
            opens.eq(Mux(enable, pipeline.starts, pipeline.opens)),
            self.i.ready.eq(enable & packets.i.ready),
            packets.i.valid.eq(enable & self.i.valid),
            packets.i.payload.eq(self.i.payload),
            take.eq(self.i.valid & packets.i.ready),
            pipeline.i_valid.eq(take),
            pipeline.i.eq(self.i.payload),
            pipeline.settings.eq(self.settings),
        ]
        header, trailer = self._records(m, pipeline, enable)
        # Known a cycle ahead, so that all that `enable` holds has one gate in front.
        m.d.sync += [header_waits.eq(header & opens), trailer_waits.eq(trailer & opens)]
        return m

    def _records(self, m, pipeline, enable):
        """Registers the records in every cycle until one is due, and then until it is taken.

        They need no reset, so their flip-flops' reset inputs are free for layers not shown.
        Returns whether each is offered in the next cycle.
        """
        header = Signal(HEADER_LAYOUT, reset_less=True)
        trailer = Signal(TRAILER_LAYOUT, reset_less=True)
        m.d.comb += [self.header.payload.eq(header), self.trailer.payload.eq(trailer)]
        with m.If(self.header.ready | ~self.header.valid):
            for group in HEADER_RECORD:
                value = Value.cast(pipeline.header[group.name])
                if group.layer is not None:
                    shown = pipeline.header.state.layers[group.layer.bit_length() - 1]
                # INT is known last, so of wide beats not by a reset, which takes longer.
                masked = group.layer == Layer.INT and self._width > 4
                if masked:
                    value &= shown.replicate(len(value))
                m.d.sync += header[group.name].eq(value)
                if group.layer is not None and not masked:
                    with m.If(~shown):
                        m.d.sync += header[group.name].eq(0)
        with m.If(self.trailer.ready | ~self.trailer.valid):
            m.d.sync += trailer.eq(pipeline.trailer)
        return tuple(
            self._offer(m, port, enable & due)
            for port, due in (
                (self.header, pipeline.header_due),
                (self.trailer, pipeline.trailer_due),
            )
        )

    @staticmethod
    def _offer(m, port, due):
        """Returns ``valid`` of the next cycle."""
        offered = Signal()
        m.d.comb += offered.eq(Mux(port.ready | ~port.valid, due, 1))
        m.d.sync += port.valid.eq(offered)
        return offered
