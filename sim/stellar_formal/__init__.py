"""Proofs about the gateware, each with broken twins and covers. How: docs/formal.md."""

from .proof import Proof, Twin
from .top import Top

__all__ = ["Proof", "Top", "Twin"]
