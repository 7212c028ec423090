"""Frames from capture files, as they were captured: some are cut by a snap length."""

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from stellar_sdk.capture import read_capture

from ..inputs import captures
from .stimulus import Stimulus

__all__ = ["corpus_frames"]


def corpus_frames(path: str | PathLike) -> Iterator[Stimulus]:
    """Every frame of the capture ``path``, or of all captures in the folder ``path`` by name.

    A frame without bytes is left out.  Raises what ``read_capture`` raises, and ``ValueError``
    for a folder without captures.
    """
    path = Path(path)
    files = [path]
    if path.is_dir():
        files = captures(path)
        if not files:
            raise ValueError(f"{path} holds no captures; they are called *.pcap or *.pcapng")
    for file in files:
        for frame in read_capture(file):
            if frame.data:
                yield Stimulus(f"{file.name}/{frame.number}", frame.data)
