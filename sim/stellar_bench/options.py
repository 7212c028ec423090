"""What command lines of this package read alike: types for ``argparse``.

Each gives an error that quotes what is wrong and says what would be right.
"""

import argparse
from collections.abc import Callable

from .inputs import read_seed

__all__ = ["number", "seed"]


def number(least: int, most: int, what: str) -> Callable[[str], int]:
    """A type of option: a decimal number from ``least`` to ``most``, called ``what`` in errors."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(
                f"{text!r} is no {what}; give a decimal number from {least} to {most}"
            )
        return int(text)

    return read


def seed(text: str) -> int:
    """A type of option: a seed, see :func:`stellar_bench.inputs.read_seed`."""
    try:
        return read_seed(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
