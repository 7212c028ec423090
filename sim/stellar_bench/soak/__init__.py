"""``make soak``: a block's gateware at two widths and its model, over very many frames.

A block joins by a row in ``blocks.SOAKS``.
"""

from .blocks import SOAKS, Soak

__all__ = ["SOAKS", "Soak"]
