"""The flow table as a map (docs/flow-table.md).

What commands do and packets count follows from the contract.  A handle's number, the moment in
which the table is full, and what is in a slot do not: they are taken from the gateware's answer and
checked against what the contract says of them.  So are counters while packets are under way.
"""

from collections import Counter
from collections.abc import Sequence

from stellar_spec.flow import TABLES, EventKind, FlowOp, FlowStatus

from .entry import (
    COUNT_MASK,
    GENERATION_MASK,
    TIME_MASK,
    Accounting,
    Command,
    Entry,
    Mismatch,
    Time,
)
from .hash import KEY_BITS
from .placement import STASH, guarantee, leftover, slots_of
from .records import KIND_BITS, MEANT, Record

__all__ = ["FlowModel"]

FIELDS = len(Record._fields)
TAKE_A_KEY = (FlowOp.INSERT, FlowOp.DELETE, FlowOp.UPDATE, FlowOp.READ)


class FlowModel:
    """A flow table of ``slots`` slots, empty.

    It may be ``FULL`` from :func:`guarantee` keys on; before only if its hash, under the setting
    ``seed``, leaves no way to give every present key a slot, so that one stays in the stash.
    ``hashed=False`` is for a table of another hash: then not before, and a key may be anywhere.

    Commands and events go through :meth:`answer` and :meth:`event` with what the gateware said;
    each returns what the model says, with zeros where nothing is meant, or raises
    :class:`Mismatch`.
    """

    def __init__(self, *, slots: int, key_bits: int = KEY_BITS, hashed: bool = True):
        self._slots, self._key_bits, self._hashed = slots, key_bits, hashed
        self._index_bits = (slots // TABLES).bit_length() - 1
        self.entries: dict[int, Entry] = {}
        self._keys: dict[int, int] = {}  # flow → key
        self._generations: dict[int, int] = {}  # flow → generation, of the next key while it's free
        self._counted: Counter = Counter()  # handle → packets that the last answer had already
        self.stale = 0
        self.settings: dict[str, int] = {}

    @property
    def present(self) -> int:
        """Keys that are present."""
        return len(self.entries)

    def configure(self, **settings: int) -> None:
        """``seed``, ``idle_timeout``, ``learn``, ``learn_action``; those not named are 0."""
        self.settings = settings

    def entry_of(self, flow: int, generation: int) -> Entry | None:
        """The entry with this handle, if it is present."""
        entry = self.entries.get(self._keys.get(flow, -1))
        return entry if entry is not None and entry.generation == generation else None

    def preset(self, counts: Sequence[tuple[int, int]]) -> None:
        """What each flow that has counted anything has counted: packets and bytes, by number."""
        for entry in self.entries.values():
            if entry.packets or entry.bytes:
                entry.packets, entry.bytes = counts[entry.flow]

    def account(self, packet: Accounting) -> bool:
        """Counts a packet; ``False`` if its handle is over."""
        entry = self.entry_of(packet.flow, packet.generation)
        if entry is not None:
            entry.packets = entry.packets + 1 & COUNT_MASK
            entry.bytes = entry.bytes + packet.bytes & COUNT_MASK
            entry.seen = packet.time
            return True
        handle = packet.flow, packet.generation
        if self._counted[handle]:
            self._counted[handle] -= 1
            return True
        self.stale += 1
        return False

    # -- commands ---------------------------------------------------------------------------------

    def answer(
        self,
        command: Command,
        given: Record,
        *,
        time: Time,
        packets: Sequence[Accounting] = (),
        sure: int = 0,
    ) -> Record:
        """What a command answers.

        Parameters
        ----------
        command, given
            It, and what the gateware answered.
        time
            ``now`` while the command was carried out.
        packets
            Those of the handle in ``given`` that may have been counted by then or not, in order;
            :meth:`account` is still to be called for each.
        sure
            The first so many of them were counted.
        """
        op, _, key, action = command
        if op == FlowOp.READ_SLOT:
            return self._read_slot(command, given, packets, sure)
        if op == FlowOp.CLEAR:
            self._clear()
            return self._expect(given, FlowStatus.OK)
        if op not in TAKE_A_KEY or not key & (1 << KIND_BITS) - 1:
            return self._expect(given, FlowStatus.INVALID)
        entry = self.entries.get(key)
        if entry is None:
            if op != FlowOp.INSERT:
                return self._expect(given, FlowStatus.NOT_FOUND)
            return self._insert(key, action, given, time, packets)
        if op in (FlowOp.INSERT, FlowOp.UPDATE):
            entry.action = action
        status = FlowStatus.UPDATED if op == FlowOp.INSERT else FlowStatus.OK
        found = self._read(status, key, entry, given, packets, sure)
        if op == FlowOp.DELETE:
            self._remove(key, found, entry)
        return found

    def _expect(self, given: Record, status: int) -> Record:
        if given.code != status:
            raise Mismatch(f"status is {given.code}, expected {status} ({status.name})")
        return Record(int(status))

    def _insert(self, key, action, given, time, packets):
        if given.code == FlowStatus.FULL:
            self._check_full()
            return Record(int(FlowStatus.FULL))
        if self.present >= self._slots:
            self._expect(given, FlowStatus.FULL)
        entry = self._admit(key, action, given, time)
        return self._read(FlowStatus.OK, key, entry, given, packets, 0)

    def _check_full(self):
        """Raises ``Mismatch`` unless one of the keys may be without a slot, so in the stash."""
        least = guarantee(self._slots)
        if self.present >= least:
            return
        if self._hashed and leftover(map(self._slots_of, self.entries)) >= STASH:
            return
        raise Mismatch(
            f"FULL with {self.present} keys in {self._slots} slots, and there is a slot for each; "
            f"{least} are guaranteed"
        )

    def _slots_of(self, key):
        return slots_of(key, self.settings.get("seed", 0), self._index_bits, self._key_bits)

    def _admit(self, key, action, given, time):
        """A new entry with the handle in ``given``."""
        flow, generation = given.flow, given.generation
        if flow >= self._slots:
            raise Mismatch(f"flow {flow} was given; numbers are 0 to {self._slots - 1}")
        if flow in self._keys:
            raise Mismatch(f"flow {flow} was given to a new key; {self._keys[flow]:#x} has it")
        expected = self._generations.get(flow, generation)
        if generation != expected:
            raise Mismatch(f"flow {flow} has generation {generation}, expected {expected}")
        entry = Entry(action, flow, generation, time)
        self.entries[key], self._keys[flow], self._generations[flow] = entry, key, generation
        return entry

    def _read(self, code, key, entry, given, packets, sure):
        """The entry as it may be read, with the counters that were read if they may."""
        for number, (count, size, seen) in enumerate(entry.counters(packets)):
            if number < sure:
                continue
            if (count, size) == (given.packets, given.bytes) and seen.holds(given.seen):
                found = (key, entry.action, entry.flow, entry.generation, count, size, given.seen)
                return self._same(Record(int(code), *found), given)
        counters = list(entry.counters(packets))[sure:]
        least, most = counters[0], counters[-1]
        self._same(Record(int(code), key, entry.action, entry.flow, entry.generation), given, 5)
        raise Mismatch(
            f"counters are {given.packets} packets, {given.bytes} bytes, seen {given.seen}; "
            f"expected {_counters(least)}{'' if sure == len(packets) else ' to ' + _counters(most)}"
        )

    def _same(self, expected, given, count=FIELDS):
        """``expected``, if the first ``count`` fields of ``given`` are the same."""
        if expected[:count] == given[:count]:
            return expected
        wrong = (
            f"{name} is {theirs:#x}, expected {ours:#x}"
            for name, ours, theirs in zip(
                Record._fields[:count], expected[:count], given[:count], strict=True
            )
            if ours != theirs
        )
        raise Mismatch("; ".join(wrong))

    def _remove(self, key, found, entry):
        """Takes out a key whose last counters were ``found``."""
        counted = found.packets - entry.packets & COUNT_MASK
        if counted:
            self._counted[entry.flow, entry.generation] += counted
        del self.entries[key], self._keys[entry.flow]
        self._generations[entry.flow] = entry.generation + 1 & GENERATION_MASK

    def _clear(self):
        for flow, generation in self._generations.items():
            self._generations[flow] = generation + 1 & GENERATION_MASK
        self.entries.clear()
        self._keys.clear()

    def _read_slot(self, command, given, packets, sure):
        if command.slot > self._slots:
            return self._expect(given, FlowStatus.INVALID)
        if given.code not in MEANT:
            return self._expect(given, FlowStatus.NOT_FOUND)
        entry = self.entries.get(given.key)
        if entry is None:
            raise Mismatch(f"slot {command.slot} has the key {given.key:#x}, which is not present")
        if self._hashed and command.slot < self._slots:
            self._check_place(command.slot, given.key)
        return self._read(FlowStatus.OK, given.key, entry, given, packets, sure)

    def _check_place(self, slot, key):
        wanted = self._slots_of(key)
        if slot not in wanted:
            places = ", ".join(map(str, wanted))
            raise Mismatch(
                f"slot {slot} has the key {key:#x}, whose hash leads to the slots {places}"
            )

    # -- events -----------------------------------------------------------------------------------

    def event(
        self, given: Record, *, time: Time, packets: Sequence[Accounting] = (), sure: int = 0
    ) -> Record:
        """What the table reports; the arguments are those of :meth:`answer`."""
        if given.code == EventKind.LEARNED:
            return self._learned(given, time, packets)
        timeout = self.settings.get("idle_timeout", 0)
        entry = self.entries.get(given.key)
        if entry is None or not timeout:
            why = "which is not present" if timeout else "and nothing is to age"
            raise Mismatch(f"AGED for the key {given.key:#x}, {why}")
        found = self._read(EventKind.AGED, given.key, entry, given, packets, sure)
        # A packet may still come between the look at its age and its removal.
        _, _, seen = list(entry.counters(packets))[sure]
        idle = time.high - seen.low & TIME_MASK
        if idle < timeout:
            raise Mismatch(f"AGED after {idle} units of time; idle_timeout is {timeout}")
        self._remove(given.key, found, entry)
        return found

    def _learned(self, given, time, packets):
        if not self.settings.get("learn"):
            raise Mismatch(f"LEARNED for the key {given.key:#x}, and nothing is to be learned")
        if given.key in self.entries or not given.key & (1 << KIND_BITS) - 1:
            raise Mismatch(f"LEARNED for the key {given.key:#x}, which is present, or no key")
        if self.present >= self._slots:
            raise Mismatch(f"LEARNED with {self.present} keys present, as many as there are slots")
        entry = self._admit(given.key, self.settings.get("learn_action", 0), given, time)
        return self._read(EventKind.LEARNED, given.key, entry, given, packets, 0)


def _counters(values):
    count, size, seen = values
    return f"{count} packets, {size} bytes, seen {seen.low} to {seen.high}"
