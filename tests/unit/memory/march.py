"""A memory test for one block RAM, at the level of its pins, and random operations beside it."""

import numpy as np

__all__ = ["COLUMNS", "INPUTS", "WIDTHS", "Pins", "march", "random_operations"]

WIDTHS = (36, 18, 9, 4, 2, 1)
LOW = {36: 5, 18: 4, 9: 3, 4: 2, 2: 1, 1: 0}
"""Width → the address pin at which a word's number begins."""

FIELDS = {
    **{f"{name}_{port}": 1 for port in "ab" for name in ("ce", "we", "oce", "rst")},
    **{
        f"{name}_{port}": bits
        for port in "ab"
        for name, bits in (("cs", 3), ("ad", 14), ("di", 18))
    },
    "shape": 3,
}
COLUMNS, INPUTS = {}, 0
for _name, _bits in FIELDS.items():
    COLUMNS[_name] = slice(INPUTS, INPUTS + _bits)
    INPUTS += _bits


class Pins:
    """Rows of pins for a block RAM of ``width`` bits: idle at first, all enables high."""

    def __init__(self, width, cycles):
        self.width, self.low, self.words = width, LOW[width], 16384 >> LOW[width]
        self.bits = np.zeros((cycles, INPUTS), dtype=np.uint8)
        for name in ("ce_a", "ce_b", "oce_a", "oce_b"):
            self.bits[:, COLUMNS[name]] = 1
        self.set("shape", slice(None), np.full(cycles, WIDTHS.index(width)))

    def set(self, name, cycles, numbers):
        """Puts ``numbers`` on the pins ``name`` in ``cycles``."""
        columns = COLUMNS[name]
        count = np.arange(columns.stop - columns.start)
        self.bits[cycles, columns] = np.asarray(numbers)[..., None] >> count & 1

    def write(self, cycles, addresses, data, enables=15):
        """Writes ``data``, one row of bits each; ``enables`` are those of the nines."""
        self.set("we_a", cycles, np.ones_like(addresses))
        nines = self.width // 9 if self.width > 9 else 0
        self.set("ad_a", cycles, addresses << self.low | (enables & (1 << nines) - 1))
        for name, half in (("di_a", data[:, :18]), ("di_b", data[:, 18:])):
            start = COLUMNS[name].start
            self.bits[cycles, start : start + half.shape[1]] = half

    def read(self, cycles, addresses):
        """Reads at port B."""
        self.set("ad_b", cycles, addresses << self.low)


def _backgrounds(width, words, random):
    """Words of stripes of 1, 2, 4, … bits, of all zeros, and random ones."""
    bit = np.arange(width)
    rows = [np.broadcast_to(bit >> shift & 1, (words, width)) for shift in range(6)]
    stripes = [rows[shift] for shift in range(6) if 1 << shift < width]
    return [
        np.zeros((words, width), dtype=np.int64),
        *stripes,
        random.integers(0, 2, (words, width)),
    ]


MARCH = ((0, "w0"), (1, "r0w1"), (1, "r1w0"), (-1, "r0w1"), (-1, "r1w0"), (0, "r0"))
"""March C-: direction, operations at each address. What is 0 and 1 is the background's word and
its complement."""


def march(width, random):
    """Pins of a march over every background; the cycles whose word counts, and these words.

    A read and the write behind it are a cycle apart; the read of the next address is in the cycle
    of the write: both ports work at once, at different addresses. Power-up must give zeros.
    """
    words = 16384 >> LOW[width]
    rows, want, at = [], [(np.arange(words), np.zeros((words, width), dtype=np.int64))], words
    for background in _backgrounds(width, words, random):
        for direction, operations in MARCH:
            order = np.arange(words)[:: direction or 1]
            cycles = at + np.arange(words)
            if "r" in operations:
                value = background ^ int(operations[1])
                rows.append(("r", cycles, order, None))
                want.append((cycles, value[order]))
            if "w" in operations:
                value = background ^ int(operations[operations.index("w") + 1])
                rows.append(("w", cycles + 1, order, value[order]))
            at += words + 2
    pins = Pins(width, at + 4)
    pins.read(np.arange(words), np.arange(words))
    for kind, cycles, addresses, data in rows:
        if kind == "r":
            pins.read(cycles, addresses)
        else:
            pins.write(cycles, addresses, data)
    cycles, values = (np.concatenate(parts) for parts in zip(*want, strict=True))
    return pins.bits, cycles + 2, values


def random_operations(width, random, cycles):
    """Pins of random operations with every enable and reset, and the word of every cycle.

    The reading port does not read what is being written.
    """
    pins, choose = Pins(width, cycles), random.integers
    chances = {"ce_a": 0.8, "we_a": 0.7, "rst_a": 0.1, "ce_b": 0.8, "oce_b": 0.8, "rst_b": 0.1}
    on = {name: random.random(cycles) < chance for name, chance in chances.items()}
    select = {name: np.where(random.random(cycles) < 0.8, 0, choose(1, 8, cycles)) for name in "ab"}
    few = choose(0, pins.words, min(8, pins.words))  # so that what is read was written
    write, read = few[choose(0, len(few), (2, cycles))]
    read = np.where(read == write, (read + 1) % pins.words, read)
    data, enables = choose(0, 2, (cycles, width)), choose(0, 16, cycles)
    everything = np.arange(cycles)
    pins.write(everything, write, data, enables)
    pins.read(everything, read)
    for name, values in on.items():
        pins.set(name, everything, values)
    for port, values in select.items():
        pins.set(f"cs_{port}", everything, values)
    on["we_a"] |= width == 36
    writes = on["ce_a"] & on["we_a"] & ~on["rst_a"] & (select["a"] == 0)
    reads = on["ce_b"] & ~on["rst_b"] & (select["b"] == 0)
    enabled = enables[:, None] >> (np.arange(width) // 9) & 1 if width > 9 else np.ones_like(data)
    content, zero = {}, np.zeros(width, dtype=np.int64)
    latch, register, want = zero, zero, []
    for cycle in range(cycles):
        want.append(register)
        if on["oce_b"][cycle]:
            register = zero if on["rst_b"][cycle] else latch
        if on["rst_b"][cycle]:
            latch = zero
        elif reads[cycle]:
            latch = content.get(read[cycle], zero)
        if writes[cycle]:
            old = content.get(write[cycle], zero)
            content[write[cycle]] = np.where(enabled[cycle], data[cycle], old)
    return pins.bits, everything, np.array(want)
