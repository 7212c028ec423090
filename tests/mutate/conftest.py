"""A folder for builds of the tests alone, in build/: the tools do not see /tmp."""

import shutil
import uuid

import pytest

from stellar_bench.verilate import build_root


@pytest.fixture(scope="package", autouse=True)
def builds():
    """``STELLAR_BUILD`` for the tests of this package."""
    folder = build_root() / f"mutate_test_{uuid.uuid4().hex[:8]}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STELLAR_BUILD", str(folder))
        yield folder
    shutil.rmtree(folder, ignore_errors=True)
