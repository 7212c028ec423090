"""Checks of constructor parameters, with messages that say what would be right."""

from amaranth.hdl import Shape

__all__ = ["check_choice", "check_flag", "check_int", "check_power_of_two", "check_shape"]


def check_int(name, value, *, low, high=None):
    """Return ``value`` if it is an integer of at least ``low`` and at most ``high``.

    Raises
    ------
    TypeError
        If it is no integer (``bool`` is none either).
    ValueError
        If it lies outside the range.
    """
    _check_type(name, value)
    if value < low or (high is not None and value > high):
        span = f"at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be {span}, not {value}")
    return value


def check_flag(name, value):
    """Return ``value`` if it is ``True`` or ``False``.  Raises ``TypeError`` if not."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return value


def check_choice(name, value, choices):
    """Return ``value`` if it is one of ``choices``.

    Raises
    ------
    TypeError
        If it is no integer.
    ValueError
        If it is another integer.
    """
    _check_type(name, value)
    if value not in choices:
        listed = ", ".join(str(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {listed}, not {value}")
    return value


def check_power_of_two(name, value, *, low):
    """Return ``value`` if it is a power of two of at least ``low``.

    Raises
    ------
    TypeError
        If it is no integer.
    ValueError
        If it is smaller or no power of two; the message names the next one.
    """
    check_int(name, value, low=low)
    if value & (value - 1):
        raise ValueError(
            f"{name} must be a power of two, not {value}; the next is {1 << value.bit_length()}"
        )
    return value


def check_shape(name, value, *, low=1):
    """Return ``value`` if it is shape-like and at least ``low`` bits wide.

    Raises
    ------
    TypeError
        If Amaranth can't make a shape of it.
    ValueError
        If it has fewer bits.
    """
    try:
        width = Shape.cast(value).width
    except TypeError:
        raise TypeError(
            f"{name} must be a shape, for example 8 or a layout, not {value!r}"
        ) from None
    if width < low:
        raise ValueError(f"{name} must have at least {low} bit(s), not {value!r}")
    return value


def _check_type(name, value):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an integer, not {value!r}")
