"""A cocotb test that does nothing but put frames through the parser, as quickly as cocotb can.

One task, everything ready in every cycle, no model, no monitors: what a bench with less would be no
bench.  It does the engine's work: it takes all records, and compares the packet at ``o`` with that
at ``i``.
"""

import faulthandler
import os
import time
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from stellar_bench.native.ports import META_BITS
from stellar_bench.packets import Packet, PacketFormat

from .cocotb_run import FRAMES, RECORDS, WIDTH, read_frames, write_records

__all__ = []

PATIENCE = 2000
"""Cycles without a transfer after which the test fails."""
WALL_LIMIT = 600
"""Seconds after which a test that hangs is ended, with a traceback."""
PERIOD = 8000


@cocotb.test()
async def speed(dut):
    """Frames in, records out."""
    faulthandler.dump_traceback_later(WALL_LIMIT, exit=True)
    frames = read_frames(Path(os.environ[FRAMES]))
    fmt = PacketFormat(WIDTH, META_BITS)
    beats = [beat for frame in frames for beat in fmt.beats(Packet(frame))]
    await _start(dut)
    start, wall = time.process_time(), time.perf_counter()
    packets, headers, trailers = await _pass(dut, beats, len(frames))
    seconds = time.process_time() - start, time.perf_counter() - wall
    assert packets == beats, "the packets at o are not those at i"
    write_records(Path(os.environ[RECORDS]), headers, trailers, seconds)
    faulthandler.cancel_dump_traceback_later()


async def _start(dut):
    dut.rst.value = 1
    dut.i__valid.value = 0
    for name in ("o", "header", "trailer"):
        getattr(dut, f"{name}__ready").value = 1
    dut.settings.value = int(os.environ["STELLAR_SPEED_SETTINGS"])
    Clock(dut.clk, PERIOD, unit="step").start(start_high=False)
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0


async def _pass(dut, beats, count):
    """Offer all beats and take all that comes, until the last trailer record."""
    outputs = [
        (getattr(dut, f"{name}__valid"), getattr(dut, f"{name}__payload"), [])
        for name in ("o", "header", "trailer")
    ]
    (*_, packets), (*_, headers), (*_, trailers) = outputs
    valid, ready, payload = dut.i__valid, dut.i__ready, dut.i__payload
    edge, left, offering, quiet = RisingEdge(dut.clk), iter(beats), False, 0
    while len(trailers) < count or len(headers) < count or len(packets) < len(beats):
        await edge  # the clock has risen, but no register has moved
        quiet += 1
        if not offering or int(ready.value):
            quiet, beat = 0, next(left, None)
            if (beat is not None) != offering:
                offering = beat is not None
                valid.value = int(offering)
            if offering:
                payload.value = beat
        for there, value, taken in outputs:
            if int(there.value):
                taken.append(int(str(value.value), 2))  # the quickest way to a number
                quiet = 0
        assert quiet < PATIENCE, f"no transfer for {PATIENCE} cycles"
    return packets, headers, trailers
