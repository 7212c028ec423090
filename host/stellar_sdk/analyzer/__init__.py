"""``stellar-analyzer``: captures through the parser, model or gateware, as JSON lines."""

from .command import main

__all__ = ["main"]
