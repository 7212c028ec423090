"""``python -m stellar_bench.tshark``: exit codes and words; comparing has tests of its own."""

import pytest

from stellar_bench.tshark import command
from stellar_bench.tshark.command import main
from stellar_bench.tshark.compare import Report


@pytest.fixture
def few(monkeypatch):
    """Few frames, no corpus, and what ``compare`` is to report."""
    monkeypatch.delenv("STELLAR_CORPUS", raising=False)
    monkeypatch.setattr(command, "version", lambda: "9.9")
    for source in ("golden_frames", "hostile_frames", "stimuli"):
        monkeypatch.setattr(command, source, lambda *arguments: [])

    def reports(*differences):
        report = Report(differences=list(differences))
        report.counts["compared"] = 3
        monkeypatch.setattr(command, "compare", lambda captures: report)

    return reports


def test_equal_is_exit_code_0(few, tmp_path, capsys):
    few()
    assert main(["--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("tshark 9.9, seed 1\n") and out.count("3 compared") == 3
    assert "corpus: not run, STELLAR_CORPUS is not set" in out
    assert out.endswith("0 differences\n")


def test_a_difference_is_exit_code_1(few, tmp_path, capsys):
    few("frame 7: stellartp.psn is [1], the model has [2]")
    assert main(["--out", str(tmp_path), "--seed", "7"]) == 1
    captured = capsys.readouterr()
    assert "frame 7: stellartp.psn is [1]" in captured.err
    assert "seed 7" in captured.out and captured.out.endswith("3 differences\n")


def test_missing_tshark_is_exit_code_2(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("STELLAR_CORPUS", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("error: no program 'tshark'; on Debian and Ubuntu")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--count", "0"], "--count: '0' is no number of frames; give 1 or more"),
        (["--count", "many"], "--count: 'many' is no number of frames"),
        (["--seed", "-1"], "--seed: '-1' is no seed; give a decimal number from 0 to"),
    ],
)
def test_a_wrong_argument_is_named(arguments, message, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert message in capsys.readouterr().err


def test_a_wrong_corpus_is_named(monkeypatch, capsys):
    monkeypatch.setenv("STELLAR_CORPUS", "nowhere")
    with pytest.raises(SystemExit) as end:
        main([])
    assert end.value.code == 2
    assert "STELLAR_CORPUS='nowhere' is no folder" in capsys.readouterr().err
