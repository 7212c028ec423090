"""What keeps a run from having passed; a run that did nothing has not."""

from collections import Counter

import pytest

from stellar_bench import coverage, report
from stellar_bench.benches import Bench, BenchError, select
from stellar_bench.cli import main
from stellar_bench.job import Outcome, Request
from stellar_bench.results import TestResult, append, complaints, digest_of, read, read_verdicts

GOOD = TestResult("one", frames=3)


def test_a_good_run_has_no_complaint():
    assert complaints(["one"], {"one": "passed"}, [GOOD]) == []


@pytest.mark.parametrize(
    ("wanted", "verdicts", "results", "complaint"),
    [
        (["one"], {"one": "skipped"}, [GOOD], "one: skipped"),
        (["one"], {}, [GOOD], "one: not run"),
        (["one"], {"one": "failed: AssertionError: x"}, [GOOD], "one: failed: AssertionError: x"),
        (["one"], {"one": "passed"}, [], "one: left no result"),
        (["one"], {"one": "passed", "two": "passed"}, [GOOD], "two: ran without being wanted"),
        ([], {}, [], "no test was wanted"),
    ],
)
def test_complaints(wanted, verdicts, results, complaint):
    assert complaint in complaints(wanted, verdicts, results)


@pytest.mark.parametrize("fault", [{"frames": 0}, {"mismatches": 1}, {"leftovers": 1}])
def test_frames_that_differ_or_never_came_are_a_complaint(fault):
    result = TestResult("one", **{"frames": 3, **fault})
    (found,) = complaints(["one"], {"one": "passed"}, [result])
    assert found.startswith(f"one: {result.frames} frames, {result.mismatches} mismatches")


def test_cocotbs_verdicts_are_read(tmp_path):
    xml = tmp_path / "results.xml"
    xml.write_text(
        '<testsuites><testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase>'
        '<testcase name="c"><failure type="T" message="m"/></testcase></testsuite></testsuites>'
    )
    assert read_verdicts(xml) == {"a": "passed", "b": "skipped", "c": "failed: T: m"}


def test_results_survive_their_file(tmp_path):
    result = TestResult("one", frames=2, hashes={"a"}, stellar={"b"}, messages=["m"])
    result.coverage["flag", "PADDED"] = 3
    append(tmp_path / "r", result)
    append(tmp_path / "r", GOOD)
    assert read(tmp_path / "r") == [result, GOOD]


def test_the_digest_does_not_depend_on_the_order():
    assert digest_of([("a", "1"), ("b", "2")]) == digest_of([("b", "2"), ("a", "1")])
    assert digest_of([("a", "1")]) != digest_of([("a", "2")])


def outcome(tmp_path, result):
    request = Request("parser_w8", (result.test,), 1, tmp_path, tmp_path)
    return Outcome(request, results=[result])


@pytest.mark.parametrize(
    ("share", "verilog", "command"),
    [
        (1.0, "", "make sim TEST=parser_w8.one SEED=7"),
        (1.0, "a.v", "make sim TEST=parser_w8.one SEED=7 VERILOG=parser_w8=a.v"),
        (0.5, "", "python -m stellar_bench --test parser_w8.one --seed 7 --share 0.5"),
    ],
)
def test_the_command_that_repeats_a_test(tmp_path, monkeypatch, share, verilog, command):
    monkeypatch.setenv("STELLAR_VERILOG_PARSER_W8", verilog)
    request = Request("parser_w8", ("one",), 7, tmp_path, tmp_path, share=share)
    assert request.repeat("one") == command


def full_result():
    frames = {str(number) for number in range(report.LEAST_FRAMES)}
    stellar = {str(number) for number in range(report.LEAST_STELLAR)}
    result = TestResult("one", frames=len(frames), hashes=frames, stellar=stellar)
    for kind, names in coverage.EXPECTED.items():
        result.coverage.update(Counter({(kind, name): 1 for name in names}))
    return result


def test_a_whole_run_passes_when_everything_was_seen(tmp_path):
    text, good = report.summary([outcome(tmp_path, full_result())], whole=True, seed=1)
    assert good, text


def test_a_whole_run_fails_for_what_was_never_seen(tmp_path):
    for kind, names in coverage.EXPECTED.items():
        for name in names:
            result = full_result()
            del result.coverage[kind, name]
            text, good = report.summary([outcome(tmp_path, result)], whole=True, seed=1)
            assert not good
            assert f"never seen: {kind} {name}" in text


@pytest.mark.parametrize("group", ["hashes", "stellar"])
def test_a_whole_run_fails_for_too_few_frames(tmp_path, group):
    result = full_result()
    getattr(result, group).pop()
    text, good = report.summary([outcome(tmp_path, result)], whole=True, seed=1)
    assert not good
    assert "a whole run has at least" in text


def test_a_pattern_that_names_no_test_says_which_there_are():
    with pytest.raises(BenchError, match=r"no test has 'nothing' in its name; there are: parser_"):
        select("nothing")


def test_a_verilog_file_that_is_missing_is_named(tmp_path, monkeypatch):
    bench = Bench("parser", 8, "stellar_bench.testbenches.parser")
    monkeypatch.setenv(bench.override, str(tmp_path / "none.v"))
    with pytest.raises(BenchError, match=r"none\.v' is no file"):
        bench.verilog()


@pytest.mark.parametrize(
    "arguments",
    [["--test", "nothing"], ["--verilog", "x"], ["--verilog", "parser_w8=/nowhere.v"]],
)
def test_bad_requests_end_with_code_2(arguments, capsys, monkeypatch):
    monkeypatch.setenv("STELLAR_VERILOG_PARSER_W8", "")  # so that it is restored
    monkeypatch.setenv("STELLAR_CORPUS", "")
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "-1"], "'-1' is no seed; give a decimal number from 0 to 4294967295"),
        (["--seed", "4294967296"], "'4294967296' is no seed"),
        (["--jobs", "0"], "'0' is no number of benches; give 1 or more"),
        (["--share", "0"], "'0' is no share; give a number above 0 and up to 100"),
    ],
)
def test_bad_options_say_what_would_be_right(arguments, message, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_corpus_that_is_none_is_named(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("STELLAR_CORPUS", str(tmp_path))
    assert main(["--list"]) == 2
    assert "is no folder with *.pcap or *.pcapng files in it" in capsys.readouterr().err
