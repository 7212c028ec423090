"""A proof that could not fail, or a twin that breaks nothing, is refused."""

import dataclasses
from pathlib import Path

import pytest

from stellar_formal import Twin
from stellar_formal.proofs import PROOFS, select
from stellar_formal.report import page
from tests.formal.wheel import PROOF, TWIN, Wheel, no_wrap

PAGE = Path(__file__).resolve().parents[2] / "docs" / "formal.md"


def test_the_twin_differs_from_the_design_in_the_damage():
    assert PROOF.top().rtlil() != PROOF.top(TWIN).rtlil()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"twins": ()}, "wheel.range has no broken twin"),
        ({"engine": "luck"}, "engine is 'luck'; there are: pdr, induction"),
        ({"depth": 0}, "depth is 0; give at least 1"),
        ({"reach": -1}, "reach is -1; give at least 1"),
        ({"timeout": 0}, "timeout is 0; give at least 1"),
    ],
)
def test_a_declaration_that_cannot_be_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(PROOF, **change)


def _asserts_nothing(top):
    top.design(Wheel())


def _covers_nothing(top):
    top.design(Wheel())
    top.prove(1, "one")


def _has_no_design(top):
    top.prove(1, "one")
    top.cover(1, "one")


@pytest.mark.parametrize(
    ("builder", "twin", "message"),
    [
        (_asserts_nothing, None, "asserts nothing"),
        (_covers_nothing, None, "covers nothing"),
        (_has_no_design, TWIN, "adds no design"),
    ],
)
def test_a_property_that_shows_nothing_is_refused(builder, twin, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(PROOF, build=builder).top(twin)


def _names_no_signal(m, s):
    m.d.comb += s.wrapped.eq(0)


def _does_nothing(m, s):
    pass


@pytest.mark.parametrize(
    ("twin", "error", "message"),
    [
        (Twin("a", _names_no_signal), LookupError, "0 signals are called 'wrapped'.*: count, "),
        (Twin("a", no_wrap, at="fifo"), LookupError, "no submodule 'fifo'.*there are: none"),
        (Twin("a", _does_nothing), ValueError, "the damage has no statement"),
    ],
)
def test_a_twin_that_does_not_fit_says_what_would(twin, error, message):
    with pytest.raises(error, match=message):
        PROOF.top(twin)


def test_names_are_there_once():
    names = [proof.name for proof in PROOFS]
    assert len(set(names)) == len(names)


def test_select_takes_a_part_of_a_name():
    assert [proof.name for proof in select("packet_fifo.w")] == ["packet_fifo.wait"]
    assert select(None) == PROOFS
    with pytest.raises(ValueError, match="no proof has 'x y' in its name; there are: slice"):
        select("x y")


@pytest.mark.parametrize(
    "proof", [p for p in PROOFS if not p.name.startswith("parser")], ids=lambda p: p.name
)
def test_every_twin_fits_its_design(proof):
    """The parser's are built by make formal only: they take seconds each."""
    good = proof.top().rtlil()
    for twin in proof.twins:
        assert proof.top(twin).rtlil() != good, twin.name


def test_the_table_in_the_docs_is_fresh():
    text = PAGE.read_text(encoding="utf-8")
    assert page(text, PROOFS) == text
    with pytest.raises(ValueError, match="needs the marks"):
        page("no marks", PROOFS)
