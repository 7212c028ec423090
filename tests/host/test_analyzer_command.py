"""The command line of ``stellar-analyzer``: bad input, cut files, long files, outputs."""

import json
import re
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import stellar_model
from stellar_bench.vectors import FOLDER
from stellar_model.build import ethernet, ipv4, pad, stellar, udp
from stellar_sdk.analyzer import main
from stellar_sdk.analyzer.render import render
from stellar_sdk.analyzer.run import BATCH, BATCH_BYTES
from stellar_sdk.capture import Frame
from stellar_spec.opcodes import Opcode
from tests.host.analyzer_run import capture, parse
from tests.host.capture_bytes import file_header, record
from tests.model import frames

EXAMPLE = FOLDER.parents[1] / "docs" / "examples" / "stellartp.pcap"
COMMAND = [sys.executable, "-m", "stellar_sdk.analyzer", "parse"]
GOOD = pad(ethernet(ipv4(udp(b"hello", sport=1, dport=2))))


@pytest.fixture
def good(tmp_path):
    return capture(tmp_path / "good.pcap", GOOD)


def refused(run, *words):
    """The run ended with code 2, printed no object, and its message has ``words``."""
    assert (run.code, run.objects) == (2, [])
    assert run.errors.count("stellar-analyzer") >= 1 and "Traceback" not in run.errors
    for word in words:
        assert word in run.errors


def test_captures_that_cannot_be_read(tmp_path, capsys):
    absent = tmp_path / "absent.pcap"
    refused(parse(capsys, "-i", absent), repr(str(absent)), "No such file")
    refused(parse(capsys, "-i", tmp_path), repr(str(tmp_path)), "Is a directory")
    text, empty, wifi = (tmp_path / name for name in ("text", "empty", "wifi"))
    text.write_text("no capture")
    empty.write_bytes(b"")
    wifi.write_bytes(file_header(network=105))
    refused(parse(capsys, "-i", text), str(text), "is no pcap or pcapng file")
    refused(parse(capsys, "-i", empty), str(empty), "is empty")
    refused(parse(capsys, "-i", wifi), str(wifi), "IEEE 802.11", "only Ethernet")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--port", "0"], ["'0' is no UDP port; give 1 to 65535"]),
        (["--port", "65536"], ["'65536' is no UDP port; give 1 to 65535"]),
        (["--port", "x"], ["'x' is no UDP port; give 1 to 65535"]),
        (["--port", "-1"], ["'-1' is no UDP port; give 1 to 65535"]),
        (["--width", "3"], ["--width", "invalid choice: 3", "1, 2, 4, 8"]),
        (["--width", "wide"], ["--width", "'wide'"]),
        (["--engine", "vhdl"], ["'vhdl'", "'model'", "'rtl'", "'both'"]),
        (["--verilog", "parser.v"], ["--verilog", "--engine rtl or --engine both"]),
        (["--frobnicate"], ["--frobnicate"]),
    ],
)
def test_arguments_that_are_wrong(good, capsys, arguments, words):
    refused(parse(capsys, "-i", good, *arguments), *words)


def test_input_is_required(capsys):
    refused(parse(capsys), "-i/--input")


def test_outputs_that_are_wrong(good, tmp_path, capsys):
    nowhere = tmp_path / "absent" / "out"
    refused(parse(capsys, "-i", good, "--json", nowhere), str(nowhere), "No such file")
    refused(parse(capsys, "-i", good, "--json", tmp_path), str(tmp_path), "Is a directory")
    before = good.read_bytes()
    same = tmp_path / "same.pcap"
    same.symlink_to(good)
    for name in (good, same):
        refused(parse(capsys, "-i", good, "--json", name), repr(str(name)), "the capture itself")
    assert good.read_bytes() == before
    other = tmp_path / "other.pcap"
    kept = parse(capsys, "-i", good, "--json", other, "--counterexample", other)
    refused(kept, repr(str(other)), "--counterexample")
    assert not other.exists()


@pytest.mark.parametrize("count", [1, 5000])  # fails at the end, or at a write
def test_full_disk_is_the_outputs_error(tmp_path, capsys, count):
    file = capture(tmp_path / "many.pcap", *[GOOD] * count)
    run = parse(capsys, "-i", file, "--json", "/dev/full")
    refused(run, "--json '/dev/full' can't be written: No space left on device")
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, "-i", file], stdout=full, stderr=-1, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr == "stellar-analyzer: stdout can't be written: No space left on device\n"


def test_lines_go_to_the_file(tmp_path, capsys, good):
    out = tmp_path / "out.jsonl"
    out.write_text("what was there before\n" * 100)
    assert parse(capsys, "-i", good, "--json", out) == (0, [], "")
    assert [json.loads(out.read_text())] == parse(capsys, "-i", good).objects


def test_cut_file_gives_what_could_be_read(tmp_path, capsys):
    file = tmp_path / "cut.pcap"
    file.write_bytes((file_header() + record(GOOD) + record(b"\1") + record(GOOD))[:-3])
    code, objects, errors = parse(capsys, "-i", file)
    assert (code, [row["length"] for row in objects]) == (3, [60, 1])
    assert errors.startswith(f"stellar-analyzer: {file}: the file is cut: it ends at byte ")
    assert "at least 3 bytes are missing (after 2 whole frames)" in errors


def test_damaged_file_gives_what_could_be_read(tmp_path, capsys):
    file = tmp_path / "damaged.pcap"
    file.write_bytes(file_header() + record(GOOD) + record(GOOD, captured=1 << 30))
    code, objects, errors = parse(capsys, "-i", file)
    assert (code, [row["length"] for row in objects]) == (2, [60])
    assert "frame 2" in errors and "damaged" in errors


@pytest.mark.parametrize("count", [0, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH])
def test_batches_lose_no_frame(tmp_path, capsys, count):
    rows = [bytes(number % 40) for number in range(count)]
    code, objects, _ = parse(capsys, "-i", capture(tmp_path / "long.pcap", *rows))
    assert code == 0
    assert [(row["frame"], row["length"]) for row in objects] == [
        (number + 1, number % 40) for number in range(count)
    ]


def test_long_frames_make_short_batches(tmp_path, capsys):
    class Engine:
        sizes = []

        def records(self, frames):
            self.sizes.append(sum(map(len, frames)))
            for frame in frames:
                parsed = stellar_model.parse(frame)
                yield parsed.header, parsed.trailer

    long = bytes(BATCH_BYTES // 4)
    file = tmp_path / "long.pcap"
    file.write_bytes(file_header() + 4 * record(long) + record(b"\1"))
    code, objects, _ = parse(capsys, "-i", file, engine=Engine())
    assert (code, len(objects)) == (0, 5)
    assert Engine.sizes == [4 * len(long), 1]


def test_reader_that_goes_away_is_no_error(tmp_path):
    file = capture(tmp_path / "many.pcap", *[GOOD] * 2000)
    for arguments in ([], ["--json", "/dev/stdout"]):
        command = [*COMMAND, "-i", file, *arguments]
        with subprocess.Popen(command, stdout=-1, stderr=-1) as process:
            first = process.stdout.readline()
            process.stdout.close()
            errors = process.stderr.read()
            assert process.wait(timeout=60) == 0
        assert json.loads(first)["frame"] == 1
        assert errors == b""


def test_help_is_complete(capsys):
    text = help_of(capsys, "parse")
    for option in (
        "-i",
        "--engine",
        "--width",
        "--port",
        "--json",
        "--verilog",
        "--counterexample",
    ):
        assert re.search(rf"^  {option}\b", text, re.M), option
    codes = re.findall(r"^  (\d+) +\w", text[text.index("exit codes:") :], re.M)
    assert codes == ["0", "1", "2", "3", "130"]
    assert "parse" in help_of(capsys)


def help_of(capsys, *command):
    with pytest.raises(SystemExit) as left:
        main([*command, "--help"])
    assert left.value.code == 0
    return capsys.readouterr().out


def test_interrupt_has_its_exit_code(good, capsys):
    class Interrupted:
        def records(self, frames):
            raise KeyboardInterrupt

    assert parse(capsys, "-i", good, engine=Interrupted()) == (130, [], "")


@given(st.binary(max_size=300) | frames.frames(), frames.settings)
@example(bytes(140_000), stellar_model.Settings())
def test_any_bytes_can_be_rendered(frame, settings):
    parsed = stellar_model.parse(frame, settings=settings)
    shown = render(Frame(1, frame, len(frame), None), parsed.header, parsed.trailer)
    assert json.loads(json.dumps(shown)) == shown
    assert (shown["reason"] is None) == (shown["verdict"] != "DROP")
    assert (shown["key"] is None) == (shown["ip"] is None)
    assert shown["ip"] is None or shown["eth"] is not None


def test_example_capture_holds_the_plain_vectors(capsys):
    code, objects, errors = parse(capsys, "-i", EXAMPLE)
    assert (code, errors) == (0, "")
    assert {row["verdict"] for row in objects} == {"HOST", "STELLAR", "DROP"}
    reasons = {row["reason"] for row in objects}
    assert reasons == {None} | {
        *("UDP_CHECKSUM", "STELLAR_TRUNCATED", "STELLAR_OPCODE"),
        *("STELLAR_EXTENSION", "STELLAR_CHECK"),
    }


def test_port_is_settable(tmp_path, capsys):
    packet = stellar(Opcode.SEND, b"hello", flow=7, udp={"dport": 4791})
    file = capture(tmp_path / "port.pcap", ethernet(ipv4(packet)))
    assert parse(capsys, "-i", file).objects[0]["verdict"] == "HOST"
    record = parse(capsys, "-i", file, "--port", 4791).objects[0]
    assert (record["verdict"], record["stellar"]["flow"]) == ("STELLAR", 7)
