"""The soak: what it finds, how it says so, and how it ends."""

import multiprocessing
import re
from collections import Counter

import numpy as np
import pytest

from stellar_bench import coverage
from stellar_bench.native import EngineError, Records
from stellar_bench.native.abi import Kind, Stream, Time
from stellar_bench.soak import SOAKS, command, run, worker
from stellar_bench.soak.parser import ParserSoak, count_columns
from stellar_bench.soak.worker import Plan, Report
from stellar_bench.variants import variants
from stellar_model import batch
from stellar_sdk.capture import read_capture
from stellar_spec.codes import Flag


class Fake:
    """An engine that is the model, but spoils a record, or fails, at a frame of each run."""

    spoil = None
    given = []

    def __init__(self, *, width, verilog):
        self.width = width

    def run_batch(self, frames, *, errors, metas, settings, idle, backpressure, seed):
        type(self).given.append((frames, errors, metas, settings, idle, backpressure))
        columns = batch.parse(frames, errors=errors, metas=metas, settings=settings)
        if self.spoil == "hang":
            place = {"kind": Kind.HANG, "stream": Stream.O, "frame": 3, "cycle": 9}
            raise EngineError("frame 3 (counted from 0), cycle 9: hangs", **place)
        if self.spoil:
            columns[self.spoil][3] ^= 1
        headers, trailers = batch.pack_headers(columns), batch.pack_trailers(columns)
        return Records(headers, trailers, np.zeros((len(frames), len(Time)), np.int64), 0)

    def close(self):
        pass


@pytest.fixture
def soak(monkeypatch, tmp_path, seed):
    """Function of what is spoiled: a soak on the fake."""
    monkeypatch.setattr("stellar_bench.soak.parser.NativeParser", Fake)
    monkeypatch.setattr(Fake, "given", [])

    def make(spoil=None):
        monkeypatch.setattr(Fake, "spoil", spoil)
        return ParserSoak(width=8, seed=seed, folder=tmp_path)

    return make


def test_engines_that_agree(soak):
    one = soak()
    assert [one.batch(number, 300) for number in range(3)] == [[], [], []]
    model, gateware = one.digests
    assert model == gateware
    assert sum(n for (kind, _), n in one.seen.items() if kind == "verdict") == 900
    settings = {given[3] for given in Fake.given}
    assert len(settings) == 3
    assert all(any(errors) for _, errors, *_ in Fake.given)


def test_batches_do_not_depend_on_what_came_before(soak):
    first, second = soak(), soak()
    for number in range(3):
        first.batch(number, 200)
    second.batch(2, 200)
    assert Fake.given[-1] == Fake.given[2] != Fake.given[1]


@pytest.mark.parametrize("field", ["eth.dst", "key.flow", "trailer.verdict", "trailer.length"])
def test_a_difference_names_frame_field_and_both_values(soak, tmp_path, field):
    one = soak(field)
    lines = one.batch(4, 200)
    frames, errors, metas, settings, *_ = Fake.given[0]
    length = len(frames[3])
    start = f"MISMATCH parser_w8 batch 4 frame 3 ({length} bytes, error {int(errors[3])}, meta "
    assert lines[0] == f"{start}{metas[3]:#x}, {settings})"
    path = tmp_path / "parser_w8.4.3.pcap"
    assert lines[1] == f"  frame: {path}"
    assert [frame.data for frame in read_capture(path)] == [frames[3]]
    (wrong,) = lines[2:]
    ours, theirs = re.fullmatch(rf"  {field}: model (0x\w+).*, gateware (0x\w+).*", wrong).groups()
    assert int(ours, 16) ^ int(theirs, 16) == 1
    model, gateware = one.digests
    assert model != gateware


def test_a_broken_rule_names_its_frame(soak, tmp_path):
    lines = soak("hang").batch(0, 100)
    assert lines[0].startswith("MISMATCH parser_w8 batch 0 frame 3 (")
    assert lines[-1] == "  frame 3 (counted from 0), cycle 9: hangs"
    assert [f.data for f in read_capture(tmp_path / "parser_w8.0.3.pcap")] == [Fake.given[0][0][3]]


def test_what_was_seen_is_what_single_records_say(soak):
    columns = batch.parse(variants(1500, seed=(1, 2)))
    wanted = Counter()
    for header, trailer in columns.records():
        coverage.count_header(wanted, header)
        coverage.count_trailer(wanted, trailer)
    assert count_columns(columns) == wanted


@pytest.mark.parametrize("frames", [1, 499, 500, 20_000, 20_001, 123_456, 1_000_000])
def test_batches_make_up_the_whole(frames, tmp_path):
    plan = Plan("parser", frames, 1, tmp_path, {})
    numbers, sizes = zip(*plan.batches, strict=True)
    assert numbers == tuple(range(plan.count))
    assert sum(sizes) == frames
    assert 1 <= min(sizes) and max(sizes) <= 10_000
    assert frames < 20_000 or plan.count >= worker.BATCHES
    one = Plan("parser", frames, 1, tmp_path, {}, only=plan.count - 1)
    assert one.batches == [plan.batches[-1]]


def reports(**changes):
    seen = {(kind, name): 1 for kind, names in coverage.EXPECTED.items() for name in names}
    rows = [Report(w, 20_000, 1.0, "d", "d", Counter(seen)) for w in (8, 1)]
    for name, value in changes.items():
        setattr(rows[1], name, value)
    return rows


def test_summary(tmp_path):
    plan = Plan("parser", 20_000, 1, tmp_path, {})
    text, good = run.summary(plan, reports())
    assert good
    assert text.endswith("passed: parser at W = 8 and W = 1 and the model agree, 0 mismatches")
    for changes, said in (
        ({"gateware": "e"}, "FAILED digests differ"),
        ({"problems": ["MISMATCH x"]}, "FAILED parser_w1: gateware and model differ"),
        ({"frames": 7}, "FAILED parser_w1: stopped after 7 of 20000 frames"),
    ):
        text, good = run.summary(plan, reports(**changes))
        assert (good, said in text, "passed" in text) == (False, True, False)
    rows = reports()
    for row in rows:
        del row.seen["flag", Flag.TRIMMED.name]
    text, good = run.summary(plan, rows)
    assert (good, "FAILED never seen: flag TRIMMED" in text) == (False, True)
    one = Plan("parser", 20_000, 1, tmp_path, {}, only=0)
    for row in rows:
        row.frames = one.size
    assert run.summary(one, rows)[1]


def test_a_process_that_ends_early_or_says_nothing_is_a_failure(monkeypatch):
    here, there = multiprocessing.Pipe(duplex=False)
    there.send(5)
    there.close()
    taken = []
    (report,) = run._reports({here: 8}, taken.append)
    assert (report.problems, taken) == (["the process of width 8 ended too early"], [5])
    monkeypatch.setattr(run, "SILENT", 0.05)
    here, there = multiprocessing.Pipe(duplex=False)
    (report,) = run._reports({here: 1}, taken.append)
    assert report.problems == ["no word from width 1 for 0.05 s"]
    there.close()


def test_the_gateware_itself(capfd, seed):
    assert command.main(["--frames", "600", "--seed", str(seed)]) == 0
    text = capfd.readouterr().out
    lines = re.findall(r"(parser_w\d): 600 frames equal .* digest (\w{32}), model (\w{32})", text)
    assert [name for name, *_ in lines] == ["parser_w8", "parser_w1"]
    assert len({digest for _, *digests in lines for digest in digests}) == 1


def test_verilog_of_something_else(capfd, tmp_path):
    other = tmp_path / "other.v"
    other.write_text("module other(clk);\n  input clk;\nendmodule\n")
    code = command.main(["--frames", "500", "--verilog", f"parser_w8={other}"])
    assert code == 2
    errors = capfd.readouterr().err
    assert "error: parser_w8: " in errors and "is no parser of width 8" in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--frames", "0"], r"'0' is no number of frames \(N\); .* from 1 to 1000000000"),
        (["--frames", "1e6"], r"'1e6' is no number of frames \(N\)"),
        (["--block", "mac"], "'mac' is no block; blocks are parser"),
        (["--seed", "x"], "'x' is no seed; give a decimal number from 0 to 4294967295"),
        (["--frames", "600", "--batch", "2"], "--batch 2 is not there; batches are 0 to 1"),
        (["--verilog", "parser_w4=x.v"], "is not BENCH=FILE; benches are parser_w8, parser_w1"),
        (["--verilog", "parser_w8=absent.v"], "'absent.v' is no file; name one with parser_w8's"),
    ],
)
def test_wrong_arguments(capsys, arguments, message):
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2
    assert re.search(message, capsys.readouterr().err)


def test_blocks_are_listed_by_their_names():
    assert {name: block.name for name, block in SOAKS.items()} == {name: name for name in SOAKS}
