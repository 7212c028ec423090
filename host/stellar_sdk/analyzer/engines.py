"""Where records come from: the golden model, the gateware under Verilator, or both, compared."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from stellar_model import Settings, batch
from stellar_spec.records import HEADER_RECORD, TRAILER_RECORD

__all__ = [
    "BothEngine",
    "Difference",
    "EngineFailure",
    "EngineMissing",
    "ModelEngine",
    "RtlEngine",
    "first_difference",
]

Records = tuple[dict, dict]
"""A frame's header and trailer record."""


class EngineMissing(Exception):
    """The gateware can't be simulated here; the message says what to install."""


class EngineFailure(Exception):
    """The gateware broke a rule of its streams with the frame at ``index`` of the batch."""

    def __init__(self, message: str, index: int):
        super().__init__(message)
        self.index = index


class Difference(EngineFailure):
    """Gateware and model differ in the frame at ``index`` of the batch."""

    def __init__(self, index: int, field: str, model: int, rtl: int):
        super().__init__(f"{field} differs: model {model:#x}, gateware {rtl:#x}", index)


class ModelEngine:
    """The golden model, in its form for many frames."""

    def __init__(self, settings: Settings):
        self._settings = settings

    def records(self, frames: Sequence[bytes]) -> Iterator[Records]:
        """The records of ``frames``."""
        return batch.parse(frames, settings=self._settings).records()

    def close(self) -> None:
        """Nothing to free."""


class RtlEngine:
    """The parser's gateware, ``width`` bytes a beat; ``verilog`` names a file to use in its place.

    Raises ``EngineMissing`` when something is not installed.
    """

    def __init__(self, settings: Settings, width: int, verilog: Path | None = None):
        try:
            from stellar_bench.native.engine import NativeParser
            from stellar_bench.native.faults import EngineError
            from stellar_bench.verilate import BuildError
        except ImportError as error:
            raise EngineMissing(
                f"the gateware engine needs the package {error.name!r}, which is not installed;"
                " install the project with its simulation extra: pip install -e '.[sim]'"
            ) from error
        self._settings = settings
        self._failure = EngineError
        try:
            self._parser = NativeParser(width=width, verilog=verilog)
        except ImportError as error:
            raise EngineMissing(
                f"the gateware engine needs the package {error.name!r}, which is not installed;"
                " install the project with its simulation extra: pip install -e '.[sim]'"
            ) from error
        except UnicodeDecodeError as error:
            raise EngineMissing(f"{str(verilog)!r} is no Verilog: it is not text") from error
        except (BuildError, OSError, ValueError) as error:
            raise EngineMissing(f"the gateware can't be simulated: {error}") from error

    def records(self, frames: Sequence[bytes]) -> Iterator[Records]:
        """The records of ``frames``; raises ``EngineFailure`` behind those in front of it."""
        try:
            yield from self._run(frames)
        except self._failure as error:
            # The run gave no records at all; the frames in front of the failure have some.
            with suppress(self._failure):
                yield from self._run(frames[: error.frame])
            message = f"the gateware fails; in its batch: {error}"
            raise EngineFailure(message, error.frame) from error

    def _run(self, frames: Sequence[bytes]) -> Iterator[Records]:
        given = self._parser.run_batch(frames, settings=self._settings)
        return batch.decode(given.headers, given.trailers).records()

    def close(self) -> None:
        """Frees the simulation."""
        self._parser.close()


def first_difference(model: Records, rtl: Records) -> tuple[str, int, int] | None:
    """The first field in which two pairs of records differ, and both values."""
    if model == rtl:  # as nearly always, and far quicker than field by field
        return None
    for group in HEADER_RECORD:
        for field in group.fields:
            ours, theirs = (pair[0][group.name][field.name] for pair in (model, rtl))
            if ours != theirs:
                return f"{group.name}.{field.name}", ours, theirs
    for field in TRAILER_RECORD[0].fields:
        ours, theirs = (pair[1][field.name] for pair in (model, rtl))
        if ours != theirs:
            return f"trailer.{field.name}", ours, theirs
    return None


class BothEngine:
    """Two engines side by side; what they agree on counts."""

    def __init__(self, model, rtl):
        self._model = model
        self._rtl = rtl

    def records(self, frames: Sequence[bytes]) -> Iterator[Records]:
        """The records of ``frames``; raises ``Difference`` and ``EngineFailure``."""
        pairs = zip(self._model.records(frames), self._rtl.records(frames), strict=True)
        for index, (model, rtl) in enumerate(pairs):
            if found := first_difference(model, rtl):
                raise Difference(index, *found)
            yield model

    def close(self) -> None:
        """Frees both."""
        self._model.close()
        self._rtl.close()
