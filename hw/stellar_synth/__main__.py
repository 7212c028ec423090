"""``python -m stellar_synth``: area and timing of a block."""

import sys

from .cli import main

__all__ = []

if __name__ == "__main__":
    sys.exit(main())
