"""``python -m stellar_bench``: run the benches."""

import sys

from .cli import main

__all__ = []

if __name__ == "__main__":
    sys.exit(main())
