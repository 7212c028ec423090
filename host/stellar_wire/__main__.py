"""``python -m stellar_wire``: see ``files``."""

import sys

from .files import main

sys.exit(main())
