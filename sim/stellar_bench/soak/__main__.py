"""``python -m stellar_bench.soak``: run the soak of a block."""

import sys

from .command import main

__all__ = []

if __name__ == "__main__":
    sys.exit(main())
