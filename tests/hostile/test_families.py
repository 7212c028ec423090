"""Every family holds what it promises; judged by Scapy, RFCs and counts, see the judges."""

import pytest

import tests.hostile.judge_inner
import tests.hostile.judge_lengths
import tests.hostile.judge_outer
import tests.hostile.judge_stellar  # noqa: F401  registers its judges, as the others do
from stellar_hostile import FAMILIES
from tests.hostile.reading import JUDGES


def test_every_family_has_its_judge():
    assert set(JUDGES) == set(FAMILIES)


@pytest.mark.parametrize("name", FAMILIES)
def test_family_holds_what_it_promises(name, everything):
    frames = [frame for frame in everything if frame.family == name]
    assert frames
    JUDGES[name](frames)
