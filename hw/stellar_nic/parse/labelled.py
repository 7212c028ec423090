"""How the stages read labelled words: find them, and the fields in them."""

from amaranth.hdl import Module, Signal, Value

from stellar_spec.fields import Header

__all__ = ["LabelledWords", "pieces"]


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


class LabelledWords:
    """The words of one beat with their labels; hits become signals of the module ``m``."""

    def __init__(self, m: Module, valid: Value, words, labels, name: str = ""):
        self._m = m
        self._name = f"{name}_" if name else ""
        self._valid = valid
        self._known = {}
        self.words = [words[lane].data for lane in range(len(words))]
        self._there = [words[lane].there for lane in range(len(words))]
        self.labels = [labels[lane] for lane in range(len(words))]

    @property
    def lanes(self) -> range:
        """Lanes of a beat."""
        return range(len(self.words))

    def hits(self, header: str, index: int | None = None, last: bool = False) -> Value:
        """For each lane: its word is there and is word ``index`` (the last word) of ``header``."""
        if (header, index, last) not in self._known:
            name = f"{self._name}{header}_{'last' if last else 'any' if index is None else index}"
            hits = Signal(len(self.words), name=name)
            for lane in self.lanes:
                label = self.labels[lane]
                hit = self._valid & self._there[lane] & label.header[header]
                if index is not None:
                    hit &= label.opens if index == 0 else label.index == index
                if last:
                    hit &= label.last
                self._m.d.comb += hits[lane].eq(hit)
            self._known[header, index, last] = hits
        return self._known[header, index, last]

    def hit(self, header: str, index: int | None = None, last: bool = False) -> Value:
        """Some lane hits."""
        return self.hits(header, index, last).any()

    def capture(self, target, label: str, header: Header, name: str, lead: int = 0):
        """Registers the field ``name`` of ``header`` in ``target`` when its words pass."""
        for index, word_slice, field_slice in pieces(header, name, lead):
            hits = self.hits(label, index)
            for lane in self.lanes:
                with self._m.If(hits[lane]):
                    self._m.d.sync += target[field_slice].eq(self.words[lane][word_slice])
