"""Stage 3 of the parser: what base header and INT ask of a packet, judged as they pass."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from stellar_spec.headers import (
    CHECK_SIZE,
    STELLAR,
    STELLAR_EXTENSIONS,
    STELLAR_VERSION,
    UDP,
)
from stellar_spec.opcodes import OPCODES, StellarFlag

from .labelled import SortedWords, pieces, telemetry_words
from .tables import lookup
from .walk import WalkedLayout

__all__ = ["Rule", "RuleLayout"]

_WORD = 4
_OPCODES = 64  # values of the field


RuleLayout = data.StructLayout(
    {
        "strange": 1,  # another version
        "headers": 4,  # words of UDP header, base header and the extensions announced
        "behind": 3,  # words of the least body and the check
        "known": 1,  # the opcode is one of ``OPCODES``
        "wrong": 4,  # for each extension: it is missing or not allowed, if the opcode is known
        "excess": 1,  # more INT hops are reserved than may be
        "malformed": 1,  # so is INT
    }
)
"""What the base header and INT say, once they are there; before it nothing but ``strange``."""


def _field(word, header, name):
    """The field ``name``, which lies within the first word of ``header``."""
    ((_, place, _),) = pieces(header, name)
    return word[place]


class Rule(wiring.Component):
    """Judges base header and INT (step 8).

    Parameters
    ----------
    width : int
        Bytes a beat: 1, 2, 4 or 8.

    Members
    -------
    valid, walked : In
        A labelled beat.
    ended : In(1)
        The walk ended before this beat.
    rule : Out
        One cycle later.

    Timing: latency 1 cycle, a beat every cycle.
    """

    latency = 1

    def __init__(self, *, width: int):
        super().__init__(
            {
                "valid": In(1),
                "walked": In(WalkedLayout(width)),
                "ended": In(1),
                "rule": Out(RuleLayout),
            }
        )

    def elaborate(self, platform):
        m = Module()
        self._rule = Signal(RuleLayout, reset_less=True)
        m.d.comb += self.rule.eq(self._rule)
        at = SortedWords(m, self.walked, "l4", {"base": 0}, self.walked.odd)
        self._base(m, at)
        self._version(m, at)
        self._telemetry(m)
        return m

    def _base(self, m, at):
        rule = self._rule
        opcode = Signal(6)
        flags = Signal(4)
        m.d.comb += [
            opcode.eq(_field(at.word("base", 0), STELLAR, "opcode")),
            flags.eq(_field(at.word("base", 0), STELLAR, "flags")),
        ]
        wrong = [
            lookup(Cat(opcode, flags[bit]), lambda k, bit=bit: self._wrong(k, bit))
            for bit in range(4)
        ]
        with m.If(at.hit("base", 0)):
            m.d.sync += [
                rule.known.eq(lookup(opcode, lambda k: k in OPCODES)),
                rule.headers.eq(lookup(flags, self._headers, 4)),
                rule.behind.eq(lookup(opcode, self._behind, 3)),
                rule.wrong.eq(Cat(*wrong)),
            ]

    def _version(self, m, at):
        """Told from the first byte, even if the frame ends behind it."""
        walked, beat = self.walked, self.walked.beat
        version = _field(at.word("base", 0), STELLAR, "version")
        opens = at.hit("base", 0)
        pending = walked.pending.header.base & walked.pending.opens & beat.tail_there
        cut = beat.packet.last & pending & (beat.tail[8 - len(version) :] != STELLAR_VERSION)
        strange = ~self.ended & (opens & (version != STELLAR_VERSION) | cut)
        with m.If(self.valid):
            m.d.sync += self._rule.strange.eq(self._rule.strange & ~beat.first | strange)

    def _telemetry(self, m):
        at = telemetry_words(m, self.walked)
        with m.If(at.hit("int", 0)):
            m.d.sync += [
                self._rule.excess.eq(at.hint("int", 0, lambda hints: hints.excess)),
                self._rule.malformed.eq(at.hint("int", 0, lambda hints: hints.malformed)),
            ]

    @staticmethod
    def _headers(flags):
        """Words of UDP header, base header and the extensions in ``flags``."""
        announced = [STELLAR_EXTENSIONS[n] for n in STELLAR_EXTENSIONS if flags & StellarFlag[n]]
        return sum(header.size for header in (UDP, STELLAR, *announced)) // _WORD

    @staticmethod
    def _behind(opcode):
        """Words of the least body and the check."""
        body = OPCODES[opcode].body if opcode in OPCODES else 0
        return (body + CHECK_SIZE) // _WORD

    @staticmethod
    def _wrong(key, bit):
        """Whether an extension must not be as it is; ``key`` is the opcode below its flag."""
        present, opcode = divmod(key, _OPCODES)
        if opcode not in OPCODES:
            return False
        rule = OPCODES[opcode]
        required = rule.required >> bit & 1
        return not (required or rule.allowed >> bit & 1) if present else required
