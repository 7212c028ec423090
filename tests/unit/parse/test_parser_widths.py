# amaranth: UnusedElaboratable=no
"""The parser in Amaranth's simulator: every width, the scenarios that make sim runs, few frames."""

import random

import pytest

from stellar_bench.parse import scenarios
from stellar_bench.parse.amaranth import simulate
from stellar_bench.parse.traffic import INGRESS_WIDTH
from stellar_bench.stream_suite import assert_no_path, random_packets
from stellar_nic.parse import PARSER_WIDTHS, Parser

SHARE = {1: 0.02, 2: 0.03, 4: 0.05, 8: 0.08}
"""Share of the full run's frames: a narrow parser takes more cycles for each."""

CHOSEN = (
    scenarios.directed,
    scenarios.random_traffic,
    scenarios.full_rate,
    scenarios.header_is_independent,
    scenarios.trailer_without_output,
    scenarios.no_record_taken,
    scenarios.reset_in_packet,
)


@pytest.mark.parametrize("width", PARSER_WIDTHS)
def test_scenarios(width, seed, tmp_path):
    results = simulate(Parser(width=width), CHOSEN, seed=seed, share=SHARE[width], folder=tmp_path)
    assert [result.test for result in results] == [scenario.__name__ for scenario in CHOSEN]
    for result in results:
        assert result.frames > 0
        assert (result.mismatches, result.leftovers) == (0, 0)


@pytest.mark.parametrize("width", PARSER_WIDTHS)
def test_no_ready_reaches_a_valid_or_payload(width, seed):
    rng = random.Random(f"{seed}/{width}")
    packets = random_packets(rng, 30, max_length=90, meta_width=INGRESS_WIDTH, errors=0.1)
    assert_no_path(Parser(width=width), packets, rng=rng)


@pytest.mark.parametrize("width", PARSER_WIDTHS)
def test_properties(width):
    parser = Parser(width=width)
    assert parser.width == width
    assert parser.latency == 4


@pytest.mark.parametrize("width", [0, 3, 16, "8", None])
def test_other_widths_are_refused(width):
    with pytest.raises(ValueError, match=f"width is {width!r}; the parser takes 1, 2, 4 or 8"):
        Parser(width=width)
