"""Fixtures of the unit tests."""

import gc
import random
import warnings

import pytest
from amaranth.hdl import UnusedElaboratable


@pytest.fixture
def rng(request, seed):
    """Random numbers of one test, from the run's seed."""
    return random.Random(f"{seed}/{request.node.name}")


@pytest.fixture
def unused():
    """For tests that construct components only: don't warn that they are not elaborated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedElaboratable)
        yield
        gc.collect()
