"""The command line: what is wrong is named, and listing runs nothing."""

import pytest

from stellar_formal.cli import main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--test", "nonsense"], "no proof has 'nonsense' in its name; there are: "),
        (["--page", "/nowhere/page.md"], "No such file"),
    ],
)
def test_wrong_arguments_are_named(capsys, arguments, message):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_jobs_must_be_a_number(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--jobs", "0"])
    assert "'0' is no number of runs; give 1 or more" in capsys.readouterr().err


def test_list_runs_nothing(capsys):
    assert main(["--list", "--test", "packet_fifo.wait"]) == 0
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("packet_fifo.wait ")
