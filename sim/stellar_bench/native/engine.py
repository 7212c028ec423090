"""The parser's gateware in native simulation: frames in, records out.

One beat a cycle goes in, unless idle cycles are asked for; everything is taken at once, unless
back-pressure is. The harness checks by itself that the packet at ``o`` is the packet at ``i``, that
there is one header and one trailer record a frame, none before its bytes, none left over, that
offers stay until they are taken, and that the parser does not hang. What the records say is for the
caller to judge.
"""

import ctypes
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..verilate import read_verilog
from . import library
from .abi import CBatch, CFault, CResults, Time, bind
from .arguments import chance, column, marks_within, rates, reset_settings, unsigned
from .faults import engine_error, misfit
from .ports import HEADER_BITS, META_BITS, SETTINGS_BITS, TRAILER_BITS

__all__ = ["DRAIN", "TIMEOUT", "NativeParser", "Records"]

DRAIN = 64
"""Cycles behind the last frame in which nothing may come."""
TIMEOUT = 1000
"""Cycles without a handshake that make a hang, without idle cycles and back-pressure."""


@dataclass(frozen=True)
class Records:
    """What came out of one run.

    ``headers`` and ``trailers`` hold one row of bytes a frame, little endian: the packed record.
    ``times`` holds one row of cycles a frame, with the columns of :class:`.abi.Time`. ``cycles`` is
    the length of the run without the idle cycles at its end.
    """

    headers: np.ndarray
    trailers: np.ndarray
    times: np.ndarray
    cycles: int

    def pairs(self) -> list[tuple[int, int]]:
        """The packed header and trailer record of each frame."""
        return list(zip(_integers(self.headers), _integers(self.trailers), strict=True))

    @property
    def header_latency(self) -> np.ndarray:
        """Cycles from the handshake of the beat in front of the mark to ``header.valid``."""
        return self.times[:, Time.HEADER_VALID] - self.times[:, Time.MARK_TAKEN]

    @property
    def trailer_latency(self) -> np.ndarray:
        """Cycles from the handshake of the last beat to ``trailer.valid``."""
        return self.times[:, Time.TRAILER_VALID] - self.times[:, Time.LAST_TAKEN]


def _integers(table):
    raw, size = table.tobytes(), table.shape[1]
    return [int.from_bytes(raw[at : at + size], "little") for at in range(0, len(raw), size)]


class NativeParser:
    """The Verilated parser.

    Parameters
    ----------
    width
        Bytes per beat.
    verilog
        File with the Verilog of a parser of that width, in place of the gateware's own.
    select
        Bits of that Verilog's input ``mutsel``, which chooses one of several mutants; 0: it has no
        such input.

    The library is built at the first use and cached. Raises ``ValueError`` for Verilog that is no
    such parser, :class:`stellar_bench.verilate.BuildError` where the build fails. Use it as a
    context manager, or call :meth:`close`. Not for two threads at once.
    """

    def __init__(self, *, width: int = 8, verilog: Path | None = None, select: int = 0):
        if verilog is None:
            text, source = library.generated(width), "the exported parser"
        else:
            text, source = read_verilog(verilog), str(verilog)
        self._width = width
        self._select_bits = unsigned("select", select, 6)
        self._library = bind(library.build(width, text, source, select))
        self._handle = self._library.harness_create()

    @property
    def width(self) -> int:
        """Bytes per beat."""
        return self._width

    def reset(self) -> None:
        """Lets the next run begin with a reset, as the first one and those after an error do."""
        self._library.harness_reset(self._open())

    def select(self, mutant: int) -> None:
        """Goes on with ``mutant`` (0: the design as it is), as new as after construction.

        Raises ``ValueError`` for a number that the input has no room for.
        """
        number = unsigned("mutant", mutant, self._select_bits)
        self._library.harness_select(self._open(), number)

    def close(self) -> None:
        """Frees the simulation; harmless when repeated."""
        if self._handle is not None:
            self._library.harness_destroy(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def _open(self):
        if self._handle is None:
            raise ValueError("the engine is closed")
        return self._handle

    def run(self, frames: Sequence[bytes], **options) -> list[tuple[int, int]]:
        """As :meth:`run_batch`, but returns the packed header and trailer record of each frame."""
        return self.run_batch(frames, **options).pairs()

    def run_batch(
        self,
        frames: Sequence[bytes],
        *,
        errors: Sequence[bool] | None = None,
        metas: Sequence | None = None,
        marks: Sequence[int] | None = None,
        settings=None,
        idle: float = 0.0,
        backpressure: float | Mapping[str, float] = 0.0,
        seed: int = 1,
        timeout: int | None = None,
    ) -> Records:
        """Puts ``frames`` through the parser, one behind the other.

        Parameters
        ----------
        frames
            Each of one byte or more.
        errors, metas
            For each frame: ``error`` of its last beat (none), its ``meta`` (0), as an integer or as
            something with ``pack()``.
        marks
            For each frame: the bytes in front of the position from which ``Time.MARK_TAKEN``
            counts; more than the frame has, or none given: the frame's length.
        settings
            As an integer or as something with ``pack()``; by default the reset values.
        idle
            Chance of an idle cycle at ``i`` where a beat could be offered; below 1.
        backpressure
            Chance of ``ready`` being low in a cycle, below 1: one for ``o``, ``header`` and
            ``trailer``, or a mapping with chances for some of these names.
        seed
            Of idle cycles, back-pressure, and the noise in what means nothing.
        timeout
            Cycles without a handshake that make a hang; by default 1,000, and accordingly more
            with idle cycles and back-pressure.

        The call cannot be interrupted from Python; split what takes longer than you would wait.

        Raises :class:`EngineError`; the next run then begins with a reset. Raises ``ValueError``
        for arguments out of range.
        """
        options = {"idle": idle, "backpressure": backpressure, "seed": seed, "timeout": timeout}
        run = self._library.harness_run
        return self._run(run, frames, errors, metas, marks, settings, options)

    def abandon(
        self,
        frames: Sequence[bytes],
        *,
        cycles: int,
        reset: int = 1,
        errors: Sequence[bool] | None = None,
        metas: Sequence | None = None,
        settings=None,
        idle: float = 0.0,
        backpressure: float | Mapping[str, float] = 0.0,
        seed: int = 1,
    ) -> None:
        """The first ``cycles`` of such a run, and then ``reset`` cycles of reset.

        What has come out by then is checked but for what the records say; behind the reset nothing
        may be offered. The next run follows at once. The other arguments, and what is raised, are
        those of :meth:`run_batch`.
        """
        if reset < 1:
            raise ValueError(f"reset is {reset!r}; it must be 1 cycle or more")
        options = {"idle": idle, "backpressure": backpressure, "seed": seed, "timeout": None}
        ends = unsigned("cycles", cycles, 63), unsigned("reset", reset, 63)

        def run(*arguments):
            return self._library.harness_abandon(*arguments, *ends)

        self._run(run, frames, errors, metas, None, settings, options)

    def _run(self, run, frames, errors, metas, marks, settings, options):
        lengths = np.fromiter(map(len, frames), np.uint64, len(frames))
        if not lengths.all():
            raise ValueError(f"frame {np.argmin(lengths)} is empty; a packet has 1 byte or more")
        chances = rates(options["idle"], options["backpressure"])
        if (timeout := options["timeout"]) is None:
            timeout = math.ceil(TIMEOUT / (1 - max(chances)))
        arrays = {
            "starts": np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64),
            "errors": column("errors", errors, len(frames), 1).astype(np.uint8),
            "metas": column("metas", metas, len(frames), META_BITS),
            "marks": marks_within(marks, lengths),
        }
        batch = CBatch(
            frames=len(frames),
            bytes=b"".join(frames),
            seed=unsigned("seed", options["seed"], 62),
            idle=chance(chances[0]),
            stall=(ctypes.c_uint64 * 3)(*map(chance, chances[1:])),
            timeout=unsigned("timeout", timeout, 63),
            drain=DRAIN,
            **{name: array.ctypes.data for name, array in arrays.items()},
        )
        self._set(settings)
        return self._records(run, batch, arrays["metas"], lengths)

    def _set(self, settings):
        if settings is None:
            settings = reset_settings()
        value = unsigned("settings", settings, SETTINGS_BITS)
        size = 4 * math.ceil(SETTINGS_BITS / 32)
        self._library.harness_settings(self._open(), value.to_bytes(size, "little"))

    def _records(self, run, batch, metas, lengths):
        count = batch.frames
        headers, trailers = (
            np.zeros((count, math.ceil(bits / 8)), np.uint8) for bits in (HEADER_BITS, TRAILER_BITS)
        )
        times = np.zeros((count, len(Time)), np.uint64)
        tables = {"headers": headers, "trailers": trailers, "times": times}
        results = CResults(**{name: table.ctypes.data for name, table in tables.items()})
        fault = CFault()
        if run(self._open(), batch, results, fault):
            given = headers[: results.header_records], trailers[: results.trailer_records]
            raise engine_error(batch, results, fault, misfit(*given, metas, lengths))
        return Records(headers, trailers, times.astype(np.int64), results.cycles - DRAIN)
