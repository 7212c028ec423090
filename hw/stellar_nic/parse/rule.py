"""What an opcode and its extension flags ask of a packet."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.headers import CHECK_SIZE, STELLAR, STELLAR_EXTENSIONS, UDP
from stellar_spec.opcodes import OPCODES, StellarFlag

from .tables import lookup

__all__ = ["Rule"]

_WORD = 4
_OPCODES = 64  # values of the field


class Rule(wiring.Component):
    """Judges the opcode and the extension set of a base header.

    Members
    -------
    opcode, flags : In
        Of the base header; the flags that announce extensions are bits 3 to 0.
    trimmed : In(1)
        Body and check are gone.
    need : Out(5)
        Least UDP length in words, hops of INT not counted.
    known : Out(1)
        The opcode is one of ``OPCODES``.
    wrong : Out(1)
        An extension is missing or not allowed, if the opcode is known.

    Timing: combinational.
    """

    def __init__(self):
        super().__init__(
            {
                "opcode": In(6),
                "flags": In(4),
                "trimmed": In(1),
                "need": Out(5),
                "known": Out(1),
                "wrong": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        opcode, flags = self.opcode, self.flags
        headers, behind, wrong = Signal(4), Signal(3), Signal(4)
        m.d.comb += [
            self.known.eq(lookup(opcode, lambda k: k in OPCODES)),
            headers.eq(lookup(flags, self._headers, 4)),
            behind.eq(lookup(Cat(opcode, self.trimmed), self._behind, 3)),
            self.need.eq(headers + behind),
            self.wrong.eq(wrong.any()),
        ]
        for bit in range(4):
            m.d.comb += wrong[bit].eq(
                lookup(Cat(opcode, flags[bit]), lambda k, bit=bit: self._wrong(k, bit))
            )
        return m

    @staticmethod
    def _headers(flags):
        """Words of UDP header, base header and the extensions in ``flags``."""
        announced = [STELLAR_EXTENSIONS[n] for n in STELLAR_EXTENSIONS if flags & StellarFlag[n]]
        return sum(header.size for header in (UDP, STELLAR, *announced)) // _WORD

    @staticmethod
    def _behind(key):
        """Words of the least body and the check; ``key`` is the opcode below the trimmed bit."""
        trimmed, opcode = divmod(key, _OPCODES)
        body = OPCODES[opcode].body if opcode in OPCODES else 0
        return 0 if trimmed else (body + CHECK_SIZE) // _WORD

    @staticmethod
    def _wrong(key, bit):
        """Whether an extension must not be as it is; ``key`` is the opcode below its flag."""
        present, opcode = divmod(key, _OPCODES)
        if opcode not in OPCODES:
            return False
        rule = OPCODES[opcode]
        required = rule.required >> bit & 1
        return not (required or rule.allowed >> bit & 1) if present else required
