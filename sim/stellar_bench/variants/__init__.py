"""Very many different frames quickly: variants of frames that were made one by one.

A readable generator makes some 6,000 frames a second.  ``vary`` makes 20 and more of each: other
addresses, identifiers, sequence numbers, and damage, with sums made right again or not; all in
numpy.  ``variants`` is the whole mixture.
"""

from .mixture import variants
from .vary import vary

__all__ = ["variants", "vary"]
