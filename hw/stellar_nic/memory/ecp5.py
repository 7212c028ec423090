"""Block RAM and multiplier as cells of Lattice's ECP5.

**A block RAM (DP16KD)** holds 16,384 bits, or 18,432 where words have a multiple of nine. Port A
writes, port B reads. Address pins count bits: for words of 2^k bits (9 counts as 8, and so on) the
lowest k pins mean nothing, but that at 18 and 36 bits the lowest two and four of port A enable
nines. At 36 bits a word takes the data pins of both ports, DIA and DOA its low half, and port A
writes in every cycle what its enables let it.

**Its reset pins are not used.** RST clears the output register and also the latch in front of it,
and suppresses the access of that clock edge, so that it would take two words, not one.

**A multiplier (MULT18X18D)** has a register at its inputs, one inside and one at its output; each
is named a clock, a clock enable and a reset, of four that the cell has.

**Two steps of a carry chain (CCU2C)** are a look-up table each, of the pins A to D. Where it gives
1 the carry goes on; else a function of A and B replaces it, or, with INJECT1, a 0. The sum is the
table's output, turned round by the carry that comes in unless INJECT1 is set.

Sources: which pin is which bit, and what constants and open pins become: yosys,
``techlibs/lattice/brams_map_16kd.v`` and ``dsp_map_18x18.v``; nextpnr, ``ecp5/pack.cc`` and
``ecp5/bitstream.cc``. Carry chain: yosys, ``ccu2c_sim.vh``. Registers and resets: yosys,
``brams_16kd.txt``, and Lattice's own simulation models of the cells with the same pins in older
families, DP16KC and DP8KC.
"""

from amaranth.hdl import Array, Cat, ClockSignal, Const, Instance, Signal

__all__ = [
    "DEEPEST",
    "add_multiplier",
    "add_ram",
    "add_two_port_ram",
    "add_wide_equal",
    "block_rams",
    "word_bits",
]

ADDRESS_PINS, DATA_PINS = 14, 18
SHAPES = {512: 36, 1024: 18, 2048: 9, 4096: 4, 8192: 2, 16384: 1}
"""Words of a block RAM → bits of each."""

DEEPEST = max(SHAPES)


def word_bits(depth):
    """Bits of a word that one block RAM gives to a memory of ``depth`` words."""
    return SHAPES[min(DEEPEST, max(depth, min(SHAPES)))]


def block_rams(width, depth):
    """Block RAMs that a memory takes: the fewest for its depth, and no multiplexer to 16,384 words.

    Deeper ones are banks of 16,384 words, which cost a multiplexer of two or four inputs for each
    bit behind the output register.
    """
    return _ceil(width, word_bits(depth)) * _ceil(depth, DEEPEST)


def _ceil(dividend, divisor):
    return -(-dividend // divisor)


def add_ram(m, ram):
    """Adds to the module ``m`` what makes ``ram``, an :class:`OutputRAM`, work."""
    inside = min(ram.depth, DEEPEST)  # words of a bank
    within = inside.bit_length() - 1  # bits of the address inside it
    count = ram.depth // inside
    banks = []
    for bank in range(count):
        chosen = ram.write_address[within:] == bank if count > 1 else 1
        banks.append(_add_bank(m, ram, bank, within, ram.write_enable & chosen))
    m.d.comb += ram.read_data.eq(_chosen(m, banks, ram.read_address[within:]))


def _chosen(m, banks, bank):
    """The word of the bank that was named two cycles ago."""
    if len(banks) == 1:
        return banks[0]
    first, second = (Signal(len(bank), name=f"bank_{n}", reset_less=True) for n in (1, 2))
    m.d.sync += [first.eq(bank), second.eq(first)]
    return Array(banks)[second]


def _add_bank(m, ram, bank, within, write_enable):
    """One bank of as many words as a block RAM has, or fewer; returns the word that it gives."""
    bits, words = word_bits(ram.depth), []
    for start in range(0, ram.width, bits):
        data = ram.write_data[start : start + bits]
        word = Signal(bits, name=f"word_{bank}_{start}")
        m.submodules[f"ram_{bank}_{start}"] = _block_ram(
            bits,
            write_enable=write_enable,
            write_address=ram.write_address[:within],
            write_data=data,
            read_address=ram.read_address[:within],
            read_data=word,
        )
        words.append(word[: len(data)])
    return Cat(*words)


def _block_ram(bits, *, write_enable, write_address, write_data, read_address, read_data):
    """An instance of DP16KD: words of ``bits``, port A writes, port B reads."""
    whole = bits == 2 * DATA_PINS  # both ports' data pins are one word
    low = bits.bit_length() - 1  # address pins below a word's number
    nines = bits // 9 if bits > 9 else 0
    enables = Cat((write_enable if whole else Const(1)).replicate(nines), Const(0, low - nines))
    written = Cat(write_data, Const(0, 2 * DATA_PINS - len(write_data)))
    unused = Signal(2 * DATA_PINS - bits)
    half = Signal(DATA_PINS)  # port A's output, which nobody reads
    out = read_data if whole else Cat(half, read_data, unused[:DATA_PINS])
    return _cell(
        bits,
        registers=("OUTREG" if whole else "NOREG", "OUTREG"),
        write_enable=Const(1) if whole else write_enable,
        addresses=(_address(enables, write_address), _address(Const(0, low), read_address)),
        written=(written[:DATA_PINS], written[DATA_PINS:]),
        read=(out[:DATA_PINS], out[DATA_PINS : 2 * DATA_PINS]),
    )


def add_two_port_ram(m, *, name, depth, write_enable, write_data, addresses):
    """Adds a RAM of two ports, of which the first one writes as well; returns their words.

    What a port reads is there two cycles behind its address.
    """
    within = min(depth, DEEPEST).bit_length() - 1  # bits of the address inside a bank
    count = max(1, depth // DEEPEST)
    banks = [[], []]
    for bank in range(count):
        chosen = addresses[0][within:] == bank if count > 1 else 1
        words = _add_two_port_bank(
            m, f"{name}_{bank}", depth, write_enable & chosen, write_data, addresses, within
        )
        for port, word in enumerate(words):
            banks[port].append(word)
    return [_chosen(m, banks[port], addresses[port][within:]) for port in range(2)]


def _add_two_port_bank(m, name, depth, write_enable, write_data, addresses, within):
    bits = min(DATA_PINS, word_bits(depth))
    low = bits.bit_length() - 1
    pins = [
        _address(Const(lowest, low), address[:within])
        for lowest, address in zip((0b11 if bits == DATA_PINS else 0, 0), addresses, strict=True)
    ]
    found = [[], []]
    for start in range(0, len(write_data), bits):
        data = write_data[start : start + bits]
        words = [Signal(DATA_PINS, name=f"{name}_{port}_{start}") for port in "ab"]
        m.submodules[f"{name}_{start}"] = _cell(
            bits,
            registers=("OUTREG", "OUTREG"),
            write_enable=write_enable,
            addresses=pins,
            written=(Cat(data, Const(0, DATA_PINS - len(data))), Const(0, DATA_PINS)),
            read=words,
        )
        for port, word in enumerate(words):
            found[port].append(word[: len(data)])
    return [Cat(words) for words in found]


def _cell(bits, *, registers, write_enable, addresses, written, read):
    """An instance of DP16KD with words of ``bits`` at both ports, of which the first one writes."""
    first, second = addresses
    return Instance(
        "DP16KD",
        p_DATA_WIDTH_A=bits,
        p_DATA_WIDTH_B=bits,
        # At 36 bits port A's pins are half of port B's word, and each half has its own parameter.
        p_REGMODE_A=registers[0],
        p_REGMODE_B=registers[1],
        p_RESETMODE="SYNC",
        p_ASYNC_RESET_RELEASE="SYNC",
        p_CSDECODE_A="0b000",
        p_CSDECODE_B="0b000",
        p_CLKAMUX="CLKA",
        p_CLKBMUX="CLKB",
        p_WRITEMODE_A="NORMAL",
        p_WRITEMODE_B="NORMAL",
        p_GSR="DISABLED",
        i_CLKA=ClockSignal(),
        i_CEA=Const(1),
        i_WEA=write_enable,
        i_OCEA=Const(1),
        i_RSTA=Const(0),
        i_CLKB=ClockSignal(),
        i_CEB=Const(1),
        i_WEB=Const(0),
        i_OCEB=Const(1),
        i_RSTB=Const(0),
        **_pins("i_CSA", Const(0, 3)),
        **_pins("i_CSB", Const(0, 3)),
        **_pins("i_ADA", first),
        **_pins("i_ADB", second),
        **_pins("i_DIA", written[0]),
        **_pins("i_DIB", written[1]),
        **_pins("o_DOA", read[0]),
        **_pins("o_DOB", read[1]),
    )


def _address(low, address):
    return Cat(low, address, Const(0, ADDRESS_PINS - len(low) - len(address)))


def _pins(prefix, value):
    return {f"{prefix}{index}": bit for index, bit in enumerate(value)}


def add_multiplier(m, multiplier):
    """Adds to the module ``m`` what makes ``multiplier``, a :class:`PipelinedMultiplier`, work."""
    clocks = {
        f"p_REG_{register}_CLK": "CLK0" for register in ("INPUTA", "INPUTB", "PIPELINE", "OUTPUT")
    }
    m.submodules.cell = Instance(
        "MULT18X18D",
        **clocks,  # CE0 and RST0 are the defaults of every register
        p_RESETMODE="SYNC",
        p_GSR="DISABLED",
        i_CLK0=ClockSignal(),
        i_CE0=Const(1),
        i_RST0=Const(0),
        **{f"i_{pin}{n}": Const(0) for pin in ("CLK", "CE", "RST") for n in (1, 2, 3)},
        i_SIGNEDA=Const(0),
        i_SIGNEDB=Const(0),
        i_SOURCEA=Const(0),  # factors come from the pins, not from the cell beside
        i_SOURCEB=Const(0),
        **_pins("i_A", multiplier.a),
        **_pins("i_B", multiplier.b),
        **_pins("i_C", Const(0, DATA_PINS)),
        **_pins("o_P", multiplier.product),
    )


START, EQUAL, PASS, END = ("000F", "NO"), ("9009", "YES"), ("FFFF", "YES"), ("0000", "NO")
"""Steps of a chain: the carry becomes 1; goes on if A is B and C is D; goes on; is the sum."""


def add_wide_equal(m, comparator):
    """Adds to the module ``m`` what makes ``comparator``, a :class:`WideEqual`, work.

    One carry chain, two bits a step.
    """
    a, b = (Cat(word, Const(0, len(word) % 2)) for word in (comparator.a, comparator.b))
    steps = [(START, (1, 1, 1, 1))]
    steps += [(EQUAL, (a[at], b[at], a[at + 1], b[at + 1])) for at in range(0, len(a), 2)]
    steps += [(PASS, (1, 1, 1, 1))] * (len(steps) % 2 == 0)
    steps.append((END, (1, 1, 1, 1)))
    carry = Const(0, 1)
    for number in range(0, len(steps), 2):
        out, total = (Signal(name=f"{end}_{number}") for end in ("carry", "sum"))
        pins = {}
        for half in range(2):
            (table, inject), inputs = steps[number + half]
            pins |= {f"p_INIT{half}": Const(int(table, 16), 16), f"p_INJECT1_{half}": inject}
            pins |= {f"i_{pin}{half}": bit for pin, bit in zip("ABCD", inputs, strict=True)}
        m.submodules[f"steps_{number}"] = Instance(
            "CCU2C", i_CIN=carry, o_COUT=out, o_S1=total, **pins
        )
        carry = out
    m.d.comb += comparator.equal.eq(total)
