"""tshark as an outside witness: of the dissector against the model, and of the model's own words.

``python -m stellar_bench.tshark`` runs both; see ``command``.  tshark is a program of Wireshark
(GPL), called as a program and never linked.
"""

from .program import TsharkError, find, read_required, rows, version

__all__ = ["TsharkError", "find", "read_required", "rows", "version"]
