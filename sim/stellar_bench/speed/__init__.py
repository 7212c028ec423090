"""``make bench``: the rates of engine, cocotb and models, and whether their records agree."""

__all__ = []
