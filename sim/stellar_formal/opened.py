"""Memories as registers, so that invariants can speak of the words in them."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Array, Module, Mux, Signal, Value

__all__ = ["OpenedMemories", "words_of"]


class OpenedMemories:
    """In place of a platform: every ``lib.memory.Memory`` becomes a register for each word.

    The words are called ``word_0``, ``word_1``, …, what a read port has read ``read_0``, ….  What
    is read of a word in the cycle in which it is written is unspecified, so the solver chooses it.
    """

    def __init__(self, *, guided=False):
        self._guided = guided  # then it is the word's complement

    def get_memory(self, memory):
        """The module that is in the memory's place; its ports are clocked and write whole words."""
        m = Module()
        words = [
            Signal(memory.shape, name=f"word_{n}", reset_less=True) for n in range(memory.depth)
        ]
        words = [Value.cast(word) for word in words]
        for port in memory.write_ports:
            with m.If(port.en), m.Switch(port.addr):
                for number, word in enumerate(words):
                    with m.Case(number):
                        m.d.sync += word.eq(Value.cast(port.data))
        for number, port in enumerate(memory.read_ports):
            read = Signal(len(words[0]), name=f"read_{number}", reset_less=True)
            collides = 0
            for write in memory.write_ports:
                collides |= write.en & (write.addr == port.addr)
            word = Array(words)[port.addr]
            other = ~word if self._guided else AnySeq(len(word))
            now = Mux(collides, other, word)
            with m.If(port.en):
                m.d.sync += read.eq(now)
            m.d.comb += Value.cast(port.data).eq(read)
        return m


def words_of(internals, depth):
    """The words of an opened memory, from its :class:`Internals`."""
    return [internals[f"word_{number}"] for number in range(depth)]
