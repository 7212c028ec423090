"""The parser's stimuli and judge: expectations are the readable model's, and each fault is told."""

from types import SimpleNamespace

import numpy as np
import pytest

from stellar_bench.mutate.parser import TARGET
from stellar_bench.mutate.parser.stimuli import NO_STALLS, ROWS, made
from stellar_bench.mutate.parser.target import judge
from stellar_bench.native.ports import ports
from stellar_model import Ingress, pack, parse
from stellar_spec.records import HEADER_RECORD, INGRESS, TRAILER_RECORD

BY_NAME = {row.name: row for row in ROWS}


def test_rows_have_different_names():
    assert len(BY_NAME) == len(ROWS)


def ingress(meta):
    values, at = {}, 0
    for field in INGRESS:
        values[field.name] = meta >> at & (1 << field.width) - 1
        at += field.width
    return Ingress(**values)


@pytest.fixture(scope="module")
def sample():
    return made(BY_NAME["sample"], width=8, seed=1, latency=4)


def test_expectations_are_the_readable_models(sample):
    assert 590 <= sum(len(batch.frames) for batch in sample.batches) <= 600
    assert len({frame.settings for batch in sample.batches for frame in batch.frames}) > 3
    for batch in sample.batches:
        for at, frame in enumerate(batch.frames[:8]):
            meta = ingress(batch.arguments["metas"][at])
            said = parse(frame.data, settings=frame.settings, meta=meta, error=frame.error)
            rows = batch.headers[at], batch.trailers[at]
            found = [int.from_bytes(row.tobytes(), "little") for row in rows]
            wanted = [pack(HEADER_RECORD, said.header), pack(TRAILER_RECORD, said.trailer)]
            assert found == wanted, frame.name
            assert batch.arguments["marks"][at] == said.header_end
            assert batch.arguments["settings"] == frame.settings.pack()


def test_the_same_seed_gives_the_same(sample):
    again = made(BY_NAME["sample"], width=8, seed=1, latency=4)
    assert [batch.arguments for batch in again.batches] == [
        batch.arguments for batch in sample.batches
    ]
    other = made(BY_NAME["sample"], width=8, seed=2, latency=4)
    assert other.batches[0].frames != sample.batches[0].frames


def test_a_reset_stands_in_front_of_each_batch():
    resets = made(BY_NAME["resets"], width=8, seed=1, latency=4)
    assert len(resets.doomed) == len(resets.batches) > 200
    for batch, lost in zip(resets.batches, resets.doomed, strict=True):
        assert len(batch.headers) == len(batch.frames) == len(batch.arguments["marks"]) == 2
        assert 0 <= lost.ends["cycles"] < lost.frames.beats(8) + 6
        assert lost.ends["reset"] in (1, 2, 3)


def records(batch, **changes):
    late = np.full(len(batch.frames), 4)
    values = {"headers": batch.headers, "trailers": batch.trailers, "cycles": batch.beats(8) + 4}
    values |= {"header_latency": late, "trailer_latency": late}
    return SimpleNamespace(**values | changes)


def test_the_judge_tells_each_fault(sample):
    batch = sample.batches[0]

    def said(stalls=NO_STALLS, **changes):
        return judge(batch, batch.beats(8), records(batch, **changes), stalls, 4)

    assert said() is None
    bad = batch.trailers.copy()
    bad[3, 0] ^= 1
    name = batch.frames[3].name
    assert said(trailers=bad) == f"the trailer record of frame 3 ({name}) is not the model's"
    assert said(headers=batch.headers ^ 1).startswith("the header record of frame 0 (")
    late = np.full(len(batch.frames), 5)
    assert "came 5 cycles after its last byte, not within 4" in said(header_latency=late)
    assert "came 5 cycles" in said(trailer_latency=late)
    held = {"idle": 0.0, "backpressure": {"header": 0.5}}
    assert said(held, header_latency=late) is None
    assert "though all was ready" in said(cycles=batch.beats(8) + 5)
    assert said({"idle": 0.1, "backpressure": 0.0}, cycles=10**6) is None


@pytest.mark.parametrize("width", TARGET.widths)
def test_the_contract_names_the_parsers_ports(width):
    contract = TARGET.contract(width)
    names = ports(width)
    assert {f"{stream}__{end}" for stream in contract.streams for end in ("valid", "payload")} <= (
        set(names)
    )
    assert contract.clock in names
    # Every number of bytes is allowed on the last beat, and only all of them on another.
    for last in (0, 1):
        allowed = [keep for keep in range(1 << width) if holds(contract, width, keep, last)]
        contiguous = [(1 << count) - 1 for count in range(1, width + 1)]
        assert allowed == (contiguous if last else contiguous[-1:])


def holds(contract, width, keep, last):
    """The assumptions on a beat; ``||`` and ``!`` are Verilog's."""
    payload = [keep << 8 * width >> bit & 1 for bit in range(9 * width)] + [last]
    for text in contract.assumptions:
        for verilog, python in (("i__payload", "payload"), ("i__valid", "1"), ("||", " or ")):
            text = text.replace(verilog, python)
        if not eval(text.replace("!", " not "), {"payload": payload}):
            return False
    return True
