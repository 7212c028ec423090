"""Runs ``stellar-analyzer parse`` in this process, and writes captures for it."""

import json
from typing import NamedTuple

from stellar_sdk.analyzer import main
from stellar_sdk.capture import Frame, write_pcap

__all__ = ["Run", "capture", "parse"]


class Run(NamedTuple):
    """How a run ended: its exit code, the objects on stdout, the text on stderr."""

    code: int
    objects: list[dict]
    errors: str


def parse(capsys, *arguments, engine=None) -> Run:
    """One run of ``stellar-analyzer parse`` with ``arguments``."""
    try:
        code = main(["parse", *map(str, arguments)], engine=engine)
    except SystemExit as error:  # argparse leaves this way
        code = error.code
    written = capsys.readouterr()
    return Run(code, [json.loads(line) for line in written.out.splitlines()], written.err)


def capture(path, *frames):
    """A pcap at ``path`` with ``frames``, bytes or ``Frame``; returns ``path``."""
    rows = [
        frame if isinstance(frame, Frame) else Frame(number, frame, len(frame), 0)
        for number, frame in enumerate(frames, 1)
    ]
    write_pcap(path, rows)
    return path
