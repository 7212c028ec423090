"""The golden model against the golden frames: both records whole."""

import pytest

import stellar_model
from stellar_bench.vectors import load

VECTORS = load()


def _numbers(record: dict) -> dict:
    return {name: int(value) for name, value in record.items()}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_model_says_what_was_typed(vector):
    parsed = stellar_model.parse(vector.frame, settings=stellar_model.Settings(**vector.settings))
    header = {group: _numbers(fields) for group, fields in parsed.header.items()}
    assert {"header": header, "trailer": _numbers(parsed.trailer), "hops": vector.hops} == (
        vector.expected
    )


def test_the_model_is_not_right_by_accident():
    """A byte of the base header turned in each StellarTP frame gives another record."""
    for vector in VECTORS:
        if "stellar" in vector.typed:
            frame = bytearray(vector.frame)
            frame[vector.header["offsets"]["l4"] + 8 + 4] ^= 1  # the last byte of the flow
            settings = stellar_model.Settings(**vector.settings)
            parsed = stellar_model.parse(bytes(frame), settings=settings)
            assert parsed.header["stellar"]["flow"] == vector.header["stellar"]["flow"] ^ 1
