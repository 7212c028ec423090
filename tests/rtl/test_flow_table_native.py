"""The flow table's gateware in native simulation against the model: one batch of each profile."""

import pytest

from stellar_bench.flow import NativeFlowTable
from stellar_bench.flow.batches import PROFILES, batch
from stellar_bench.flow.soak import run_batch

SLOTS = 64


@pytest.fixture(scope="module", params=[False, True], ids=["shared port", "engine's port"])
def engine(request):
    with NativeFlowTable(slots=SLOTS, engine_port=request.param) as engine:
        yield engine


@pytest.mark.parametrize("number", range(len(PROFILES)))
def test_gateware_and_model_agree(engine, seed, number):
    one = batch(slots=SLOTS, seed=seed, number=number, count=1500)
    found, problem = run_batch(engine, one)
    assert problem == ""
    assert found.model == found.gateware
    assert len(found.model) >= 1500
    if one.profile in ("churn", "collide"):
        assert found.seen["answer", "INSERT_FULL"]
