"""Frames for the dissector, as captures: one for each set of settings that it can be told of."""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import stellar_hostile
from stellar_model import Settings
from stellar_model.parser import follow
from stellar_model.walk import Walk
from stellar_sdk.capture import Frame, write_pcap

from ..frames import SETTINGS_SETS, directed_frames, random_frames
from ..vectors import load

__all__ = ["Capture", "golden_frames", "hostile_frames", "stimuli", "write"]


@dataclass(frozen=True)
class Capture:
    """A written capture: its frames in order, and the settings that all of them meet."""

    path: Path
    settings: Settings
    frames: list[tuple[str, bytes]]

    @property
    def preferences(self) -> dict[str, object]:
        """The settings as preferences of the dissector."""
        return {
            "stellartp.port": self.settings.stellar_port,
            "stellartp.trim": "TRUE" if self.settings.trim else "FALSE",
            "stellartp.trim_dscp": self.settings.trim_dscp,
        }


def stimuli(seed: int, count: int) -> list[tuple[str, bytes, Settings]]:
    """The directed frames, and ``count`` random ones, with name and settings."""
    made = directed_frames() + random_frames(random.Random(seed), count)
    return [(stimulus.name, stimulus.data, SETTINGS_SETS[stimulus.settings]) for stimulus in made]


def hostile_frames(seed: int, limit: int | None = None) -> list[tuple[str, bytes, Settings]]:
    """The hostile frames, ``limit`` of each family or all, with name and settings."""
    made = stellar_hostile.frames(seed=seed, limit=limit)
    return [(frame.name, frame.data, Settings(**frame.settings)) for frame in made]


def golden_frames() -> list[tuple[str, bytes, Settings]]:
    """The hand-typed frames with their settings."""
    return [(v.name, v.frame, Settings(**v.settings)) for v in load()]


def write(folder: Path, frames: Iterable[tuple[str, bytes, Settings]]) -> list[Capture]:
    """Write the frames into ``folder``, one capture for each group of settings.

    The dissector does not filter by the card's addresses, and nothing of a capture tells of the
    MAC's errors, so these two are left out.  A candidate that the frame's end cuts is written as
    a capture with a snap length shows it: with the IP packet's length as that on the wire.
    """
    groups: dict[Settings, list[tuple[str, bytes]]] = {}
    for name, data, settings in frames:
        plain = Settings(
            stellar_port=settings.stellar_port,
            trim=settings.trim,
            trim_dscp=settings.trim_dscp,
        )
        groups.setdefault(plain, []).append((name, data))
    folder.mkdir(parents=True, exist_ok=True)
    captures = []
    for number, (settings, group) in enumerate(groups.items()):
        path = folder / f"group{number}.pcap"
        write_pcap(path, (_frame(i, data, settings) for i, (_, data) in enumerate(group)))
        captures.append(Capture(path, settings, group))
    return captures


def _frame(index: int, data: bytes, settings: Settings) -> Frame:
    walk = Walk(data, settings)
    follow(walk)
    end = walk.offsets["l3"] + walk.header["ip"]["total_length"]
    wire = max(len(data), end) if walk.candidate else len(data)
    return Frame(index + 1, data, wire, index * 1000)
