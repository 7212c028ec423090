"""The flow table as a target: it passes as it is, mutants die, and stimuli do their job."""

import random
import re
from dataclasses import replace

import pytest

from stellar_bench.flow.ports import TablePorts
from stellar_bench.mutate import yosys
from stellar_bench.mutate.flow_table import TARGET
from stellar_bench.mutate.flow_table.special import ages, edges, intervals
from stellar_bench.mutate.flow_table.stimuli import ROWS, Set, made
from stellar_bench.mutate.flow_table.target import used
from stellar_model.flow.hash import hash_key
from stellar_spec.flow import FlowOp

SLOTS = 64
MUTANTS = 6
BY_NAME = {row.name: row for row in ROWS}


def test_rows_have_different_names():
    assert len(BY_NAME) == len(ROWS)


def summary(sets):
    return [
        (one.name, batch.pool, batch.traffic, segment.settings, segment.commands.keys.tolist())
        for one in sets
        for batch in one.batches
        for segment in batch.segments
    ]


def test_the_same_seed_gives_the_same():
    first, again, other = (
        summary(made(BY_NAME[name], slots=SLOTS, seed=seed) for name in ("low", "neighbours"))
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_the_contract_names_the_tables_ports():
    ports, contract = TablePorts(SLOTS).ports, TARGET.contract(SLOTS)
    assert {f"{name}__{end}" for name in contract.streams for end in ("valid", "payload")} <= (
        set(ports)
    )
    assert contract.clock in ports


@pytest.mark.parametrize("slots", [64, 256])
def test_edges_are_at_the_edge(slots, seed):
    """A hash one lower, of the first key, or one higher, of the other, leads elsewhere."""
    batch = edges(random.Random(seed), slots, 200)
    bits = TablePorts(slots).index_bits
    for segment in batch.segments:
        keys = [batch.pool[key] for key in segment.commands.keys[1:3]]
        assert list(segment.commands.ops[1:3]) == [FlowOp.INSERT] * 2
        (f, g), (f2, g2) = (hash_key(key, segment.settings["seed"], bits) for key in keys)
        assert f and g == 0
        assert g2 == (1 << bits) - 1
        # ... and what is not seen of it, by the definition, step by step.
        finer = [hash_key(key, segment.settings["seed"], 9) for key in keys]
        assert finer[0] == (f << 9 - bits, 0)
        assert finer[1][1] == (1 << 9) - 1


def test_memories_hold_something():
    text = "  connect \\DATA 8'00000000\n  connect \\EN 8'00000000\n  connect \\DATA 4'0001\n"
    filled = used(text)
    assert re.fullmatch(r"  connect \\DATA 8'[01]{8}", filled.splitlines()[0])
    assert filled != text
    assert filled.splitlines()[1:] == text.splitlines()[1:]


@pytest.fixture(scope="module")
def device(builds):
    """The table with mutants, as in a run; one build for all tests."""
    folder = builds / "flow_table"
    folder.mkdir(parents=True)
    yosys.prepare(TARGET.source(SLOTS), folder)
    mutants = yosys.list_mutants(folder, MUTANTS, 1)
    assert len(mutants) == MUTANTS
    return TARGET.device(SLOTS, *yosys.instrument(folder, mutants, "mutants"))


@pytest.mark.parametrize("row", [row for row in ROWS if row.special], ids=lambda row: row.name)
def test_the_table_passes_what_looks_for_one_fault(device, seed, row):
    device.select(0)
    assert device.run(made(row, slots=SLOTS, seed=seed)) is None


def test_what_is_learned_too_late_is_seen(device):
    """A table that obeys, and one that is thought to have a shorter interval than it has."""
    batch = intervals(random.Random(1), SLOTS, 40)
    shortest = batch.segments[0]
    late = replace(shortest, settings=shortest.settings | {"learn_interval": 1000})
    device.select(0)
    assert device.run(Set("right", [replace(batch, segments=[shortest])])) is None
    said = device.run(Set("late", [replace(batch, segments=[late])]))
    assert "no key was learned in cycles" in said
    assert "one is due in 401" in said


def test_what_ages_at_another_pace_is_seen(device):
    batch = ages(random.Random(1), SLOTS, 1)
    (right,) = batch.segments
    faster = replace(right, aged_apart=3 * right.aged_apart)
    never = replace(right, settings=right.settings | {"idle_timeout": 0})
    device.select(0)
    said = [device.run(Set("", [replace(batch, segments=[one])])) for one in (right, faster, never)]
    assert said[0] is None
    assert re.search(r"\d\d keys aged in \d+ cycles, not in", said[1])
    assert re.search(r"\d\d keys have not been aged, 0 have", said[2])


def test_mutants_die_and_the_table_lives(device):
    sets = [made(BY_NAME[name], slots=SLOTS, seed=1) for name in ("low", "neighbours")]
    said = []
    for mutant in range(MUTANTS + 1):
        device.select(mutant)
        said.append(next(filter(None, map(device.run, sets)), None))
    assert said[0] is None
    assert len(list(filter(None, said))) >= MUTANTS // 2, said
    device.select(0)
    assert device.run(sets[0]) is None, "a mutant left something behind"
