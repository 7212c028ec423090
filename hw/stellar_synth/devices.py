"""The devices that are measured, as nextpnr-ecp5 knows them."""

from dataclasses import dataclass

__all__ = ["DEVICES", "SPEEDS", "Target"]

DEVICES = {
    "12k": ("--12k", "LFE5U-12F"),
    "25k": ("--um-25k", "LFE5UM-25F"),
    "45k": ("--um-45k", "LFE5UM-45F"),
    "85k": ("--um-85k", "LFE5UM-85F"),
}
"""Name → option of nextpnr-ecp5, part."""

SPEEDS = ("6", "7", "8")
"""Speed grades; 6 is the slowest."""

PACKAGE = "CABGA381"  # which all of them have


@dataclass(frozen=True)
class Target:
    """A device and its speed grade.

    Raises ``ValueError`` for one that is not in :data:`DEVICES` and :data:`SPEEDS`.
    """

    device: str
    speed: str

    def __post_init__(self) -> None:
        if self.device not in DEVICES:
            raise ValueError(
                f"no device is called {self.device!r}; there are: {', '.join(DEVICES)}"
            )
        if self.speed not in SPEEDS:
            raise ValueError(f"no speed grade is {self.speed!r}; there are: {', '.join(SPEEDS)}")

    @property
    def part(self) -> str:
        """The part's number, for example ``LFE5UM-45F-6CABGA381``."""
        return f"{DEVICES[self.device][1]}-{self.speed}{PACKAGE}"

    @property
    def options(self) -> tuple[str, ...]:
        """What tells nextpnr-ecp5 of it."""
        return (DEVICES[self.device][0], "--package", PACKAGE, "--speed", self.speed)
