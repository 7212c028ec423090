"""No combinational path from ``ready`` to ``valid`` or a payload; the primitives: none at all."""

from stellar_nic.parse import Parser
from stellar_nic.stream import (
    PacketFIFO,
    PacketLayout,
    RegisterSlice,
    StreamFIFO,
    WidthConverter,
)

from ..proof import Proof, Twin

__all__ = ["PROOFS"]

PRIMITIVES = {
    "slice": lambda: RegisterSlice(shape=PacketLayout(2, 2)),
    "fifo": lambda: StreamFIFO(shape=PacketLayout(2, 2), depth=4),
    "packet_fifo": lambda: PacketFIFO(width=2, depth=4, meta=2),
    "width_up": lambda: WidthConverter(width_in=1, width_out=4, meta=2),
    "width_down": lambda: WidthConverter(width_in=4, width_out=2, meta=2),
}


def _primitive(component):
    def build(top):
        top.design(component())
        top.registered = True

    return build


def _parser(width):
    def build(top):
        top.design(Parser(width=width))
        # Allowed, and there: a record that waits holds up the input at once.
        top.paths += [("i__ready", "header__ready"), ("i__ready", "trailer__ready")]

    return build


def _ready_passes(m, s):
    m.d.comb += s.i__ready.eq(s.o__ready)


def _payload_waits(m, s):
    with m.If(~s.o__ready):
        m.d.comb += s.o__payload.eq(0)


def _record_waits(m, s):
    with m.If(~s.header__ready):
        m.d.comb += s.trailer__payload.eq(0)


PROOFS = (
    *(
        Proof(
            name=f"{name}.paths",
            about="all stream outputs depend on registers only",
            build=_primitive(component),
            engine="paths",
            twins=(
                Twin("ready passes through", _ready_passes),
                Twin("the payload depends on ready", _payload_waits),
            ),
        )
        for name, component in PRIMITIVES.items()
    ),
    *(
        Proof(
            name=f"parser_w{width}.paths",
            about="no valid and no payload depends on a ready of the same cycle",
            build=_parser(width),
            engine="paths",
            twins=(Twin("a payload depends on another stream's ready", _record_waits),),
        )
        for width in (8, 1)
    ),
)
