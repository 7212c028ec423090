"""Waveforms of Amaranth's simulator, when ``STELLAR_WAVES=1`` asks for them."""

import contextlib
import os
import re
from collections.abc import Iterator

from .verilate import build_root

__all__ = ["recorded", "wanted"]


def wanted() -> bool:
    """Whether the run is to write waveforms."""
    return os.environ.get("STELLAR_WAVES") == "1"


@contextlib.contextmanager
def recorded(simulator) -> Iterator[None]:
    """Records ``simulator`` into ``build/waves``, one file for each pytest test, and says where."""
    if not wanted():
        yield
        return
    test = os.environ.get("PYTEST_CURRENT_TEST", "simulation").split(" ")[0]
    path = build_root() / "waves" / (re.sub(r"[^A-Za-z0-9_.-]+", "-", test) + ".vcd")
    path.parent.mkdir(parents=True, exist_ok=True)
    print(f"waves: {path}")
    with simulator.write_vcd(str(path)):
        yield
