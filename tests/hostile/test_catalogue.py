"""The generator's own promises: deterministic, without duplicates, told apart, free of the rest."""

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import stellar_hostile
from stellar_hostile import FAMILIES, GOOD, Hostile, frames, good, interleaved
from stellar_hostile.frame import Kit
from stellar_model import Settings, parse
from stellar_spec.codes import Flag, Verdict

HOME = Path(stellar_hostile.__file__).parent


def test_another_seed_changes_bytes_only(everything, seed):
    other = list(frames(seed=(seed + 1) % 2**32))
    assert [frame.name for frame in other] == [frame.name for frame in everything]
    assert sum(a.data != b.data for a, b in zip(everything, other, strict=True)) > 1000


def test_no_frame_and_no_name_comes_twice(everything):
    assert len({frame.name for frame in everything}) == len(everything)
    assert len({frame.identity for frame in everything}) == len(everything)


def test_the_first_byte_tells_the_family(everything):
    for frame in everything:
        assert list(FAMILIES)[frame.data[0] // 4 - 1] == frame.family
        assert frame.data[0] % 4 == 2  # locally administered, of a single card
    assert good().data[0] == 2


def test_frames_come_in_the_catalogues_order_and_no_family_is_empty(everything):
    assert list(Counter(frame.family for frame in everything)) == list(FAMILIES)
    assert all(frame.name.startswith(f"{frame.family}/") for frame in everything)
    assert all(frame.note for frame in everything)


def test_families_can_be_chosen():
    chosen = list(frames(["udp-size", "ip-version"]))
    assert list(Counter(frame.family for frame in chosen)) == ["ip-version", "udp-size"]
    alone = list(frames(["udp-size"]))
    assert alone == [frame for frame in chosen if frame.family == "udp-size"]


def test_a_limit_spreads_over_the_family():
    some = list(frames(["length-every"], limit=4))
    assert [frame.name for frame in some] == [f"length-every/{n}" for n in (1, 401, 801, 1201)]
    names = ["length-every", "ip-version", "vlan-mix"]
    counts = Counter(frame.family for frame in frames(names, limit=100))
    assert counts == {"length-every": 100, "ip-version": 32, "vlan-mix": 100}


def test_a_good_frame_stands_behind_each(everything):
    rows = list(interleaved(everything))
    assert rows[::2] == everything
    assert {frame.family for frame in rows[1::2]} == {GOOD}
    for bad, behind in zip(rows[::2], rows[1::2], strict=True):
        assert behind.settings == bad.settings
    for frame in {frame.identity: frame for frame in rows[1::2]}.values():
        trailer = parse(frame.data, settings=Settings(**frame.settings)).trailer
        assert trailer["verdict"] == Verdict.STELLAR
        short = frame.settings.get("max_length", 9216) < len(frame.data)
        assert trailer["flags"] == (Flag.OVERSIZE if short else 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"families": ["vlan-mixes"]}, "no family is called 'vlan-mixes'; there are vlan-mix"),
        ({"seed": -1}, "the seed is -1; 0 to 4294967295 is needed"),
        ({"seed": 2**32}, "the seed is 4294967296"),
        ({"limit": 0}, "the limit is 0; 1 or more"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        frames(**arguments)


def test_wrong_frames_are_named():
    with pytest.raises(ValueError, match="'a' has no bytes; a frame has at least 1"):
        Hostile("a", "b", b"")
    with pytest.raises(ValueError, match="'a' wants the setting 'trims'; there are stellar_port"):
        Hostile("a", "b", b"c", settings={"trims": 1})
    with pytest.raises(ValueError, match="trim is 2; it has 1 bits"):
        Hostile("a", "b", b"c", settings={"trim": 2})
    with pytest.raises(ValueError, match="family 'a' has number 64; 1 to 63 fit"):
        Kit("a", 64, 1)


def test_it_needs_only_the_specification_and_the_builder():
    allowed = {"stellar_spec", "stellar_model.build", *sys.stdlib_module_names}
    modules = list(HOME.rglob("*.py"))
    assert len(modules) > 15
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                found = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            else:
                continue
            packages = {name.partition(".")[0] for name in found}
            assert packages <= allowed or set(found) & allowed, (path, found)


def test_it_runs_without_the_gateware():
    code = (
        "import sys, stellar_hostile; list(stellar_hostile.frames(['ip-version']));"
        "assert not {'amaranth', 'stellar_nic', 'stellar_bench', 'scapy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
