"""Mutants that are noticed, that are not, that end their simulation, and that never end."""

from pathlib import Path

import pytest

from stellar_bench.mutate.campaign import run
from stellar_bench.mutate.worker import CampaignError, Job
from tests.mutate.tiny import ACTED, Steps


def job(*acts, bits=3):
    sets = [Steps(f"set{at}", act.encode()) for at, act in enumerate(acts)]
    return Job(ACTED, 1, Path("none.v"), bits, sets)


def test_each_mutant_gets_its_verdict():
    # Mutant 0 is the block as it is; "." notices nothing.
    verdicts = run(job("..w.c", ".....", "...h."), range(1, 5), jobs=2, least=1)
    found = {verdict.mutant: verdict for verdict in verdicts}
    assert sorted(found) == [1, 2, 3, 4]
    assert [found[n].by for n in sorted(found)] == [None, "set0", "set2", "set0"]
    assert found[1].reason is None
    assert sorted(found[1].seconds) == ["set0", "set1", "set2"]
    assert found[2].reason == "wrong"
    assert found[3].reason == "time-out: the simulation took more than 1 s"
    assert found[4].reason == "the simulation ended with exit code 3"


@pytest.mark.parametrize(
    ("acts", "bits", "message"),
    [
        (["..", "w."], 1, "the block without a mutant fails in set1: wrong"),
        (["c."], 1, "the block without a mutant fails in set0: the simulation ended with exit"),
        ([".."], 99, "the simulation does not start: the simulation ended with exit code 5"),
        ([".k"], 1, "somebody else has ended it, or there is no memory left"),
    ],
)
def test_what_is_no_mutants_doing_is_no_kill(acts, bits, message):
    with pytest.raises(CampaignError, match=message):
        list(run(job(*acts, bits=bits), [1], jobs=1))
