"""FlowMatrix in fixed point: the formats of its numbers and the values that they begin with.

What is computed with them, and how it is rounded, stands in docs/fixed-point.md.
"""

from dataclasses import dataclass
from fractions import Fraction

__all__ = [
    "ARGUMENT",
    "BIAS",
    "BYTE_BITS",
    "EXPONENT",
    "FORMATS",
    "GAIN",
    "KEEP",
    "KEEP_MOST",
    "LEAST_EXPONENT",
    "MANTISSA",
    "OVERHEAD",
    "QUEUE",
    "QUEUE_UNIT",
    "RATE",
    "SCALE",
    "SEGMENTS",
    "SHARE",
    "SIGMA",
    "TIME",
    "TIME_FRACTION",
    "WEIGHT",
    "WIRE_BYTES",
    "Fixed",
]


@dataclass(frozen=True)
class Fixed:
    """A number of ``width`` bits that counts steps of 2^-``fraction``, two's complement if signed.

    A negative ``fraction``: the steps are larger than 1.

    ``default`` is the value that it begins with, if it is a setting.
    """

    name: str
    width: int
    fraction: int
    doc: str
    signed: bool = False
    default: Fraction | None = None

    @property
    def least(self) -> int:
        """The lowest number of steps."""
        return -(1 << self.width - 1) if self.signed else 0

    @property
    def most(self) -> int:
        """The highest number of steps."""
        return (1 << self.width - self.signed) - 1

    @property
    def notation(self) -> str:
        """Bits in front of and behind the point, ``U`` unsigned or ``S`` signed: ``U4.12``."""
        letter, front = "S" if self.signed else "U", self.width - self.fraction
        if self.fraction < 0:
            return f"{letter}{self.width}, steps of {1 << -self.fraction}"
        return f"{letter}{front}.{self.fraction}"

    def steps(self, value: float | Fraction) -> int:
        """``value`` as the nearest number of steps, halves upward.

        Raises ``ValueError`` for a value that the format does not hold.
        """
        steps = Fraction(value) * Fraction(2) ** self.fraction + Fraction(1, 2)
        steps = steps.numerator // steps.denominator
        if not self.least <= steps <= self.most:
            least, most = (self.value(end) for end in (self.least, self.most))
            raise ValueError(
                f"{self.name} is {float(value):g}; {self.notation} holds {least:g} to {most:g}"
            )
        return steps

    def value(self, steps: int) -> float:
        """The value of a number of steps, exactly."""
        return steps * 2.0**-self.fraction


KEEP = Fixed("a", 16, 16, "how much of the weight stays in an update", default=Fraction("0.7"))
KEEP_MOST = (1 << KEEP.fraction) - (1 << KEEP.fraction - 6)
"""The highest ``a`` in steps, 1 - 2^-6: an update forgets at least a 64th."""
GAIN = Fixed("b", 16, 12, "what a unit of the queue counts", default=Fraction("0.3"))
BIAS = Fixed("g", 17, 12, "what counts without a queue", signed=True, default=Fraction("0.5"))
QUEUE = Fixed("Q", 16, 4, "length of the queue in units of 2^unit bytes")
QUEUE_UNIT = 16
"""log2 of the bytes in a unit of ``Q``, to begin with: 64 KiB, 16 packets of 4 KiB."""
ARGUMENT = Fixed("x", 21, 16, "b * Q + g, what sigma is taken of", signed=True)
SIGMA = Fixed("sigma", 18, 18, "1 / (1 + exp(-x))")
WEIGHT = Fixed("W", 24, 24, "weight of a flow")
SCALE = Fixed("K", 18, 12, "1 / (1 - sigma(g)): what makes 1 of a resting weight's 1 - W")
SHARE = Fixed("f", 19, 18, "share of the way from the least rate to the line's; at most 1")
RATE = Fixed("R", 31, -6, "rate in bit/s; also the least and the line's, R_min and R_line")
MANTISSA = Fixed("M", 18, 18, "mantissa of the time of a byte")
TIME_FRACTION = 10
"""Times count 2^-10 ns."""
TIME = Fixed("t", 48, TIME_FRACTION, "time in ns, modulo 2^38 ns, some 275 s")
WIRE_BYTES = 14
"""Bits of a packet's length on the wire."""
OVERHEAD = 24
"""Bytes that a frame takes on the wire beside itself: preamble 8, check 4, gap 12."""
BYTE_BITS = 37
"""Bits of the time of a byte at a rate of one step: a rate with its highest bit at n has a byte in
M * 2^(``BYTE_BITS`` - n) steps of time."""
EXPONENT = Fixed("n", 5, 0, "place of a rate's highest bit")
LEAST_EXPONENT = 13
"""A rate below 2^13 steps, 524 kb/s, counts as that."""
FORMATS = (KEEP, GAIN, BIAS, QUEUE, ARGUMENT, SIGMA, WEIGHT, SCALE, SHARE, RATE, MANTISSA)
FORMATS += (EXPONENT, TIME)
"""All of them, in the order in which an update uses them."""
SEGMENTS = 512
"""Pieces of a straight line that make sigma from 0 to 16, and 1 / r from 1 to 2."""
