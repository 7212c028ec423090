"""The measurement of fills: the real path with a small table, its judge, its page, its picture."""

import sys

import numpy as np
import pytest

from stellar_bench.fill import FillError, Filling, command, fill, measure, picture, table
from stellar_bench.flow import NativeFlowTable
from stellar_spec.flow import FlowStatus

SLOTS = 64
PAGE = f"above\n{table.START}\nold\n{table.END}\nbelow\n"


@pytest.fixture(scope="module")
def engine():
    with NativeFlowTable(slots=SLOTS) as engine:
        yield engine


def filling(slots, present, cycles=40, refused=0.0):
    return Filling(slots, present, np.full(present, cycles), refused)


def test_a_table_is_filled_until_it_says_full(engine, seed):
    alone, again, beside = (fill(engine, seed=seed, lookups=on) for on in (False, False, True))
    other = fill(engine, seed=seed + 1)
    assert SLOTS // 2 < alone.present <= SLOTS
    assert alone.share == alone.present / (SLOTS + 1)
    assert len(alone.cycles) == alone.present and 0 < min(alone.cycles)
    assert again.cycles.tolist() == alone.cycles.tolist()
    assert other.cycles.tolist() != alone.cycles.tolist()
    # Lookups take no room, but time.
    assert beside.present == alone.present and beside.cycles.mean() > alone.cycles.mean()
    assert alone.refused == 0 < beside.refused <= 1 / 8


def test_what_the_gateware_breaks_is_named(engine, seed, monkeypatch):
    few = measure.draw_keys
    monkeypatch.setattr(measure, "draw_keys", lambda rng, count: few(rng, count // 2))
    with pytest.raises(FillError, match=rf"^{SLOTS} slots, seed {seed}: 32 keys .* none is FULL$"):
        fill(engine, seed=seed)  # fewer keys than there is room for
    with pytest.raises(FillError, match="T: key 2 is new, and its insertion says UPDATED"):
        measure._present([FlowStatus.OK, FlowStatus.UPDATED, FlowStatus.FULL], "T")
    assert measure._present([FlowStatus.OK] * 5 + [FlowStatus.FULL, FlowStatus.OK], "T") == 5


def test_rules_of_the_engine_come_back_as_text(engine, seed, monkeypatch):
    run = engine.run
    monkeypatch.setattr(engine, "run", lambda *given, **more: run(*given, **more, timeout=1))
    with pytest.raises(FillError, match=rf"^{SLOTS} slots, seed {seed}: cycle \d+.*: hangs"):
        fill(engine, seed=seed)


def test_the_last_hundredth_below_a_fill():
    one = Filling(999, 960, np.arange(960), 0.0)
    assert one.around(0.5).tolist() == list(range(490, 500))
    assert one.around(0.96).tolist() == list(range(950, 960))
    assert one.around(0.98).tolist() == []


def test_the_fifth_percentile_is_judged_not_the_minimum():
    good = {(1023, False): [filling(1023, 900)] + [filling(1023, 980)] * 99}
    assert table.verdict(good) == []
    bad = good | {(2047, True): [filling(2047, 1920)] * 6 + [filling(2047, 2040)] * 94}
    said = "2047 slots beside lookups: 5th percentile of the fill is 0.9375, below 0.95"
    assert table.verdict(bad) == [said]


def test_the_table_says_what_was_measured():
    cycles = np.concatenate([np.full(980, 40), np.full(20, 1000)])
    found = {
        (999, False): [Filling(999, 960, cycles[:960], 0.0), Filling(999, 1000, cycles, 0.0)],
        (999, True): [Filling(999, 940, cycles[:940], 0.125)],
    }
    text = table.table(found, range(3, 5))
    head, _, first, second, _, made = text.split("\n")
    assert "| 999 | none | 0.9600 / 0.9620 / 0.9800 | 40 / 40 / 40 |" in first
    assert "| every cycle, 12.5% refused | 0.9400 / 0.9400 / 0.9400 |" in second
    assert second.endswith(" | – |")  # FULL came before
    assert {row.count("|") for row in (head, first, second)} == {8}
    assert made.startswith("2 tables of each size, seeds 3 to 4, verilator ")


def test_only_what_is_between_the_marks_is_renewed():
    new = table.renewed(PAGE, "a\nb")
    assert new == f"above\n{table.START}\n\na\nb\n\n{table.END}\nbelow\n"
    assert table.renewed(new, "a\nb") == new


def test_points_of_the_picture():
    fills, shares = picture.distribution([filling(999, 980), filling(999, 960)])
    assert fills.tolist() == [0.96, 0.98] and shares.tolist() == [0.5, 1]
    short, whole = filling(999, 960, cycles=10), filling(999, 1000, cycles=30)
    at, means, highest = picture.costs([short, whole])
    assert at.tolist() == [hundredth / 100 for hundredth in range(40, 97)]
    assert set(means) == {20} and set(highest) == {30}


def test_the_picture_is_the_same_again(tmp_path, plotting):
    found = {(999, on): [filling(999, 960), filling(999, 980)] for on in (False, True)}
    files = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for file in files:
        picture.draw(found, file)
    text = files[0].read_text(encoding="utf-8")
    assert text == files[1].read_text(encoding="utf-8")
    assert "<svg" in text and "999 slots, a lookup every cycle" in text and "<dc:date>" not in text


def run(tmp_path, *arguments, page=PAGE):
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    given = ["--tables", "3", "--page", str(tmp_path / "page.md"), *arguments]
    return command.main(given, sizes=((SLOTS, False), (SLOTS, True)))


def test_the_command_renews_the_page(engine, tmp_path, capsys):
    assert run(tmp_path) == 0
    shown = capsys.readouterr().out
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    made = page.partition(f"{table.START}\n\n")[2].partition(f"\n\n{table.END}")[0]
    assert made.count("\n| 64 | ") == 2 and "3 tables of each size, seeds 1 to 3" in made
    assert made in shown and shown.endswith("page.md\npassed\n")


def test_the_command_fails_below_the_contract(tmp_path, monkeypatch, capsys):
    low = {(SLOTS, False): [filling(SLOTS, 60)] * 3}
    monkeypatch.setattr(command, "_measure", lambda *_: low)
    assert run(tmp_path) == 1
    said = "FAILED 64 slots: 5th percentile of the fill is 0.9231, below 0.95\n"
    assert capsys.readouterr().out.endswith(said)
    assert "0.9231" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_without_the_library_nothing_is_begun(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setattr(command, "_measure", lambda *_: pytest.fail("measured"))
    assert run(tmp_path, "--picture", str(tmp_path / "fill.svg")) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: no picture without matplotlib") and "make bench BLOCK" in said


def test_a_broken_rule_ends_the_command(tmp_path, monkeypatch, capsys):
    def broken(*_):
        raise FillError("64 slots, seed 1: broken")

    monkeypatch.setattr(command, "_measure", broken)
    assert run(tmp_path) == 1
    assert capsys.readouterr().out.endswith("FAILED 64 slots, seed 1: broken\n")
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == PAGE


@pytest.mark.parametrize(
    "given, page, said",
    [
        (["--tables", "0"], PAGE, "'0' is no number of tables (N); give a decimal number from 1"),
        (["--seed", "x"], PAGE, "'x' is no seed; give a decimal number"),
        (["--page", "nowhere.md"], PAGE, "--page 'nowhere.md' is no file; leave it out"),
        ([], "nothing", "there must be one line <!-- fill --> and one <!-- fill end --> behind"),
        ([], PAGE + table.START, "there must be one line <!-- fill -->"),
        (["--picture", "fill.png"], PAGE, "--picture 'fill.png' is no file.svg in a folder"),
        (["--picture", "nowhere/fill.svg"], PAGE, "'nowhere/fill.svg' is no file.svg in a folder"),
    ],
)
def test_wrong_arguments_are_named(tmp_path, capsys, given, page, said):
    with pytest.raises(SystemExit) as stopped:
        run(tmp_path, *given, page=page)
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err
