"""The flow table's gateware in native simulation against the model: one batch of each profile.

In a vendor's cells the models of those are under it: what a block RAM reads there while another
port writes it comes out wrong.
"""

import pytest

from stellar_bench.ecp5 import cells_text
from stellar_bench.flow import NativeFlowTable
from stellar_bench.flow.batches import PROFILES, batch
from stellar_bench.flow.soak import run_batch
from stellar_nic.flow import FlowTable
from stellar_nic.verilog import export

SLOTS = 64
COMMANDS = {"generic": 1500, "ecp5": 600}
FORMS = [(technology, port) for technology in COMMANDS for port in (False, True)]


@pytest.fixture(scope="module", params=FORMS, ids=lambda form: f"{form[0]}, engine_port={form[1]}")
def form(request, tmp_path_factory):
    """The native engine of a form of the table, and how many commands it is given."""
    technology, port = request.param
    options = {}
    if technology == "ecp5":
        table = FlowTable(slots=SLOTS, engine_port=port, technology=technology)
        path = tmp_path_factory.mktemp("cells") / "flow_table.v"
        path.write_text(export(table, "flow_table") + cells_text())
        options = {"verilog": path, "latency": table.latency}
    with NativeFlowTable(slots=SLOTS, engine_port=port, **options) as engine:
        yield engine, COMMANDS[technology]


@pytest.mark.parametrize("number", range(len(PROFILES)))
def test_gateware_and_model_agree(form, seed, number):
    engine, count = form
    one = batch(slots=SLOTS, seed=seed, number=number, count=count)
    found, problem = run_batch(engine, one)
    assert problem == ""
    assert found.model == found.gateware
    assert len(found.model) >= count
    if one.profile in ("churn", "collide"):
        assert found.seen["answer", "INSERT_FULL"]
