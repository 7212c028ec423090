"""Other themes' frames once more behind a VLAN tag, so that each word stands elsewhere in its beat.

A beat of eight bytes holds two words, and each has its own logic; without a tag a header word
always meets the same. The packet's own bytes stay, so that lengths and sums are right or wrong as
they were.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from stellar_spec.codes import TPIDS
from stellar_spec.headers import ETHERNET

from .chains import chains
from .ipv4 import ipv4
from .ipv6 import ipv6
from .policy import pairs
from .stellar import stellar
from .stimulus import Stimulus
from .telemetry import telemetry
from .trimmed import trimmed
from .udp import udp

__all__ = ["alignment", "behind_a_tag"]

ADDRESSES = ETHERNET.offset("type") // 8
THEMES = (ipv4, ipv6, pairs, chains, udp, stellar, telemetry, trimmed)
STEP = 8


def alignment() -> Iterator[Stimulus]:
    """One frame in ``STEP`` of each theme; all of them take a fast simulator."""
    for theme in THEMES:
        yield from behind_a_tag(list(theme())[::STEP])


def behind_a_tag(stimuli: Iterable[Stimulus]) -> Iterator[Stimulus]:
    """Each of ``stimuli`` with one more tag in front; too short for a type, it stays away."""
    for place, stimulus in enumerate(stimuli):
        data = stimulus.data
        if len(data) >= ETHERNET.size:
            tag = TPIDS[place % len(TPIDS)].to_bytes(2, "big") + (0x2A5C ^ place).to_bytes(2, "big")
            tagged = data[:ADDRESSES] + tag + data[ADDRESSES:]
            yield replace(stimulus, name=f"tagged/{stimulus.name}", data=tagged)
