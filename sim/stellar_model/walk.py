"""What the parser's steps share: the frame, what has been found out, and how a walk ends."""

from dataclasses import dataclass

from stellar_spec.codes import Flag, Layer
from stellar_spec.records import HEADER_RECORD

from .records import Settings

__all__ = ["NO_FLAG", "WORD", "Stop", "Walk"]

NO_FLAG = Flag(0)
NO_LAYER = Layer(0)
NOTHING_SHOWN = {g.name: dict.fromkeys((f.name for f in g.fields), 0) for g in HEADER_RECORD}

WORD = 4
"""Bytes of a word."""


class Stop(Exception):
    """No further header is looked for; ``at`` is the last header byte's end."""

    def __init__(self, at: int):
        super().__init__(at)
        self.at = at


@dataclass
class Walk:
    """A frame and what the steps of docs/parser.md have found out about it so far."""

    frame: bytes
    settings: Settings

    flags: Flag = NO_FLAG
    layers: Layer = NO_LAYER
    ip_payload: float = 0  # bytes; infinite for a jumbogram
    source_route: bool = False
    segments_left: bool = False
    home_address: bool = False
    jumbogram: bool = False
    trimmed: bool = False
    candidate: bool = False
    truncated: bool = False
    other_version: bool = False
    bad_opcode: bool = False
    bad_extension: bool = False

    def __post_init__(self):
        self.n = len(self.frame)
        self.header = {name: dict(group) for name, group in NOTHING_SHOWN.items()}
        self.offsets = self.header["offsets"]

    def need(self, end: int, flag: Flag = NO_FLAG) -> None:
        """Go on when all bytes in front of ``end`` are there; else raise ``flag`` and stop."""
        if end > self.n:
            self.flags |= flag
            raise Stop(self.n)

    def show(self, layer: Layer, values: dict[str, int], payload: int) -> None:
        """Show ``layer``: of ``values`` what its group has, and ``offsets.payload`` behind it."""
        self.layers |= layer
        group = self.header[layer.name.lower()]
        for name in group.keys() & values.keys():
            group[name] = values[name]
        self.offsets["payload"] = payload
