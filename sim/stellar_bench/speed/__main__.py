"""``python -m stellar_bench.speed``: measure the rates."""

import sys

from .command import main

__all__ = []

if __name__ == "__main__":
    sys.exit(main())
