"""``python -m stellar_bench.fill``: measure fills and costs."""

import sys

from .command import main

__all__ = []

if __name__ == "__main__":
    sys.exit(main())
