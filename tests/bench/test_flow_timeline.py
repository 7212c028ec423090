"""What a lookup may have found: the rules of docs/flow-table.md, hand-typed."""

import pytest

from stellar_bench.flow.timeline import Change, Looked, Timeline
from stellar_spec.flow import FlowOp

KEY, OTHER = 5, 6
OLD, NEW = (1, 2, 3), (4, 2, 3)


@pytest.fixture
def timeline():
    found = Timeline()
    found.add(KEY, Change(FlowOp.INSERT, 100, 150, OLD))
    found.add(KEY, Change(FlowOp.UPDATE, 200, 230, NEW))
    found.add(KEY, Change(FlowOp.DELETE, 300, 340, None))
    return found


@pytest.mark.parametrize(
    ("asked", "told", "allowed"),
    [
        (70, 86, {None}),
        (90, 106, {None, OLD}),
        (140, 156, {None, OLD}),  # asked in front of the answer: still either
        (151, 167, {OLD}),
        (190, 206, {OLD, NEW}),
        (220, 236, {NEW}),  # told behind the answer to UPDATE
        (250, 266, {NEW}),
        (310, 326, {NEW, None}),
        (330, 346, {None}),  # told behind the answer to DELETE
        (400, 416, {None}),
    ],
)
def test_one_key(timeline, asked, told, allowed):
    assert timeline.allowed(Looked(KEY, asked, told, None)) == allowed


def test_other_keys_are_never_found(timeline):
    assert timeline.allowed(Looked(OTHER, 151, 167, OLD)) == {None}


def test_clear_takes_all(timeline):
    timeline.add(OTHER, Change(FlowOp.INSERT, 400, 420, OLD))
    timeline.add_to_all(Change(FlowOp.CLEAR, 500, 900, None))
    assert timeline.allowed(Looked(OTHER, 490, 506, OLD)) == {OLD, None}
    assert timeline.allowed(Looked(OTHER, 900, 916, OLD)) == {None}
