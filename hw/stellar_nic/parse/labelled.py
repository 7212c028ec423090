"""How the stages read labelled words: find them, and the fields in them."""

from itertools import chain

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.utils import bits_for

from stellar_spec.fields import Header
from stellar_spec.opcodes import StellarFlag

from .labels import WORDS
from .steps import IP_WORDS

__all__ = ["LabelledWords", "SortedWords", "pieces", "register", "telemetry_words"]


def pieces(header: Header, name: str, lead: int = 0):
    """Where the field ``name`` stands in words.

    ``lead`` is the number of bits in front of the header in its first word.  Yields
    ``(index, word_slice, field_slice)`` for each word that holds a part of the field.
    """
    start = header.offset(name) + lead
    stop = start + header[name].width
    for index in range(start // 32, (stop - 1) // 32 + 1):
        low, high = max(start, 32 * index), min(stop, 32 * index + 32)
        yield (
            index,
            slice(32 * index + 32 - high, 32 * index + 32 - low),
            slice(stop - high, stop - low),
        )


def _is_word(label, header: str, index: int):
    if index == 0:
        return label.opens
    # As its length is known, the upper bits need no look.
    return label.index[: bits_for(WORDS[header] - 1)] == index


class LabelledWords:
    """The words of one beat with their labels; hits become signals of the module ``m``."""

    def __init__(self, m: Module, walked, name: str = ""):
        lanes = range(len(walked.words))
        self._m = m
        self._name = f"{name}_" if name else ""
        self._known = {}
        self._found = walked.found
        self._opens = walked.extension.opens
        self._numbers = {name: walked[f"{name}_words"] for name in IP_WORDS}
        self.lanes = lanes
        self.words = [walked.words[lane].data for lane in lanes]
        self.hints = [walked.words[lane].hints for lane in lanes]
        self.labels = [walked.labels[lane] for lane in lanes]

    def hits(self, header: str, index: int | None = None, last: bool = False) -> Value:
        """For each lane: its word is there and is word ``index`` (the last word) of ``header``."""
        if (header, index, last) not in self._known:
            name = f"{self._name}{header}_{'last' if last else 'any' if index is None else index}"
            hits = Signal(len(self.words), name=name)
            if (header, index) == ("ext", 0):
                self._m.d.comb += hits.eq(self._opens)
                self._known[header, index, last] = hits
                return hits
            for lane in self.lanes:
                hit = self._found[lane][header]
                if index is not None and header in IP_WORDS:
                    hit = self._numbers[header][lane][index]
                elif index is not None:
                    hit &= _is_word(self.labels[lane], header, index)
                if last:
                    hit &= self.labels[lane].last
                self._m.d.comb += hits[lane].eq(hit)
            self._known[header, index, last] = hits
        return self._known[header, index, last]

    def hit(self, header: str, index: int | None = None, last: bool = False) -> Value:
        """Some lane hits."""
        return self.hits(header, index, last).any()


class SortedWords:
    """The same words, those of even index on one line and those of odd index on the other.

    Two words of a beat follow each other, so that a single multiplexer in front of both lines
    does for all registers behind them.

    ``headers`` are the headers whose words are looked for: those that keep the parity of their
    first one's lane. ``odd``: word 0 of the first is in lane 1.
    """

    def __init__(self, m: Module, walked, name: str, headers: dict[str, int], odd: Value):
        self._offsets = headers
        self._at = LabelledWords(m, walked, name)
        words = self._at.words
        self._lines = words * 2 if len(words) == 1 else self._swapped(m, name, words, odd)

    @staticmethod
    def _swapped(m, name, words, odd):
        lines = [Signal(32, name=f"{name}_line{line}") for line in range(2)]
        for line in range(2):
            m.d.comb += lines[line].eq(Mux(odd, words[1 - line], words[line]))
        return lines

    def word(self, header: str, index: int) -> Value:
        """The line on which word ``index`` of ``header`` comes."""
        return self._lines[(index + self._offsets[header]) % 2]

    def hit(self, header: str, index: int) -> Value:
        """Word ``index`` of ``header`` is there."""
        return self._at.hit(header, index)

    def hint(self, header: str, index: int, read):
        """``read(hints)`` of word ``index`` of ``header``, one bit; 0 if that is not there."""
        return self.pick(header, index, [read(hints) for hints in self._at.hints])

    def pick(self, header: str, index: int, bits):
        """That of ``bits``, one for each lane, where word ``index`` of ``header`` is; else 0."""
        hits = self._at.hits(header, index)
        return Cat(hit & bit for hit, bit in zip(hits, bits, strict=True)).any()

    def sources(self, label: str, header: Header, name: str, lead: int = 0):
        """Where the field ``name`` of ``header``, whose words bear ``label``, comes from.

        Yields ``(field_slice, hit, value)`` for each word that holds a part of it.
        """
        for index, word_slice, field_slice in pieces(header, name, lead):
            yield field_slice, self.hit(label, index), self.word(label, index)[word_slice]


def register(m: Module, target: Value, *sources):
    """Registers in ``target`` what the sources bring, of which one hits at a time.

    Each source yields ``(target_slice, hit, value)``. Equal values need no multiplexer.
    """
    parts = {}
    for target_slice, hit, value in chain(*sources):
        values = parts.setdefault((target_slice.start, target_slice.stop), {})
        values.setdefault(repr(value), (value, []))[1].append(hit)
    for (start, stop), values in parts.items():
        (chosen, hits), *others = values.values()
        every = list(hits)
        for value, hits in others:
            chosen = Mux(Cat(*hits).any(), value, chosen)
            every += hits
        with m.If(Cat(*every).any()):
            m.d.sync += target[start:stop].eq(chosen)


def telemetry_words(m: Module, walked) -> SortedWords:
    """The words of ACK and INT: what is in front of them has an odd number of words without IMM."""
    imm = walked.state.learnt.announced[StellarFlag.IMM.bit_length() - 1]
    return SortedWords(m, walked, "behind", {"ack": 0, "int": 0}, walked.odd ^ ~imm)
