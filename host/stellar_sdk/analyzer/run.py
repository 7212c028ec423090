"""Takes a capture through an engine in batches and writes what comes out."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ..capture import CaptureError, Frame, read_capture
from ..progress import progress
from .engines import EngineFailure
from .render import render, render_empty

__all__ = ["BATCH", "BATCH_BYTES", "Output", "OutputError", "analyze"]

BATCH = 4096
"""Frames that an engine takes at once; with ``BATCH_BYTES`` it bounds the memory."""

BATCH_BYTES = 1 << 24
"""Bytes of frames that are enough for a batch."""


_encode = json.JSONEncoder(check_circular=False).encode


class OutputError(Exception):
    """The output can't be written; the message says why."""


class Output:
    """JSON lines to a file, or to stdout for ``-``.  A reader that goes away is no error.

    ``kept`` are files, by what they are, that must not be written over.  Raises ``OutputError``.
    """

    def __init__(self, name: str, kept: dict[str, Path | None]):
        self._name = name
        if name == "-":
            self._file = sys.stdout
            return
        for what, path in kept.items():
            if path is not None and _same(Path(name), path):
                raise OutputError(f"--json {name!r} is {what}; name another file")
        try:
            self._file = open(name, "w", encoding="utf-8")
        except OSError as error:
            raise self._failed(error) from error

    @property
    def on_terminal(self) -> bool:
        """The lines go where a progress line would stand between them."""
        return self._file.isatty()

    def write(self, record: dict) -> None:
        """Writes one line; raises ``BrokenPipeError`` when the reader has gone away."""
        try:
            self._file.write(_encode(record) + "\n")
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> OutputError:
        where = "stdout" if self._name == "-" else f"--json {self._name!r}"
        return OutputError(f"{where} can't be written: {error.strerror or error}")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        failed = None
        try:
            self._file.flush()
        except OSError as flushing:
            failed = flushing
            # What is left in the buffer is written once more at the end, and must not fail there.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._file.fileno())
        if self._name != "-":
            self._file.close()
        if error is None and failed and not isinstance(failed, BrokenPipeError):
            raise self._failed(failed) from failed
        return isinstance(error or failed, BrokenPipeError)


def _same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()


def analyze(source: Path, engine, output: Output) -> Iterator[tuple[Frame, EngineFailure]]:
    """Writes an object for each frame; yields the frame at which the engine failed, and stops.

    Raises ``CaptureError`` and ``OSError`` when the capture can't be read on; what could be read
    has been written then.
    """
    with progress(label="parse", delay=float("inf") if output.on_terminal else 2.0) as bar:
        for batch in _batches(source):
            filled = [frame for frame in batch if frame.data]
            records = engine.records([frame.data for frame in filled])
            for frame in batch:
                if not frame.data:
                    output.write(render_empty(frame))
                    continue
                try:
                    header, trailer = next(records)
                except EngineFailure as error:
                    yield filled[error.index], error
                    return
                output.write(render(frame, header, trailer))
            bar.update(len(batch))


def _batches(source: Path) -> Iterator[list[Frame]]:
    """The frames of ``source`` in lists; an error comes behind the frames in front of it."""
    batch, size, failed = [], 0, None
    try:
        for frame in read_capture(source):
            batch.append(frame)
            size += len(frame.data)
            if len(batch) == BATCH or size >= BATCH_BYTES:
                yield batch
                batch, size = [], 0
    except (CaptureError, OSError) as error:
        failed = error
    if batch:
        yield batch
    if failed:
        raise failed
