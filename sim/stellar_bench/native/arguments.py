"""Checks of the engine's arguments; each message quotes the value and says what would be right."""

from collections.abc import Mapping

import numpy as np

from stellar_spec.records import SETTINGS

__all__ = ["chance", "column", "marks_within", "rates", "reset_settings", "unsigned"]

STALLED = ("o", "header", "trailer")
"""Streams that can be stalled, in the harness' order."""


def unsigned(name, value, bits):
    """``value``, or what its ``pack()`` returns, as an integer of ``bits`` bits."""
    number = int(value.pack() if hasattr(value, "pack") else value)
    if not 0 <= number < 1 << bits:
        raise ValueError(f"{name} is {value!r}; it must be 0 to 2^{bits} - 1")
    return number


def rates(idle, backpressure):
    """The chances of idle cycles at ``i`` and of stalls at ``o``, ``header``, ``trailer``."""
    if isinstance(backpressure, Mapping):
        if unknown := sorted(set(backpressure) - set(STALLED)):
            raise ValueError(f"backpressure of {unknown}; streams are {', '.join(STALLED)}")
    else:
        backpressure = dict.fromkeys(STALLED, backpressure)
    found = [("idle", idle), *((f"backpressure of {s}", backpressure.get(s, 0)) for s in STALLED)]
    for name, value in found:
        if not 0 <= value < 1:
            raise ValueError(f"{name} is {value!r}; a chance of 0 or more, below 1, is needed")
    return [value for _, value in found]


def chance(rate):
    """``rate`` in units of 2^-32."""
    return int(rate * (1 << 32))


def column(name, values, count, bits):
    """One unsigned number of ``bits`` bits for each of ``count`` frames; zeros for ``None``."""
    if values is None:
        return np.zeros(count, np.uint64)
    if len(values) != count:
        raise ValueError(f"{name} has {len(values)} entries for {count} frames; one each is needed")
    checked = (unsigned(f"{name}[{at}]", value, bits) for at, value in enumerate(values))
    return np.fromiter(checked, np.uint64, count)


def marks_within(marks, lengths):
    """The marks, each from 1 to the frame's length; the lengths for ``None``."""
    if marks is None:
        return lengths
    return np.clip(column("marks", marks, len(lengths), 64), np.uint64(1), lengths)


def reset_settings():
    """The settings after reset, packed."""
    value, low = 0, 0
    for setting in SETTINGS:
        value |= setting.reset << low
        low += setting.width
    return value
