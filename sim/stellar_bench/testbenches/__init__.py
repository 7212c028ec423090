"""The cocotb tests, one module for each block; ``stellar_bench.benches`` lists them."""

__all__ = []
