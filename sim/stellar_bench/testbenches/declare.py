"""How a testbench makes cocotb tests of scenarios."""

import cocotb

__all__ = ["declare"]


def declare(run, scenario):
    """A cocotb test, named after ``scenario``, that awaits ``run(dut, scenario)``."""

    async def test(dut):
        await run(dut, scenario)

    test.__name__ = test.__qualname__ = scenario.__name__
    test.__doc__ = scenario.__doc__
    return cocotb.test()(test)
