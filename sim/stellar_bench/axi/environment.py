"""The device between cocotbext-axi's source and sinks: frames in, records out, all compared.

cocotbext-axi drives, pauses and collects. At each clock edge ``Watch`` looks at the outputs by the
rules of docs/streams.md, which cocotbext-axi does not check, and counts.
"""

import itertools
import logging
from random import Random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from stellar_model import Settings
from stellar_spec.records import INGRESS, SETTINGS

from ..packets import Packet, PacketFormat
from ..scoreboard import Mismatch
from ..stream_agents import Monitor
from .beats import beats_of, understood, users_of

__all__ = ["AxiEnvironment", "Watch"]

_META_BITS = sum(field.width for field in INGRESS)


class Watch:
    """Observes all ports at every clock edge.

    Attributes
    ----------
    cycles, stalls, bad : int
        Clock edges out of reset; those at which ``s_axis`` had to wait; and those at which
        ``status_bad_tkeep`` was high.
    moved : int
        The cycle of the last transfer at an output.
    failure : Exception or None
        The first rule that was broken.
    """

    def __init__(self, dut, width: int):
        self.cycles = self.stalls = self.bad = self.moved = 0
        self.failure = None
        self._dut, self._width = dut, width
        fmt = PacketFormat(width, _META_BITS)
        self._outputs = [("m_axis", Monitor("m_axis", fmt=fmt), self._packet)]
        for name in ("m_axis_header", "m_axis_trailer"):
            self._outputs.append((name, Monitor(name), getattr(dut, f"{name}_tdata")))
        self._handles = [
            (getattr(dut, f"{name}_tvalid"), getattr(dut, f"{name}_tready"), monitor, payload)
            for name, monitor, payload in self._outputs
        ]

    async def run(self) -> None:
        """Look at every edge, until the test ends."""
        dut, edge = self._dut, RisingEdge(self._dut.clk)
        s_valid, s_ready, status = dut.s_axis_tvalid, dut.s_axis_tready, dut.status_bad_tkeep
        while self.failure is None:
            await edge
            if int(dut.rst.value):
                for _, monitor, _ in self._outputs:
                    monitor.reset()
                continue
            self.cycles += 1
            self.stalls += int(s_valid.value) and not int(s_ready.value)
            self.bad += int(status.value)
            try:
                for valid, ready, monitor, payload in self._handles:
                    self._look(int(valid.value), int(ready.value), monitor, payload)
            except AssertionError as failure:
                self.failure = failure

    def _look(self, valid, ready, monitor, payload):
        value = 0
        if valid:
            value = payload() if callable(payload) else int(str(payload.value), 2)
            if ready:
                self.moved = self.cycles
        monitor.step(self.cycles, valid, ready, value)

    def _packet(self) -> int:
        """The beat at ``m_axis`` as the payload of a packet stream."""
        dut, width = self._dut, self._width
        parts = ((dut.m_axis_tkeep, 8), (dut.m_axis_tlast, 9))
        value = int(dut.m_axis_tdata.value) | int(dut.m_axis_tuser.value) << (9 * width + 1)
        return value | sum(int(part.value) << (at * width) for part, at in parts)


class AxiEnvironment:
    """What a scenario gets.

    Parameters
    ----------
    dut
        cocotb's handle of the exported core.
    width : int
        Bytes a beat.
    rng : random.Random
        For all that is random.
    share : float
        Scales the number of frames.
    board : ParserScoreboard
    result : TestResult
        Where a scenario may leave a note.
    """

    PATIENCE = 2000
    """Cycles without a transfer at an output after which a wait gives up."""
    QUIET = 12
    """Cycles for which nothing may come once everything has come."""

    def __init__(self, dut, *, width: int, rng: Random, share: float, board, result):
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)  # it tells every frame
        self.dut, self.width, self.rng, self.share, self.board = dut, width, rng, share, board
        self.result = result
        self.bad = 0
        """Frames sent whose ``tkeep`` breaks the rules."""
        self.watch = Watch(dut, width)
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
        self.packets = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
        self.records = {  # a record is one number, so one lane
            name: AxiStreamSink(
                AxiStreamBus.from_prefix(dut, f"m_axis_{name}"), dut.clk, dut.rst, byte_lanes=1
            )
            for name in ("header", "trailer")
        }

    @property
    def _ports(self):
        return (self.source, self.packets, *self.records.values())

    def count(self, whole: int) -> int:
        """``whole``, scaled to the share of frames that this run is to have."""
        return max(1, round(whole * self.share))

    async def start(self) -> None:
        """Start the clock and reset the device."""
        self.dut.rst.value = 0
        self.configure(Settings())
        Clock(self.dut.clk, 8, unit="ns").start(start_high=False)
        cocotb.start_soon(self.watch.run())
        await self.reset(2)

    async def ticks(self, count: int) -> None:
        """Let ``count`` clock edges pass."""
        await ClockCycles(self.dut.clk, count)

    async def reset(self, cycles: int) -> None:
        """Reset device, source and sinks; what was under way is forgotten."""
        await RisingEdge(self.dut.clk)
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, cycles)
        for port in self._ports:
            port.clear()
        self.board.forget()
        self.dut.rst.value = 0
        await RisingEdge(self.dut.clk)

    def configure(self, settings: Settings) -> None:
        """Give the device other settings; nothing may be inside it."""
        for setting in SETTINGS:
            port = getattr(self.dut, f"cfg_{setting.name}")
            port.value = int(getattr(settings, setting.name))

    def pause(self, idle: float, stall: float) -> None:
        """Random pauses from now on: shares of the time at the input and at the outputs."""
        for port, share in zip(self._ports, (idle, stall, stall, stall), strict=True):
            own = Random(self.rng.random())
            port.clear_pause_generator()
            port.pause = False
            if share:
                port.set_pause_generator(_pauses(own, share))

    def send(self, case, beats=None) -> None:
        """Send a frame, in these ``beats`` or as the rules ask, and expect what is right."""
        beats = beats_of(case.frame, self.width) if beats is None else beats
        seen, bad = understood(case, beats, self.width)
        if seen is not None:
            self.board.expect(seen)
        self.bad += bad
        users = users_of(case, beats, self.rng)
        lanes = range(self.width)
        frame = AxiStreamFrame(
            b"".join(beat.lanes for beat in beats),
            tkeep=[beat.keep >> lane & 1 for beat in beats for lane in lanes],
            tuser=[user for user in users for _ in lanes],
        )
        self.source.send_nowait(frame)

    async def play(self, cases) -> None:
        """Send frames and wait for all of them; settings change when the device is empty."""
        for settings, group in itertools.groupby(cases, key=lambda case: case.settings):
            self.configure(settings)
            for case in group:
                self.send(case)
            await self.drain()

    async def drain(self) -> None:
        """Wait until all has come, and see that nothing more does.

        Raises ``Mismatch``, ``StreamViolation``, or ``TimeoutError`` when nothing moves.
        """
        since = self.watch.cycles
        while not (self.board.idle and self.source.idle()):
            await ClockCycles(self.dut.clk, 8)
            self._collect()
            if self.watch.cycles - max(since, self.watch.moved) > self.PATIENCE:
                waiting = f"source idle: {self.source.idle()}, all come: {self.board.idle}"
                raise TimeoutError(f"no transfer for {self.PATIENCE} cycles; {waiting}")
        await ClockCycles(self.dut.clk, self.QUIET)
        self._collect()

    def _collect(self) -> None:
        if self.watch.failure is not None:
            raise self.watch.failure
        for name, sink in self.records.items():
            while not sink.empty():
                (value,) = sink.recv_nowait(compact=False).tdata
                getattr(self.board, name)(value)
        while not self.packets.empty():
            self.board.packet(_packet(self.packets.recv_nowait(compact=False), self.width))


def _pauses(rng: Random, share: float):
    """For ever, whether the next cycle is a pause."""
    while True:
        yield rng.random() < share


def _packet(frame, width: int) -> Packet:
    """The packet that a sink has collected, lanes and all; ``Watch`` has seen to ``tkeep``."""
    early = [user & 1 for user in frame.tuser[:-width]]
    if any(early):
        raise Mismatch(f"m_axis_tuser[0] is set before tlast, at byte {early.index(1)}")
    size = sum(frame.tkeep)
    return Packet(bytes(frame.tdata[:size]), bool(frame.tuser[-1] & 1), frame.tuser[-1] >> 1)
