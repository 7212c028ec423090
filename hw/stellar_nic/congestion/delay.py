"""What goes along with a pipeline."""

from amaranth.hdl import Signal

__all__ = ["delayed"]


def delayed(m, value, cycles, name):
    """``value`` as it was ``cycles`` cycles ago; registers ``name_1``, ``name_2``, …, not reset."""
    for cycle in range(1, cycles + 1):
        later = Signal.like(value, name=f"{name}_{cycle}", reset_less=True)
        m.d.sync += later.eq(value)
        value = later
    return value
