"""Packet FIFO: stores whole packets, and drops the bad ones without a trace."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..params import check_flag, check_power_of_two
from .packet import PacketLayout, PacketSignature

__all__ = ["PacketFIFO"]


class PacketFIFO(wiring.Component):
    """Store-and-forward queue with commit and drop.

    A packet is written behind the *commit* pointer. With its last beat it is either committed, and
    only then visible at the output, or taken back by resetting the write pointer. ::

           read          commit          write
             v             v               v
        .....[ whole packets ][ being stored ]......      depth beats, as a ring

    Parameters
    ----------
    width : int
        Bytes per beat.
    depth : int
        Beats that it holds, a power of two of at least 2. The longest packet that fits has
        ``depth`` beats, which is ``depth * width`` bytes.
    meta : shape-like, optional
        Shape of the packet's side information. It is stored with every beat.
    drop_when_full : bool
        What happens to a packet for which there is no room *now*. False: the input waits.
        True: the packet is dropped and ``i.ready`` is always high, for a source that can't wait.

    Members
    -------
    i : In(PacketSignature(width, meta))
        Input stream.
    o : Out(PacketSignature(width, meta))
        Output stream: the packets that were not dropped, in order. ``error`` is always 0.
    dropped_error : Out(1)
        High for one cycle per packet that was dropped because of ``error`` on its last beat.
    dropped_overflow : Out(1)
        High for one cycle per packet that was dropped because it did not fit, ``error`` or not.

    Timing
    ------
    Latency: 2 cycles, from the transfer of a packet's last beat at ``i`` to ``o.valid``, if no
    other packet is inside. The pulses come 1 cycle after the transfer of the packet's last beat.
    Throughput: one beat per cycle at both ends, with no bubble between packets.
    Back-pressure: ``i.ready`` depends on registers only. It is low while the memory is full and a
    whole packet is inside, so room will come. A packet longer than ``depth`` beats would wait for
    ever; it is swallowed at one beat per cycle up to its last. With ``drop_when_full`` the input
    never waits. ``o.payload`` comes from the memory's read port, as in :class:`StreamFIFO`.
    Drops: see above. Every packet at ``i`` appears at ``o`` or in one pulse.
    Reset: empties it, and what was stored of a packet is forgotten; ``i.ready`` is high.
    """

    def __init__(self, *, width, depth, meta=None, drop_when_full=False):
        self._layout = PacketLayout(width, meta)
        self._depth = check_power_of_two("depth", depth, low=2)
        self._drop_when_full = check_flag("drop_when_full", drop_when_full)
        super().__init__(
            {
                "i": In(PacketSignature(width, meta)),
                "o": Out(PacketSignature(width, meta)),
                "dropped_error": Out(1),
                "dropped_overflow": Out(1),
            }
        )

    @property
    def width(self):
        """Bytes per beat."""
        return self._layout.width

    @property
    def depth(self):
        """Beats that it holds."""
        return self._depth

    @property
    def meta(self):
        """Shape of the packet's side information."""
        return self._layout.meta

    @property
    def drop_when_full(self):
        """Whether a packet is dropped rather than kept waiting when there is no room."""
        return self._drop_when_full

    @property
    def latency(self):
        """Cycles from the transfer of a packet's last beat at ``i`` to ``o.valid``."""
        return 2

    def elaborate(self, platform):
        m = Module()
        # One bit more than the address: it tells full from empty.
        read, commit, write = (Signal(range(2 * self._depth), name=n) for n in _POINTERS)
        stored = len(_stored(self.i.p))  # error is not stored: what comes out has none
        m.submodules.memory = memory = Memory(shape=stored, depth=self._depth, init=[])
        self._elaborate_input(m, memory.write_port(), read, commit, write)
        self._elaborate_output(m, memory.read_port(), read, commit)
        return m

    def _elaborate_input(self, m, port, read, commit, write):
        full = Signal()
        swallowing = Signal()  # the rest of a packet whose beginning has been taken back
        accept = Signal()
        lost = Signal()
        m.d.comb += [
            full.eq((write ^ read) == self._depth),
            # Full, and nothing but the packet that is being stored: it can never fit. Taking one
            # more beat is what starts to swallow it.
            self.i.ready.eq(self._drop_when_full | ~full | (read == commit)),
            accept.eq(self.i.valid & self.i.ready),
            lost.eq(full | swallowing),
            port.addr.eq(write[:-1]),
            port.data.eq(_stored(self.i.p)),
            port.en.eq(accept & ~lost),
        ]
        dropped_error = accept & self.i.p.last & self.i.p.error & ~lost
        dropped_overflow = accept & self.i.p.last & lost
        m.d.sync += [
            self.dropped_error.eq(dropped_error),
            self.dropped_overflow.eq(dropped_overflow),
        ]
        with m.If(accept):
            m.d.sync += swallowing.eq(lost & ~self.i.p.last)
            with m.If(dropped_error | lost):
                m.d.sync += write.eq(commit)
            with m.Else():
                m.d.sync += write.eq(write + 1)
                with m.If(self.i.p.last):
                    m.d.sync += commit.eq(write + 1)

    def _elaborate_output(self, m, port, read, commit):
        fetch = Signal()
        m.d.comb += [
            fetch.eq((read != commit) & (self.o.ready | ~self.o.valid)),
            port.addr.eq(read[:-1]),
            port.en.eq(fetch),
            _stored(self.o.p).eq(port.data),
        ]
        with m.If(fetch):
            m.d.sync += [read.eq(read + 1), self.o.valid.eq(1)]
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)


_POINTERS = ("read", "commit", "write")


def _stored(payload):
    return Cat(payload.data, payload.keep, payload.last, payload.meta)
