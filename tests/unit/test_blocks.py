"""Blocks and the sizes that a command line gives them."""

import pytest

from stellar_nic.blocks import BLOCKS


@pytest.mark.parametrize(
    ("name", "sizes", "message"),
    [
        ("parser", {"width": None, "slots": 64}, "slots 64 is not for a block whose size is its w"),
        ("limiter", {"flows": 4, "width": 1}, "width 1 is not for a block whose size is its flows"),
        ("flow_table", {"width": 8, "slots": 64}, "width 8 is not for a block whose size is its s"),
    ],
)
def test_a_size_of_another_block(name, sizes, message):
    with pytest.raises(ValueError, match=message):
        BLOCKS[name].chosen(**sizes)


def test_sizes_that_fit():
    assert BLOCKS["parser"].chosen(width=8, slots=None) == 8
    assert BLOCKS["flow_table"].chosen(width=None, slots=64) == 64
    for block in BLOCKS.values():
        assert block.chosen(width=None, slots=None, flows=None) is None
        assert block.chosen(**{block.word: block.size}) == block.size
