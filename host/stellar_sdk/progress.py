"""A progress line on stderr for long work, so that nobody takes it for hung."""

import sys
from collections.abc import Iterable
from typing import TextIO

from tqdm import tqdm

__all__ = ["progress"]

_TERMINAL_INTERVAL = 0.25  # seconds between two updates of the line that a person watches
_LOG_INTERVAL = 10.0  # the same where the text is kept, as in a log


def progress(
    items: Iterable | None = None,
    *,
    label: str,
    unit: str = "frames",
    total: int | None = None,
    delay: float = 2.0,
    file: TextIO | None = None,
) -> tqdm:
    """Iterate over ``items``, or count by ``update(n)`` in a ``with`` block; show how far it is.

    Nothing is shown in the first ``delay`` seconds, so short work stays silent. The line disappears
    at the end or at an error. ``file`` is stderr unless given; ``total`` adds a percentage and the
    time left.
    """
    file = sys.stderr if file is None else file
    return tqdm(
        items,
        desc=label,
        unit=f" {unit}",
        total=total,
        delay=delay,
        file=file,
        leave=False,
        mininterval=_TERMINAL_INTERVAL if file.isatty() else _LOG_INTERVAL,
    )
