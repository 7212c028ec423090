"""The known-good frame that stands behind a hostile one."""

from collections.abc import Iterable, Iterator, Mapping

from stellar_model import build
from stellar_spec.headers import STELLAR_PORT
from stellar_spec.opcodes import Opcode

from .frame import Hostile, mac
from .pieces import extensions, send

__all__ = ["GOOD", "OWN", "good", "interleaved"]

GOOD = "good"
"""Name and family of the good frame."""

OWN = {"filter": 1, "own_ipv4": 0x0A000002, "own_ipv6": 0xFD << 120 | 2}
"""An address filter that lets the builder's usual destinations pass."""


def good(settings: Mapping[str, int] | None = None) -> Hostile:
    """A frame that nobody can find fault with: StellarTP over IPv4, right in every sum.

    SEND_IMM with INT, in a tagged frame of 94 bytes.  Under other ``settings`` it is the same
    frame, but for the destination: a filter's own address, StellarTP's port.  A length limit below
    its own makes it too long.
    """
    settings = dict(settings or {})
    dst = settings.get("own_ipv4", 0) if settings.get("filter") else OWN["own_ipv4"]
    port = settings.get("stellar_port", STELLAR_PORT)
    packet = send(
        b"known to be good",
        opcode=Opcode.SEND_IMM,
        udp={"checksum": None, "dport": port},
        **extensions(["IMM", "INT"]),
    )
    frame = build.ethernet(build.vlan(build.ipv4(packet, dst=dst), pcp=3, vid=0x123), dst=mac(0))
    return Hostile(GOOD, GOOD, frame, False, "a good frame", settings)


def interleaved(frames: Iterable[Hostile]) -> Iterator[Hostile]:
    """``frames`` with the good frame behind each, under the settings of the one in front."""
    cache = {}
    for frame in frames:
        key = tuple(sorted(frame.settings.items()))
        if key not in cache:
            cache[key] = good(frame.settings)
        yield frame
        yield cache[key]
