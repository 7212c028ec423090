"""``python -m stellar_sdk.analyzer``."""

import sys

from .command import main

sys.exit(main())
