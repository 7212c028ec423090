"""``stellar-analyzer parse --engine both`` with an engine that differs or fails on purpose."""

import copy
import shlex

import numpy as np
import pytest

import stellar_model
from stellar_bench.native import EngineError, Records
from stellar_bench.native.abi import Kind, Stream, Time
from stellar_model import Settings, batch
from stellar_model.build import ethernet, ipv4, stellar
from stellar_sdk.analyzer.command import DIFFERENT, OK
from stellar_sdk.analyzer.engines import BothEngine, EngineFailure, ModelEngine, RtlEngine
from stellar_sdk.analyzer.run import BATCH
from stellar_sdk.capture import Frame, read_capture
from stellar_spec.opcodes import Opcode
from stellar_spec.records import HEADER_RECORD, TRAILER_RECORD
from tests.host.analyzer_run import capture, parse

FIELDS = [f"{group.name}.{field.name}" for group in HEADER_RECORD for field in group.fields]
FIELDS += [f"trailer.{field.name}" for field in TRAILER_RECORD[0].fields]


def packet(flow):
    return ethernet(ipv4(stellar(Opcode.SEND, b"hello", flow=flow)))


class Fake:
    """The model, but flow ``flow`` has the lowest bit of ``field`` flipped, or fails."""

    def __init__(self, flow, field=None):
        self.flow, self.field, self.closed = flow, field, False

    def records(self, frames):
        for index, frame in enumerate(frames):
            parsed = stellar_model.parse(frame)
            header, trailer = copy.deepcopy((parsed.header, parsed.trailer))
            if header["stellar"]["flow"] == self.flow:
                if self.field is None:
                    raise EngineFailure("header.valid was withdrawn", index)
                group, name = self.field.split(".")
                (trailer if group == "trailer" else header[group])[name] ^= 1
            yield header, trailer

    def close(self):
        self.closed = True


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Function of a fake engine: a run over frames of flow 0, 1, …, one of them empty."""
    monkeypatch.chdir(tmp_path)

    def run(fake, frames=5, *arguments):
        rows = [packet(flow) for flow in range(frames)]
        rows = [Frame(at, data, len(data) + 4, 1000 * at) for at, data in enumerate(rows, 2)]
        file = capture(tmp_path / "in.pcap", Frame(1, b"", 0, 0), *rows)
        engine = BothEngine(ModelEngine(Settings()), fake)
        return parse(capsys, "-i", file, "--engine", "both", *arguments, engine=engine)

    return run


def test_engines_that_agree(run, tmp_path):
    fake = Fake(99)
    code, objects, errors = run(fake)
    assert (code, len(objects), errors) == (OK, 6, "")
    assert fake.closed
    assert not (tmp_path / "stellar-counterexample.pcap").exists()


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_is_compared(run, field):
    code, objects, errors = run(Fake(3, field))
    assert (code, [row["frame"] for row in objects]) == (DIFFERENT, [1, 2, 3, 4])
    assert errors.startswith(f"stellar-analyzer: frame 5: {field} differs: model 0x")


def test_difference_says_both_values_and_keeps_the_frame(run, tmp_path, capsys):
    code, objects, errors = run(Fake(3, "udp.sport"), 5, "--width", 2, "--port", 62842)
    assert (code, len(objects)) == (DIFFERENT, 4)
    first, second = errors.splitlines()
    assert first == "stellar-analyzer: frame 5: udp.sport differs: model 0x0, gateware 0x1"
    start = "stellar-analyzer: the frame is in 'stellar-counterexample.pcap'; repeat with: "
    assert second.startswith(start)
    file = tmp_path / "stellar-counterexample.pcap"
    data = packet(3)
    assert list(read_capture(file)) == [Frame(1, data, len(data) + 4, 5000)]
    command = second.removeprefix(start)
    assert command == (
        "stellar-analyzer parse -i stellar-counterexample.pcap --engine both --width 2 --port 62842"
    )
    engine = BothEngine(ModelEngine(Settings()), Fake(3, "udp.sport"))
    again = parse(capsys, *shlex.split(command)[2:], engine=engine)
    assert (again.code, again.objects) == (DIFFERENT, [])
    assert again.errors.startswith(
        "stellar-analyzer: frame 1: udp.sport differs: model 0x0, gateware 0x1\n"
    )
    assert list(read_capture(file)) == [Frame(1, data, len(data) + 4, 5000)]


def test_failure_names_the_frame(run, tmp_path):
    code, objects, errors = run(Fake(0), 5, "--counterexample", "a b.pcap", "--verilog", "x.v")
    assert (code, len(objects)) == (DIFFERENT, 1)
    first, second = errors.splitlines()
    assert first == "stellar-analyzer: frame 2: header.valid was withdrawn"
    assert second.endswith("parse -i 'a b.pcap' --engine both --width 8 --port 62842 --verilog x.v")
    assert [frame.data for frame in read_capture(tmp_path / "a b.pcap")] == [packet(0)]


def test_frames_are_named_in_later_batches(run):
    code, objects, errors = run(Fake(BATCH, "trailer.flags"), BATCH + 2)
    assert (code, len(objects)) == (DIFFERENT, BATCH + 1)
    assert errors.startswith(f"stellar-analyzer: frame {BATCH + 2}: trailer.flags differs:")


def test_counterexample_never_goes_over_the_capture(run, tmp_path):
    code, _, errors = run(Fake(3, "key.flow"), 5, "--counterexample", "in.pcap")
    assert code == DIFFERENT
    assert "frame 5: key.flow differs" in errors
    assert len(list(read_capture(tmp_path / "in.pcap"))) == 6


def test_counterexample_that_cannot_be_written_is_said(run):
    code, _, errors = run(Fake(3, "key.flow"), 5, "--counterexample", "absent/c.pcap")
    assert code == DIFFERENT
    assert "frame 5: key.flow differs" in errors
    assert "the frame can't be written to 'absent/c.pcap'" in errors


def test_rtl_engine_gives_the_records_in_front_of_its_failure(monkeypatch):
    class Parser:
        """Gives nothing when its third frame is in the batch, as the native simulation does."""

        def __init__(self, width, verilog):
            pass

        def run_batch(self, frames, settings):
            if len(frames) > 2:
                place = {"kind": Kind.HANG, "stream": Stream.O, "frame": 2, "cycle": 7}
                raise EngineError("frame 2 (counted from 0), cycle 7: hangs", **place)
            columns = batch.of_records(
                stellar_model.parse(frame, settings=settings) for frame in frames
            )
            headers, trailers = batch.pack_headers(columns), batch.pack_trailers(columns)
            return Records(headers, trailers, np.zeros((len(frames), len(Time)), np.int64), 0)

    monkeypatch.setattr("stellar_bench.native.engine.NativeParser", Parser)
    given = RtlEngine(Settings(), width=8).records([packet(flow) for flow in range(4)])
    assert [next(given)[0]["stellar"]["flow"] for _ in range(2)] == [0, 1]
    with pytest.raises(EngineFailure, match="fails; in its batch: frame 2 .*: hangs") as caught:
        next(given)
    assert caught.value.index == 2
