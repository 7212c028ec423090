"""The parser in the native engine against the golden model, at every width."""

import gc
import random
import warnings

import pytest
from amaranth.hdl import UnusedElaboratable

from stellar_bench.frames import SETTINGS_SETS, directed_frames, random_frames
from stellar_bench.native import NativeParser
from stellar_model import Ingress, pack, parse, unpack
from stellar_nic.parse import PARSER_WIDTHS, Parser
from stellar_nic.verilog import BLOCKS, export
from stellar_spec.records import HEADER_RECORD, TRAILER_RECORD


@pytest.fixture(scope="module")
def stimuli(seed):
    """Directed and random frames in random order: settings' name → (frame, meta, model's word)."""
    source = random.Random(seed)
    frames = directed_frames() + random_frames(source, 3000)
    source.shuffle(frames)
    by_settings = {name: [] for name in SETTINGS_SETS}
    for frame in frames:
        meta = Ingress(port=source.getrandbits(4), time=source.getrandbits(48))
        settings = SETTINGS_SETS[frame.settings]
        parsed = parse(frame.data, settings=settings, meta=meta, error=frame.error)
        by_settings[frame.settings].append((frame, meta, parsed))
    assert all(by_settings.values())
    return by_settings


def arguments(name, rows):
    return {
        "frames": [frame.data for frame, _, _ in rows],
        "errors": [frame.error for frame, _, _ in rows],
        "metas": [meta for _, meta, _ in rows],
        "marks": [parsed.header_end for _, _, parsed in rows],
        "settings": SETTINGS_SETS[name],
    }


def differences(rows, pairs):
    """The frames whose records are not the model's, with what the gateware says instead."""
    found = []
    for (frame, _, parsed), (header, trailer) in zip(rows, pairs, strict=True):
        expected = pack(HEADER_RECORD, parsed.header), pack(TRAILER_RECORD, parsed.trailer)
        if (header, trailer) != expected:
            records = unpack(HEADER_RECORD, header) | {"trailer": unpack(TRAILER_RECORD, trailer)}
            model = parsed.header | {"trailer": parsed.trailer}
            wrong = {
                f"{group}.{field}": (value, model[group][field])
                for group, row in records.items()
                for field, value in row.items()
                if value != model[group][field]
            }
            found.append((frame.name, frame.data.hex(), wrong))
    return found


def latency_of(width):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedElaboratable)  # it is asked, not built
        latency = Parser(width=width).latency
        gc.collect()
    return latency


@pytest.mark.parametrize("width", PARSER_WIDTHS)
def test_records_are_the_models(stimuli, width, seed):
    latency = latency_of(width)
    with NativeParser(width=width) as engine:
        for name, rows in stimuli.items():
            given = arguments(name, rows)
            free = engine.run_batch(**given)
            stalled = engine.run_batch(**given, idle=0.2, backpressure=0.3, seed=seed)
            pairs = free.pairs()
            assert differences(rows, pairs) == []
            assert stalled.pairs() == pairs
            # A beat every cycle, and as late as promised, never later.
            beats = sum(-(-len(frame.data) // width) for frame, _, _ in rows)
            assert free.cycles == beats + latency
            assert set(free.header_latency) == set(free.trailer_latency) == {latency}


def test_an_edited_constant_is_noticed(stimuli, tmp_path):
    text = export(BLOCKS["parser"](8), "parser")
    constant = "== 16'h9100"  # a VLAN's TPID
    assert constant in text
    edited = tmp_path / "edited.v"
    edited.write_text(text.replace(constant, "== 16'h9101"))
    rows = stimuli["default"]
    with NativeParser(width=8, verilog=edited) as engine:
        found = differences(rows, engine.run(**arguments("default", rows)))
    assert any("eth.vlan_count" in wrong for _, _, wrong in found)
    assert len(found) < len(rows) / 2
