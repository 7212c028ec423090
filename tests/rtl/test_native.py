"""The native harness itself, on a stand-in for the parser, whole and broken."""

import random

import numpy as np
import pytest

from stellar_bench.native import EngineError, NativeParser
from stellar_bench.native.abi import Kind, Stream
from stellar_bench.verilate import BuildError
from stellar_model import Ingress, Settings
from stellar_nic.parse.layouts import HEADER_LAYOUT
from stellar_nic.verilog import export
from stellar_spec.records import SETTINGS
from tests.rtl.stand_in import CONSTANT, Break, StandIn, expected

META_BITS = 52


@pytest.fixture(scope="module")
def verilog(tmp_path_factory):
    """Function of the width: the stand-in's Verilog file."""
    folder = tmp_path_factory.mktemp("verilog")

    def file(width):
        path = folder / f"stand_in_w{width}.v"
        if not path.exists():
            path.write_text(export(StandIn(width=width), "stand_in"))
        return path

    return file


@pytest.fixture(scope="module")
def engines(verilog):
    """Function of the width: an engine with the stand-in. All of them live in one process."""
    made = {}

    def engine(width):
        if width not in made:
            made[width] = NativeParser(width=width, verilog=verilog(width))
        return made[width]

    yield engine
    for engine in made.values():
        engine.close()


def settings(**values):
    """Settings that are 0 but for ``values``."""
    return Settings(**dict.fromkeys((setting.name for setting in SETTINGS), 0) | values)


@pytest.fixture
def traffic(seed):
    """Frames of every length 1…130 in random order, with errors and metas."""
    return _traffic(seed, range(1, 131))


@pytest.fixture
def thirty(seed):
    """The same with the lengths 20…49."""
    return _traffic(seed, range(20, 50))


def _traffic(seed, lengths):
    source = random.Random(seed)
    lengths = source.sample(lengths, len(lengths))
    frames = [source.randbytes(length) for length in lengths]
    errors = [source.random() < 0.3 for _ in frames]
    metas = [source.getrandbits(META_BITS) for _ in frames]
    return {"frames": frames, "errors": errors, "metas": metas}


def records(of, port):
    rows = zip(of["frames"], of["errors"], of["metas"], strict=True)
    return [expected(frame, error, meta, port) for frame, error, meta in rows]


@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_records_are_the_parsers(engines, width, traffic):
    assert engines(width).run(**traffic, settings=settings(stellar_port=0xABCD)) == records(
        traffic, 0xABCD
    )


@pytest.mark.parametrize("width", [1, 8])
@pytest.mark.parametrize(
    "stalls",
    [
        {"idle": 0.5},
        {"backpressure": 0.5},
        {"idle": 0.4, "backpressure": {"o": 0.2, "header": 0.95}},
        {"backpressure": {"trailer": 0.9}},
    ],
)
def test_stalls_cost_cycles_and_change_no_record(engines, width, stalls, traffic):
    engine = engines(width)
    free = engine.run_batch(**traffic)
    stalled = engine.run_batch(**traffic, **stalls, seed=1)
    assert stalled.pairs() == free.pairs()
    assert stalled.cycles > 1.05 * free.cycles
    assert engine.run_batch(**traffic, **stalls, seed=1).cycles == stalled.cycles
    cycles = {engine.run_batch(**traffic, **stalls, seed=seed).cycles for seed in range(2, 6)}
    assert cycles != {stalled.cycles}


def test_rates_are_met(engines):
    of = {"frames": [bytes(8)] * 20_000}
    for rate in (0.25, 0.75):
        for stalls in ({"idle": rate}, {"backpressure": {"o": rate}}):
            cycles = engines(8).run_batch(**of, **stalls).cycles
            assert abs(len(of["frames"]) / cycles - (1 - rate)) < 0.01, stalls


@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_one_beat_a_cycle_and_latency(engines, width, traffic):
    marks = [6] * len(traffic["frames"])
    batch = engines(width).run_batch(**traffic, marks=marks)
    beats = [-(-len(frame) // width) for frame in traffic["frames"]]
    assert batch.cycles == sum(beats) + 1
    assert batch.times[:, 0].tolist() == [sum(beats[:at]) for at in range(len(beats))]
    assert set(batch.header_latency) == set(batch.trailer_latency) == {1}


@pytest.mark.parametrize("width", [1, 8])
@pytest.mark.parametrize(
    ("fault", "kind", "stream", "message"),
    [
        (Break.DROP_HEADER, Kind.HANG, Stream.HEADER, "29 header records, 30 trailer.*lost"),
        (Break.DROP_TRAILER, Kind.HANG, Stream.TRAILER, "30 header records, 29 trailer.*lost"),
        (Break.DOUBLE_HEADER, Kind.EARLY, Stream.HEADER, "record 17 was given twice, or record 18"),
        (Break.DOUBLE_TRAILER, Kind.EARLY, Stream.TRAILER, "record 17 was given twice, or record"),
        (Break.DATA, Kind.DATA, Stream.O, "differs at byte"),
        (Break.KEEP, Kind.KEEP, Stream.O, "wrong keep in the beat of byte"),
        (Break.LAST, Kind.LAST, Stream.O, "wrong last in the beat of byte"),
        (Break.ERROR, Kind.ERROR, Stream.O, "wrong error in the beat of byte"),
        (Break.META, Kind.META, Stream.O, "wrong meta in the beat of byte 0: expected 0x"),
        (Break.HANG, Kind.HANG, Stream.I, "nothing moved for 1000 cycles; of 30 frames"),
        (Break.EARLY_TRAILER, Kind.EARLY, Stream.TRAILER, "or record 17 came before"),
        (Break.SWALLOW, Kind.DATA, Stream.O, "packet at o differs at byte 0"),
        (Break.EXTRA, Kind.EARLY, Stream.O, "packet 17 came before the bytes"),
    ],
)
def test_faults_are_named_with_their_frame(engines, width, fault, kind, stream, message, thirty):
    at = 17
    broken = settings(stellar_port=7, own_ipv4=fault, own_ipv6=at)
    engine = engines(width)
    engine.reset()  # the stand-in counts frames from its reset
    idle = 0.5 if fault is Break.EXTRA else 0  # it shows where nothing is taken
    frame = at + 1 if "DOUBLE" in fault.name else at
    with pytest.raises(EngineError, match=f"^frame {frame} .*{message}") as caught:
        engine.run(**thirty, settings=broken, idle=idle)
    error = caught.value
    assert (error.kind, error.stream, error.frame) == (kind, stream, frame)
    # And the engine is as good as new.
    assert engine.run(**thirty, settings=settings(stellar_port=7)) == records(thirty, 7)


def test_a_doubled_last_record_is_a_leftover(engines, thirty):
    for fault, stream in (
        (Break.DOUBLE_HEADER, Stream.HEADER),
        (Break.DOUBLE_TRAILER, Stream.TRAILER),
        (Break.EXTRA, Stream.O),
    ):
        engine = engines(8)
        at = 30 if fault is Break.EXTRA else 29
        engine.reset()
        with pytest.raises(EngineError, match="^frame 29 .*one .* too many") as caught:
            engine.run(**thirty, settings=settings(own_ipv4=fault, own_ipv6=at))
        assert (caught.value.kind, caught.value.stream) == (Kind.EXTRA, stream)


@pytest.mark.parametrize(
    ("fault", "kind", "stream", "message"),
    [
        (Break.WITHDRAW, Kind.WITHDRAWN, Stream.HEADER, r"header record \d+: valid was withdrawn"),
        (Break.CHANGE, Kind.CHANGED, Stream.TRAILER, r"trailer record \d+: payload changed"),
    ],
)
def test_offers_must_stay(engines, fault, kind, stream, message, thirty):
    engine = engines(8)
    broken = settings(own_ipv4=fault)
    engine.run(**thirty, settings=broken)  # without back-pressure there is nothing to see
    with pytest.raises(EngineError, match=message) as caught:
        engine.run(**thirty, settings=broken, backpressure=0.5)
    assert (caught.value.kind, caught.value.stream) == (kind, stream)


def test_only_a_reset_between_runs_is_a_reset(engines, thirty):
    engine = engines(8)
    broken = settings(own_ipv4=Break.DATA, own_ipv6=32)
    engine.reset()
    engine.run(**thirty, settings=broken)
    with pytest.raises(EngineError, match="^frame 2 .*differs at byte"):
        engine.run(**thirty, settings=broken)


def test_by_default_settings_are_reset_and_metas_zero(engines, thirty):
    given = dict(thirty, metas=[Ingress()] * 30, errors=[False] * 30)
    pairs = engines(8).run(thirty["frames"])
    assert pairs == records(dict(given, metas=[0] * 30), Settings().stellar_port)
    assert engines(8).run(**given, settings=Settings()) == pairs


def test_arrays_equal_integers(engines, traffic):
    batch = engines(8).run_batch(**traffic)
    assert batch.headers.dtype == batch.trailers.dtype == np.uint8
    rows = zip(batch.headers, batch.trailers, strict=True)
    as_integers = [tuple(int.from_bytes(bytes(row), "little") for row in pair) for pair in rows]
    assert as_integers == batch.pairs()
    assert engines(8).run([]) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"frames": [b"a", b""]}, "frame 1 is empty; a packet has 1 byte or more"),
        ({"errors": [True]}, "errors has 1 entries for 2 frames; one each is needed"),
        ({"metas": [0, 1 << 52]}, r"metas\[1\] is 4503599627370496; it must be 0 to 2\^52 - 1"),
        ({"settings": 1 << 202}, r"settings is \d+; it must be 0 to 2\^202 - 1"),
        ({"idle": 1}, "idle is 1; a chance of 0 or more, below 1, is needed"),
        ({"backpressure": -0.1}, "backpressure of o is -0.1; a chance"),
        ({"backpressure": {"p": 0.1}}, r"backpressure of \['p'\]; streams are o, header, trailer"),
        ({"seed": -1}, r"seed is -1; it must be 0 to 2\^62 - 1"),
    ],
)
def test_wrong_arguments(engines, arguments, message):
    with pytest.raises(ValueError, match=message):
        engines(8).run(**{"frames": [b"a", b"b"], **arguments})


def test_closed_engine(verilog):
    with NativeParser(width=8, verilog=verilog(8)) as engine:
        assert engine.width == 8
    with pytest.raises(ValueError, match="the engine is closed"):
        engine.run([b"a"])


def test_an_edited_constant_is_noticed(verilog, tmp_path, traffic):
    text = verilog(8).read_text()
    constant = f"9'h{CONSTANT:03x}"
    assert text.count(constant) == 1
    edited = tmp_path / "edited.v"
    edited.write_text(text.replace(constant, f"9'h{CONSTANT ^ 1:03x}"))
    with NativeParser(width=8, verilog=edited) as engine:
        pairs = engine.run(**traffic, settings=settings(stellar_port=7))
    whole = records(traffic, 7)
    bit = HEADER_LAYOUT.const({"offsets": {"payload": 1}}).as_value().value
    assert [header for header, _ in pairs] == [header ^ bit for header, _ in whole]
    assert [trailer for _, trailer in pairs] == [trailer for _, trailer in whole]


def test_logic_that_never_settles(verilog, tmp_path):
    text = verilog(8).read_text()
    loop = "wire loop;\nassign loop = settings[200] & ~loop;\nassign o__valid = loop ^ "
    assert text.count("assign o__valid = ") == 1
    file = tmp_path / "loop.v"
    text = text.replace("assign o__valid = ", loop)
    file.write_text(text)
    with pytest.raises(BuildError, match="UNOPTFLAT.*Circular combinational logic"):
        NativeParser(width=8, verilog=file)
    file.write_text("/* verilator lint_off UNOPTFLAT */\n" + text)
    with NativeParser(width=8, verilog=file) as engine:
        with pytest.raises(EngineError, match="^frame 0 .* the simulation stopped") as caught:
            engine.run([bytes(64)], settings=1 << 200)
        assert caught.value.kind == Kind.MODEL
        assert len(engine.run([bytes(64)], settings=0)) == 1


def test_verilog_of_another_width(verilog):
    with pytest.raises(
        ValueError,
        match=r"stand_in_w1.v is no parser of width 8: module stand_in has other ports \(bits\): "
        "i__payload: 63, expected 126; o__payload: 63, expected 126",
    ):
        NativeParser(width=8, verilog=verilog(1))


def test_no_verilog_at_all(tmp_path):
    file = tmp_path / "readme.v"
    file.write_text("not Verilog\n")
    with pytest.raises(ValueError, match="is no parser of width 8: no module .*o__valid: missing"):
        NativeParser(width=8, verilog=file)
    with pytest.raises(FileNotFoundError):
        NativeParser(width=8, verilog=tmp_path / "absent.v")


def test_verilog_with_an_error(verilog, tmp_path):
    file = tmp_path / "wrong.v"
    file.write_text(verilog(8).read_text().replace("endmodule", "assign nonsense = ;\nendmodule"))
    with pytest.raises(BuildError, match="(?s)verilator_bin failed.*build.log.*syntax error"):
        NativeParser(width=8, verilog=file)
