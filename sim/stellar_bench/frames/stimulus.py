"""A frame for the parser, and the settings that it meets there."""

from dataclasses import dataclass

from stellar_model import Settings
from stellar_spec.headers import STELLAR_PORT

__all__ = [
    "OTHER_PORT",
    "OWN_IPV4",
    "OWN_IPV6",
    "SETTINGS_SETS",
    "SHORT",
    "TRIM_DSCP",
    "Stimulus",
]

OWN_IPV4 = 0x0A000002
OWN_IPV6 = 0xFD << 120 | 2
"""The destinations that ``stellar_model.build`` writes, taken as this card's."""

TRIM_DSCP = 0b000100
OTHER_PORT = 4793
SHORT = 200  # bytes

SETTINGS_SETS = {
    "default": Settings(),
    "filter": Settings(filter=1, own_ipv4=OWN_IPV4, own_ipv6=OWN_IPV6),
    "trim": Settings(trim=1, trim_dscp=TRIM_DSCP),
    "flag": Settings(check_flag=1),
    "port": Settings(stellar_port=OTHER_PORT),
    "short": Settings(max_length=SHORT),
    "inverse": Settings(
        filter=1,
        own_ipv4=2**32 - 1 ^ OWN_IPV4,
        own_ipv6=2**128 - 1 ^ OWN_IPV6,
        stellar_port=2**16 - 1 ^ STELLAR_PORT,
        trim=1,
        trim_dscp=2**6 - 1 ^ TRIM_DSCP,
        check_flag=1,
        max_length=2**9 - 1 ^ SHORT,
    ),
}
"""The parser's settings that the frames are made for, by name.

``inverse`` has each bit of a setting as no other set has it, so that no bit may stick.
"""


@dataclass(frozen=True)
class Stimulus:
    """``data`` as it enters the parser, at least one byte and without FCS.

    ``name`` says what the frame is for; ``error`` is that of the last beat; ``settings`` names
    one of ``SETTINGS_SETS``.
    """

    name: str
    data: bytes
    error: bool = False
    settings: str = "default"

    def __post_init__(self):
        if not self.data:
            raise ValueError(f"stimulus {self.name!r} has no bytes; a frame has at least 1")
        if self.settings not in SETTINGS_SETS:
            raise ValueError(
                f"stimulus {self.name!r} names the settings {self.settings!r};"
                f" there are {', '.join(SETTINGS_SETS)}"
            )
