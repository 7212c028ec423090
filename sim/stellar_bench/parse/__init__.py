"""The parser's bench, apart from the simulator that it runs in."""

__all__ = []
