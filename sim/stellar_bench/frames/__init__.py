"""Stimulus frames for the parser: directed ones by theme, random ones, those of captures.

``directed_frames`` is the same list in every run; each theme is a module, and ``THEMES`` names
them in order.  ``random_frames`` and ``corpus_frames`` come on top.  What a frame's records ought
to be is the golden model's to say.
"""

from .alignment import alignment
from .chains import chains
from .check import check
from .comparisons import comparisons
from .corpus import corpus_frames
from .cuts import cuts
from .edges import edges
from .ethernet import ethernet
from .followers import followers
from .ipv4 import ipv4
from .ipv6 import ipv6
from .lengths import lengths
from .long import long_frames
from .mixture import random_frames
from .policy import policy
from .stellar import stellar
from .stimulus import SETTINGS_SETS, Stimulus
from .telemetry import telemetry
from .trimmed import trimmed
from .udp import udp

__all__ = [
    "SETTINGS_SETS",
    "THEMES",
    "Stimulus",
    "corpus_frames",
    "directed_frames",
    "long_frames",
    "random_frames",
]

THEMES = {
    "lengths": lengths,
    "ethernet": ethernet,
    "ipv4": ipv4,
    "ipv6": ipv6,
    "chains": chains,
    "udp": udp,
    "cuts": cuts,
    "stellar": stellar,
    "telemetry": telemetry,
    "check": check,
    "trimmed": trimmed,
    "policy": policy,
    "edges": edges,
    "followers": followers,
    "comparisons": comparisons,
    "alignment": alignment,
}
"""The directed frames' themes: name and generator."""


def directed_frames() -> list[Stimulus]:
    """Every theme's frames in order; of equal ones (error and settings too) the first stays."""
    seen, frames = set(), []
    for theme in THEMES.values():
        for stimulus in theme():
            key = (stimulus.data, stimulus.error, stimulus.settings)
            if key not in seen:
                seen.add(key)
                frames.append(stimulus)
    return frames
