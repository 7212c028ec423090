"""The flow table's parameters, and what follows from them."""

import pytest

from stellar_nic.flow import KEY_LAYOUT, FlowTable

WRONG = [
    ({"slots": 100}, "slots must be a power of two, not 100; the next is 128"),
    ({"slots": 2}, "slots must be at least 4, not 2"),
    ({"slots": 4}, "slots must be from 8 to 65536, not 4"),
    ({"slots": 1 << 17}, "slots must be from 8 to 65536, not 131072"),
    ({"tables": 3}, "tables must be one of 2, 4, not 3"),
    ({"expansions": 500}, "expansions must be a power of two, not 500; the next is 512"),
    ({"expansions": 1 << 17}, "expansions must be from 2 to 65536, not 131072"),
    ({"scan_every": 31}, "scan_every must be from 32 to 16777216, not 31"),
    ({"scan_every": 1 << 25}, "scan_every must be from 32 to 16777216, not 33554432"),
    ({"technology": "ice40"}, "technology must be one of generic, ecp5, not 'ice40'"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong(arguments, message, unused):
    with pytest.raises(ValueError, match=message):
        FlowTable(**arguments)


@pytest.mark.parametrize("slots", [64, 2048, 65536])
def test_latency_is_constant_for_every_size(slots, unused):
    table = FlowTable(slots=slots)
    assert table.latency == 16
    assert table.slots == slots
    assert len(table.answer.payload.handle.flow) == slots.bit_length() - 1


def test_the_key_is_the_parsers(unused):
    assert KEY_LAYOUT.size == 299
    assert (FlowTable().tables, FlowTable().expansions, FlowTable().scan_every) == (4, 512, 256)
