"""The golden model: whole packets in, records out; written from docs/, never from the gateware."""

from .parser import parse
from .records import Ingress, Parsed, Settings, pack, unpack

__all__ = ["Ingress", "Parsed", "Settings", "pack", "parse", "unpack"]
