"""The flow table's model: what it says, and what it does not let pass."""

import random

import pytest

from stellar_model.flow import (
    Accounting,
    Command,
    FlowModel,
    Mismatch,
    Record,
    RecordFormat,
    Time,
    guarantee,
)
from stellar_model.flow.placement import leftover, slots_of
from stellar_spec.flow import EventKind, FlowOp, FlowStatus, seed_bits

SLOTS = 64
NOW = Time(100, 104)
OK, FULL, NOT_FOUND = FlowStatus.OK, FlowStatus.FULL, FlowStatus.NOT_FOUND


def key(number):
    return number << 3 | 1


class Table:
    """A model, and answers made for it; ``generation`` of each flow as a table would keep it."""

    def __init__(self, slots=SLOTS, **settings):
        self.model = FlowModel(slots=slots)
        self.model.configure(**settings)

    def give(self, op, number, given, *, action=0, slot=0, **options):
        packed = key(number) if number is not None else 0
        command = Command(int(op), slot, packed, action)
        return self.model.answer(command, given, time=NOW, **options)

    def insert(self, number, *, flow=None, generation=0, action=5, seen=100):
        flow = number if flow is None else flow
        given = Record(OK, key(number), action, flow, generation, 0, 0, seen)
        return self.give(FlowOp.INSERT, number, given, action=action)

    def delete(self, number, *, flow=None, generation=0, action=5, counters=(0, 0, 100)):
        flow = number if flow is None else flow
        given = Record(OK, key(number), action, flow, generation, *counters)
        return self.give(FlowOp.DELETE, number, given)


def packet(flow=1, generation=0, size=60, time=120):
    return Accounting(flow, generation, size, Time(time, time))


def test_the_life_of_a_key():
    table = Table()
    assert table.insert(1) == (OK, key(1), 5, 1, 0, 0, 0, 100)
    assert table.model.account(packet()) and table.model.account(packet(size=1500, time=130))
    updated = Record(FlowStatus.UPDATED, key(1), 9, 1, 0, 2, 1560, 130)
    assert table.give(FlowOp.INSERT, 1, updated, action=9) == updated
    changed = updated._replace(code=int(OK), action=7)
    assert table.give(FlowOp.UPDATE, 1, changed, action=7) == changed
    assert table.give(FlowOp.READ, 1, changed) == changed
    assert table.give(FlowOp.READ_SLOT, None, changed, slot=SLOTS) == changed
    assert table.delete(1, action=7, counters=(2, 1560, 130)) == changed
    assert table.model.present == 0
    assert not table.model.account(packet())
    assert table.model.stale == 1
    for op in (FlowOp.DELETE, FlowOp.UPDATE, FlowOp.READ):
        assert table.give(op, 1, Record(NOT_FOUND)) == Record(NOT_FOUND)
    table.insert(2, flow=1, generation=1)
    assert not table.model.account(packet())


def test_no_key_no_op_no_slot():
    table = Table()
    invalid = Record(FlowStatus.INVALID)
    for op in (FlowOp.INSERT, FlowOp.DELETE, FlowOp.UPDATE, FlowOp.READ, 6, 7):
        assert table.give(op, None, invalid) == invalid
    assert table.give(6, 1, invalid) == invalid
    assert table.give(FlowOp.READ_SLOT, 1, invalid, slot=SLOTS + 1) == invalid
    empty = Record(NOT_FOUND)
    assert table.give(FlowOp.READ_SLOT, 1, empty, slot=SLOTS) == empty
    with pytest.raises(Mismatch, match=r"status is 0, expected 4 \(INVALID\)"):
        table.give(FlowOp.READ_SLOT, 1, Record(OK), slot=SLOTS + 1)


def test_counters_wrap_and_are_one_of_what_is_possible():
    table = Table()
    table.insert(1)
    entry = table.model.entries[key(1)]
    entry.packets, entry.bytes, entry.seen = (1 << 48) - 1, (1 << 48) - 10, Time(100, 100)
    packets = [packet(size=20, time=101), packet(size=30, time=102)]
    possible = [((1 << 48) - 1, (1 << 48) - 10, 100), (0, 10, 101), (1, 40, 102)]
    for counters in possible:
        given = Record(OK, key(1), 5, 1, 0, *counters)
        assert table.give(FlowOp.READ, 1, given, packets=packets) == given
    for counters in ((0, 10, 102), (1, 10, 101), (0, 20, 101), (2, 40, 102)):
        with pytest.raises(Mismatch, match="counters are"):
            table.give(FlowOp.READ, 1, Record(OK, key(1), 5, 1, 0, *counters), packets=packets)
    with pytest.raises(Mismatch, match="expected 0 packets, 10 bytes, seen 101 to 101 to 1 pack"):
        first = Record(OK, key(1), 5, 1, 0, *possible[0])
        table.give(FlowOp.READ, 1, first, packets=packets, sure=1)
    for each in packets:
        table.model.account(each)
    assert (entry.packets, entry.bytes) == (1, 40)


def test_packets_in_a_delete_are_counted_or_stale():
    for counted in range(3):
        table = Table()
        table.insert(1)
        packets = [packet(time=101), packet(time=102)]
        seen = 100 + counted
        given = Record(OK, key(1), 5, 1, 0, counted, 60 * counted, seen)
        table.give(FlowOp.DELETE, 1, given, packets=packets)
        assert [table.model.account(each) for each in packets].count(True) == counted
        assert table.model.stale == 2 - counted


def test_time_wraps():
    table = Table()
    table.insert(1, seen=102)
    table.model.entries[key(1)].seen = Time((1 << 24) - 1, 1)
    for seen in ((1 << 24) - 1, 0, 1):
        table.give(FlowOp.READ, 1, Record(OK, key(1), 5, 1, 0, 0, 0, seen))
    with pytest.raises(Mismatch, match="seen 2; expected"):
        table.give(FlowOp.READ, 1, Record(OK, key(1), 5, 1, 0, 0, 0, 2))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"flow": 1}, "flow 1 was given to a new key; 0x9 has it"),
        ({"flow": SLOTS}, f"flow {SLOTS} was given; numbers are 0 to {SLOTS - 1}"),
        ({"flow": 3, "generation": 7}, "flow 3 has generation 7, expected 8"),
        ({"flow": 3, "generation": 9}, "flow 3 has generation 9, expected 8"),
        ({"seen": 99}, "seen 99; expected"),
        ({"seen": 105}, "seen 105; expected"),
    ],
)
def test_handles_of_new_keys(options, message):
    table = Table()
    table.insert(1)
    table.insert(3, generation=7)
    table.delete(3, generation=7)
    with pytest.raises(Mismatch, match=message):
        table.insert(2, **options)


def test_generations_wrap():
    table = Table()
    table.insert(1, generation=(1 << 15) - 1)
    table.delete(1, generation=(1 << 15) - 1)
    table.insert(1, generation=0)
    assert table.model.present == 1


def test_clear_gives_every_handle_a_new_generation():
    table = Table()
    table.insert(1)
    table.insert(2, generation=4)
    table.delete(2, generation=4)
    assert table.give(FlowOp.CLEAR, None, Record(OK)) == Record(OK)
    assert table.model.present == 0 and not table.model.account(packet())
    table.insert(1, flow=1, generation=1)
    table.insert(2, flow=2, generation=6)


def test_wrong_answers():
    table = Table()
    table.insert(1)
    for op, given, message in (
        (FlowOp.READ, Record(NOT_FOUND), "code is 0x3, expected 0x0"),
        (FlowOp.READ, Record(OK, key(2), 5, 1, 0, 0, 0, 100), "key is 0x11, expected 0x9"),
        (FlowOp.READ, Record(OK, key(1), 4, 1, 0, 0, 0, 100), "action is 0x4, expected 0x5"),
        (FlowOp.READ, Record(OK, key(1), 5, 2, 0, 0, 0, 100), "flow is 0x2, expected 0x1"),
        (FlowOp.DELETE, Record(OK, key(1), 5, 1, 1, 0, 0, 100), "generation is 0x1, expected"),
        (FlowOp.READ_SLOT, Record(OK, key(9), 5, 1, 0, 0, 0, 100), "0x49, which is not present"),
    ):
        with pytest.raises(Mismatch, match=message):
            table.give(op, 1, given)
    with pytest.raises(Mismatch, match="status is 0, expected 3"):
        table.give(FlowOp.DELETE, 2, Record(OK))


def test_full(seed):
    assert [guarantee(slots) for slots in (4, 64, 1024, 2048)] == [4, 51, 972, 1945]
    rng = random.Random(seed)
    table = Table(seed=rng.getrandbits(seed_bits(299, 4)))
    for number in range(1, 21):
        table.insert(number, flow=number)
    with pytest.raises(Mismatch, match="FULL with 20 keys in 64 slots.*51 are guaranteed"):
        table.give(FlowOp.INSERT, 21, Record(FULL))
    for number in range(21, 52):
        table.insert(number, flow=number)
    assert table.give(FlowOp.INSERT, 52, Record(FULL)) == Record(FULL)
    assert table.model.present == 51
    for number in range(52, 65):
        table.insert(number, flow=number % 64)
    with pytest.raises(Mismatch, match="status is 0, expected 2"):
        table.insert(65, flow=0)
    with pytest.raises(Mismatch, match="code is 0x2"):
        table.give(FlowOp.INSERT, 1, Record(FULL), action=5)  # it is there


def test_full_where_all_keys_collide():
    table = Table(seed=0)
    for number in range(1, 5):
        table.insert(number)
    with pytest.raises(Mismatch, match="FULL with 4 keys.*a slot for each"):  # the stash is free
        table.give(FlowOp.INSERT, 6, Record(FULL))
    table.insert(5)
    assert table.give(FlowOp.INSERT, 6, Record(FULL)) == Record(FULL)


def test_a_key_is_where_its_hash_leads():
    table = Table(seed=0)
    table.insert(1)
    given = Record(OK, key(1), 5, 1, 0, 0, 0, 100)
    for slot in (0, 16, 32, 48, SLOTS):
        assert table.give(FlowOp.READ_SLOT, None, given, slot=slot) == given
    with pytest.raises(Mismatch, match="slot 1 has the key 0x9, .* the slots 0, 16, 32, 48"):
        table.give(FlowOp.READ_SLOT, None, given, slot=1)


def test_leftover(seed):
    assert leftover([]) == 0
    assert leftover([[0, 1]] * 5) == 3
    assert leftover([[0], [0, 1], [1, 2], [2, 3]]) == 0
    assert leftover([[2, 3], [1, 2], [0, 1], [0], [0, 3]]) == 1
    # Against the theorem of Hall, by all subsets.
    rng = random.Random(seed)
    for _ in range(50):
        wanted = [rng.sample(range(6), 2) for _ in range(6)]
        most = max(
            len(chosen) - len({slot for at in chosen for slot in wanted[at]})
            for bits in range(64)
            for chosen in [[at for at in range(6) if bits >> at & 1]]
        )
        assert leftover(wanted) == most
    found = slots_of(key(7), 0, 4)
    assert found == [0, 16, 32, 48]


def test_ageing():
    table = Table(idle_timeout=10)
    table.insert(1)
    aged = Record(EventKind.AGED, key(1), 5, 1, 0, 0, 0, 100)
    with pytest.raises(Mismatch, match="AGED after 9 units of time; idle_timeout is 10"):
        table.model.event(aged, time=Time(105, 109))
    with pytest.raises(Mismatch, match="counters are 1 packets"):
        table.model.event(aged._replace(packets=1), time=Time(105, 110))
    assert table.model.event(aged, time=Time(105, 110)) == aged
    with pytest.raises(Mismatch, match="which is not present"):
        table.model.event(aged, time=Time(105, 110))
    table.insert(1, generation=1)
    table.model.configure()
    with pytest.raises(Mismatch, match="and nothing is to age"):
        table.model.event(aged._replace(generation=1), time=Time(0, 0))


def test_learning():
    table = Table(learn=1, learn_action=77)
    learned = Record(EventKind.LEARNED, key(1), 77, 1, 0, 0, 0, 102)
    with pytest.raises(Mismatch, match="action is 0x4c"):
        table.model.event(learned._replace(action=76), time=NOW)
    table = Table(learn=1, learn_action=77)
    assert table.model.event(learned, time=NOW) == learned
    with pytest.raises(Mismatch, match="which is present, or no key"):
        table.model.event(learned, time=NOW)
    with pytest.raises(Mismatch, match="which is present, or no key"):
        table.model.event(learned._replace(key=8, flow=2), time=NOW)
    table.model.configure()
    with pytest.raises(Mismatch, match="nothing is to be learned"):
        table.model.event(learned._replace(key=key(2), flow=2), time=NOW)


def test_records(seed):
    rng = random.Random(seed)
    form = RecordFormat(slots=2048, code_bits=3, key_bits=299)
    assert form.bits == 3 + 299 + 22 + 11 + 15 + 48 + 48 + 24
    value = rng.getrandbits(form.bits)
    record = form.unpack(value)
    assert form.pack(record) == value
    assert record.code == value & 7 and record.seen == value >> form.bits - 24
    with pytest.raises(ValueError, match="flow is 2048; it must be 0 to 2047"):
        form.pack(record._replace(flow=2048))
