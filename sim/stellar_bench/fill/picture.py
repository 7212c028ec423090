"""The measurement as a picture: how fills are distributed, and what an insertion costs by then.

Drawn by matplotlib, which ``make bench BLOCK=flow_table`` installs.  The same figures give the same
file.
"""

from pathlib import Path

import numpy as np

from .measure import Filling
from .table import LEAST, Found

__all__ = ["PictureError", "costs", "distribution", "draw", "library"]

LOWEST = 0.4
"""Fill from which on the cost is drawn; below, it hardly changes."""
_STYLE = {"svg.hashsalt": "fill", "svg.fonttype": "none", "font.size": 9, "axes.grid": True}
_STYLE |= {"grid.alpha": 0.3, "legend.frameon": False, "legend.fontsize": 8}


class PictureError(RuntimeError):
    """There is nothing to draw with."""


def distribution(fillings: list[Filling]) -> tuple[np.ndarray, np.ndarray]:
    """Fills in order, and the share of tables that were FULL at that fill or below."""
    fills = np.sort([filling.share for filling in fillings])
    return fills, np.arange(1, len(fills) + 1) / len(fills)


def costs(fillings: list[Filling]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fills in steps of a hundredth, and of the insertions of each step mean and 99th percentile.

    It ends where not every table has insertions.
    """
    whole = fillings[0].slots + 1
    least = min(filling.present for filling in fillings)
    shares = [
        at / 100 for at in range(round(LOWEST * 100), 101) if round(at / 100 * whole) <= least
    ]
    steps = [np.concatenate([filling.around(share) for filling in fillings]) for share in shares]
    kept = [(share, step) for share, step in zip(shares, steps, strict=True) if len(step)]
    means = [step.mean() for _, step in kept]
    highest = [np.percentile(step, 99) for _, step in kept]
    return np.array([share for share, _ in kept]), np.array(means), np.array(highest)


def library():
    """matplotlib, set up to draw without a screen.  Raises :class:`PictureError` without it."""
    try:
        import matplotlib.figure
    except ImportError as error:
        raise PictureError(
            f"no picture without matplotlib ({error}); `make bench BLOCK=flow_table` installs it"
        ) from None
    return matplotlib


def draw(found: Found, path: Path) -> None:
    """Writes the picture to ``path``, an SVG file.  Raises :class:`PictureError`."""
    matplotlib = library()
    with matplotlib.rc_context(_STYLE):
        figure = matplotlib.figure.Figure(figsize=(9.5, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        _draw_fills(left, found)
        _draw_costs(right, found)
        figure.savefig(path, format="svg", metadata={"Date": None})


def _draw_fills(axes, found):
    for (slots, lookups), fillings in found.items():
        if lookups:  # the same keys and seeds, so the same fills
            continue
        fills, shares = distribution(fillings)
        axes.step(100 * fills, 100 * shares, where="post", label=f"{slots:,} slots")
    axes.axvline(100 * LEAST, color="black", linestyle=":", label="required of the 5th percentile")
    axes.set_xlabel("keys at the first FULL, % of all slots")
    axes.set_ylabel("% of tables FULL by then")
    axes.legend(loc="lower right")


def _draw_costs(axes, found):
    colors = {}
    for (slots, lookups), fillings in found.items():
        shares, means, highest = costs(fillings)
        color = colors.setdefault(slots, f"C{len(colors)}")
        style, beside = ("--", ", a lookup every cycle") if lookups else ("-", "")
        axes.plot(100 * shares, means, style, color=color, label=f"{slots:,} slots{beside}")
        axes.plot(100 * shares, highest, style, color=color, linewidth=0.6)
    axes.set_yscale("log")
    axes.set_xlabel("keys present, % of all slots")
    axes.set_ylabel("cycles an insertion: mean; thin: 99th percentile")
    axes.legend()
