"""Tables of constants: a function of few bits costs a LUT for each bit of its value."""

from amaranth.hdl import Cat, Const, Value

__all__ = ["lookup"]


def lookup(index, entry, bits: int = 1) -> Value:
    """``entry(k)`` in ``bits`` bits, where ``k`` is the value of ``index``."""
    index = Value.cast(index)
    size = 2 ** len(index)
    columns = (sum((entry(k) >> bit & 1) << k for k in range(size)) for bit in range(bits))
    return Cat(Const(column, size).bit_select(index, 1) for column in columns)
