"""Sums modulo 2 that have parts in common, with the parts added once.

A CRC's next state is such a set of sums: each bit is the XOR of many of the same inputs.
"""

__all__ = ["share"]

_INPUTS = 4  # of a look-up table


def share(columns) -> tuple[list[tuple[int, ...]], list[int]]:
    """Finds parts that several sums have in common.

    ``columns[i]`` has bit ``k`` set if sum ``k`` contains input ``i``.  Returns the parts, each a
    tuple of two to four inputs, and new columns: those of the inputs, then those of the parts.  A
    part may be an input of a later one; its number follows those of the inputs and earlier parts.

    Greedy: the next part is the one that saves most look-up tables of four inputs.
    """
    columns, parts = list(columns), []
    while True:
        part, sums = _best_part(columns)
        if not part:
            return parts, columns
        for member in part:
            columns[member] &= ~sums
        columns.append(sums)
        parts.append(part)


def _best_part(columns):
    """The part that saves most, and the sums that it is taken from."""
    often = [i for i, column in enumerate(columns) if column.bit_count() > 1]
    often.sort(key=lambda i: -columns[i].bit_count())
    saved, best, best_sums = 0, (), 0
    for place, first in enumerate(often):
        if columns[first].bit_count() <= saved + 1:
            break
        for second in often[place + 1 :]:
            # A part of n inputs takes one table and frees (n - 1) / 3 in each sum.
            sums, part = columns[first] & columns[second], (first, second)
            while sums.bit_count() > saved + 1:
                gain = sums.bit_count() * (len(part) - 1) / (_INPUTS - 1) - 1
                if gain > saved:
                    saved, best, best_sums = gain, part, sums
                others = [i for i in often if i not in part]
                if len(part) == _INPUTS or not others:
                    break
                another = max(others, key=lambda i: ((sums & columns[i]).bit_count(), -i))
                sums, part = sums & columns[another], (*part, another)
    return best, best_sums
