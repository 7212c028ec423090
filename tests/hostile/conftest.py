"""All hostile frames of the run's seed, made once."""

import pytest

from stellar_hostile import frames

__all__ = []


@pytest.fixture(scope="session")
def everything(seed):
    """Every frame of every family."""
    return list(frames(seed=seed))
