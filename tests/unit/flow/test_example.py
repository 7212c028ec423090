"""The example in docs/flow-table.md does what it says."""

import re
import warnings
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[3] / "docs" / "flow-table.md"


def run(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(text, str(DOCUMENT), "exec"), {})


@pytest.fixture
def example():
    (text,) = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text("utf-8"), re.M | re.S)
    return text


def test_the_example_runs(example):
    run(example)


@pytest.mark.parametrize(
    ("right", "wrong"), [("status == FlowStatus.OK", "status == 7"), ("(1, 7, flow)", "(1, 6, 0)")]
)
def test_its_assertions_are_reached(example, right, wrong):
    assert example.count(right) == 1
    with pytest.raises(AssertionError):
        run(example.replace(right, wrong))
