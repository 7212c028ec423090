"""The flow table's gateware in native simulation against the model: one batch of each profile.

In a vendor's cells the models of those are under it: what a block RAM reads there while another
port writes it comes out wrong.
"""

import random
from dataclasses import replace

import pytest

from stellar_bench.ecp5 import cells_text
from stellar_bench.flow import NativeFlowTable
from stellar_bench.flow.batches import PROFILES, batch
from stellar_bench.flow.soak import run_batch
from stellar_bench.mutate.flow_table.special import years
from stellar_nic.flow import FlowTable
from stellar_nic.verilog import export
from stellar_spec.flow import EventKind

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


@pytest.fixture(scope="module")
def generic():
    with NativeFlowTable(slots=SLOTS) as engine:
        yield engine


def test_counters_of_years(generic, seed):
    """Presets come out again, in answers and events, and go on counting."""
    found, problem = run_batch(generic, years(random.Random(seed), SLOTS, 1000))
    assert problem == ""
    assert found.model == found.gateware
    assert max(record.packets for record in found.model) >> 47
    assert max(record.bytes for record in found.model) >> 47
    assert found.seen["event", EventKind.AGED.name]


def test_counters_wrap(generic, seed):
    """A flow at the last count goes on at 0, in packets and bytes."""
    last = (1 << 48) - 1
    one = years(random.Random(seed), SLOTS, 100)
    segments = [replace(segment, presets=[(last, last)] * SLOTS) for segment in one.segments[:2]]
    segments[0] = one.segments[0]
    found, problem = run_batch(generic, replace(one, segments=segments))
    assert problem == ""
    full, wrapped = set(), set()
    for record in found.model:
        handle = record.flow, record.generation
        if record.packets == last:
            full.add(handle)
        elif handle in full:
            wrapped.add((record.packets < 1000, record.bytes < 1 << 27))
    assert wrapped == {(True, True)}


def test_a_preset_that_is_not_there_is_seen(generic, seed):
    """The model is told of one packet more than the gateware."""
    one = years(random.Random(seed), SLOTS, 100)
    run = generic.run

    def other(*arguments, presets, **options):
        presets = presets and [(packets - 1, size) for packets, size in presets]
        return run(*arguments, presets=presets, **options)

    one.segments[1] = replace(one.segments[1], presets=[(1 << 40, 1 << 40)] * SLOTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generic, "run", other)
        _, problem = run_batch(generic, one)
    assert f"counters are {(1 << 40) - 1}" in problem


@pytest.mark.parametrize(
    ("presets", "message"),
    [
        ([(0, 0)], "presets are 1 rows; there are 64 flows"),
        ([(0, 1 << 48)] * SLOTS, "a preset is 281474976710656; .*48"),
    ],
)
def test_presets_that_are_none(generic, seed, presets, message):
    one = years(random.Random(seed), SLOTS, 100)
    one.segments[0] = replace(one.segments[0], presets=presets)
    with pytest.raises(ValueError, match=message):
        run_batch(generic, one)
