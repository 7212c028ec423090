"""The flow table in ECP5 cells against the model, with models of the cells.

What a block RAM reads while another port writes it comes out wrong there.
"""

import pytest

from stellar_bench.ecp5 import cells_text
from stellar_bench.flow import NativeFlowTable
from stellar_bench.flow.batches import PROFILES, batch
from stellar_bench.flow.soak import run_batch
from stellar_nic.flow import FlowTable
from stellar_nic.verilog import export

SLOTS = 64


@pytest.fixture(scope="module", params=[False, True], ids=["shared port", "engine's port"])
def engine(request, tmp_path_factory):
    table = FlowTable(slots=SLOTS, engine_port=request.param, technology="ecp5")
    path = tmp_path_factory.mktemp("cells") / "flow_table.v"
    path.write_text(export(table, "flow_table") + cells_text())
    with NativeFlowTable(slots=SLOTS, verilog=path, latency=table.latency) as engine:
        yield engine


@pytest.mark.parametrize("number", range(len(PROFILES)))
def test_cells_and_model_agree(engine, seed, number):
    one = batch(slots=SLOTS, seed=seed, number=number, count=600)
    found, problem = run_batch(engine, one)
    assert problem == ""
    assert found.model == found.gateware
    assert len(found.model) >= 600
