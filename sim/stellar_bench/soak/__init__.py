"""``make soak``: a block's gateware at two widths or sizes and its model, over very many frames or
commands.

A block joins by a row in ``blocks.SOAKS``.
"""

from .blocks import SOAKS, Soak

__all__ = ["SOAKS", "Soak"]
