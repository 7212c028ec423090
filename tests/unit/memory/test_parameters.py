"""Parameters of the memory room, and how many block RAMs a shape takes."""

import pytest
from amaranth.back import rtlil

from stellar_nic.memory import OutputRAM, PipelinedMultiplier
from stellar_nic.memory.ecp5 import block_rams


@pytest.mark.parametrize(
    "parameters, error, message",
    [
        ({"width": 0, "depth": 16}, ValueError, "width must be at least 1, not 0"),
        ({"width": "8", "depth": 16}, TypeError, "width must be an integer, not '8'"),
        ({"width": 8, "depth": 1}, ValueError, "depth must be at least 2, not 1"),
        ({"width": 8, "depth": 48}, ValueError, "power of two, not 48; the next is 64"),
        ({"width": 8, "depth": 1 << 17}, ValueError, "depth must be from 2 to 65536, not 131072"),
        (
            {"width": 8, "depth": 16, "technology": "ice40"},
            ValueError,
            "technology must be one of generic, ecp5, not 'ice40'",
        ),
    ],
)
@pytest.mark.usefixtures("unused")
def test_wrong_parameters_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        OutputRAM(**parameters)


@pytest.mark.usefixtures("unused")
def test_a_wrong_technology_of_the_multiplier_is_named():
    with pytest.raises(ValueError, match="technology must be one of generic, ecp5, not 'fast'"):
        PipelinedMultiplier(technology="fast")


@pytest.mark.usefixtures("unused")
def test_parameters_are_properties():
    ram = OutputRAM(width=29, depth=512, technology="ecp5")
    assert (ram.width, ram.depth, ram.technology, ram.latency) == (29, 512, "ecp5", 2)
    multiplier = PipelinedMultiplier()
    assert (multiplier.technology, multiplier.latency) == ("generic", 3)


@pytest.mark.parametrize(
    "width, depth, count",
    [
        (347, 512, 10),
        (347, 2, 10),
        (135, 2048, 15),
        (29, 512, 1),
        (29, 1024, 2),
        (10, 2048, 2),
        (11, 2048, 2),
        (5, 4096, 2),
        (3, 8192, 2),
        (3, 16384, 3),
        (3, 65536, 12),
    ],
)
def test_block_rams_are_as_few_as_said(width, depth, count):
    assert block_rams(width, depth) == count
    text = rtlil.convert(OutputRAM(width=width, depth=depth, technology="ecp5"))
    assert text.count("cell \\DP16KD ") == count
