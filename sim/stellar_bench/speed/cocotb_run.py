"""cocotb's side: starts the simulation of ``testbench`` and fetches what it found.

The simulator is another process: frames go there, and records come back, as numpy files.
"""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from stellar_model import Settings
from stellar_model.batch import HEADER_BYTES, TRAILER_BYTES, Columns, decode

from ..benches import Bench
from ..results import read_verdicts
from ..verilate import build_root, cocotb_build

__all__ = ["FRAMES", "RECORDS", "WIDTH", "SpeedError", "read_frames", "run", "write_records"]

WIDTH = 8
"""Bytes a beat."""
FRAMES, RECORDS = "STELLAR_SPEED_FRAMES", "STELLAR_SPEED_RECORDS"
_SETTINGS = "STELLAR_SPEED_SETTINGS"
_BENCH = Bench("parser", WIDTH, "stellar_bench.speed.testbench")


class SpeedError(Exception):
    """cocotb's simulation has failed; the message says where its log is."""


def run(frames: Sequence[bytes]) -> tuple[Columns, float, float]:
    """The records of ``frames``; seconds of CPU and on the wall from first cycle to last record.

    Raises ``SpeedError``, and ``BuildError`` where the simulation can't be built.
    """
    from cocotb_tools.runner import get_runner

    build = cocotb_build(_BENCH.verilog(), _BENCH.name)
    folder = (build_root() / "speed").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    given, found, log = folder / "frames.npz", folder / "records.npz", folder / "sim.log"
    xml = folder / "results.xml"
    for path in (found, xml):
        path.unlink(missing_ok=True)
    lengths = np.fromiter(map(len, frames), np.int64, len(frames))
    np.savez(given, data=np.frombuffer(b"".join(frames), np.uint8), lengths=lengths)
    os.environ.pop("WAVES", None)  # cocotb would write waveforms
    with contextlib.suppress(RuntimeError, SystemExit):  # what went wrong shows in the results
        get_runner("verilator").test(
            test_module=_BENCH.testbench,
            hdl_toplevel=_BENCH.name,
            hdl_toplevel_lang="verilog",
            build_dir=build,
            test_dir=folder,
            results_xml=str(xml),
            extra_env={
                "COCOTB_REWRITE_ASSERTION_FILES": "",
                FRAMES: str(given),
                RECORDS: str(found),
                _SETTINGS: str(Settings().pack()),
            },
            log_file=log,
        )
    verdicts = read_verdicts(xml) if xml.exists() else {}
    if verdicts != {"speed": "passed"} or not found.exists():
        raise SpeedError(f"cocotb's run failed ({verdicts or 'no result'}); see {log}")
    with np.load(found) as tables:
        return decode(tables["headers"], tables["trailers"]), *tables["seconds"].tolist()


def read_frames(path: Path) -> list[bytes]:
    """The frames that ``run`` has written."""
    with np.load(path) as tables:
        data, lengths = tables["data"].tobytes(), tables["lengths"]
    ends = np.cumsum(lengths)
    return [data[end - size : end] for end, size in zip(ends, lengths, strict=True)]


def write_records(
    path: Path, headers: list[int], trailers: list[int], seconds: tuple[float, float]
) -> None:
    """Packed records and times, for ``run`` to read."""
    np.savez(
        path,
        headers=_table(headers, HEADER_BYTES),
        trailers=_table(trailers, TRAILER_BYTES),
        seconds=seconds,
    )


def _table(records: list[int], size: int) -> np.ndarray:
    raw = b"".join(record.to_bytes(size, "little") for record in records)
    return np.frombuffer(raw, np.uint8).reshape(-1, size)
