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
        BLOCKS[name].check_only(**sizes)


def test_sizes_that_fit():
    BLOCKS["parser"].check_only(width=8, slots=None)
    BLOCKS["flow_table"].check_only(width=None, slots=64)
    for block in BLOCKS.values():
        block.check_only(width=None, slots=None)
        assert block.chosen(width=8, slots=64) == {"width": 8, "slots": 64}.get(block.word)
