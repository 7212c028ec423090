"""``python -m stellar_bench.tshark``: see ``command``."""

import sys

from .command import main

sys.exit(main())
