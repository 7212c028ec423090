"""The technologies that components of this room are made for."""

__all__ = ["TECHNOLOGIES", "check_technology"]

TECHNOLOGIES = ("generic", "ecp5")
"""``generic``: left to synthesis, for any device and for simulation; ``ecp5``: cells of Lattice's
ECP5 family."""


def check_technology(value):
    """Return ``value`` if it is one of :data:`TECHNOLOGIES`; raises ``ValueError`` if not."""
    if value not in TECHNOLOGIES:
        raise ValueError(f"technology must be one of {', '.join(TECHNOLOGIES)}, not {value!r}")
    return value
