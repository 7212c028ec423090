"""A specification that is wrong somewhere must turn the golden frames red."""

from dataclasses import replace
from itertools import combinations

import pytest

from stellar_spec import headers
from stellar_spec.fields import Header
from stellar_spec.opcodes import OPCODES, Opcode
from tests.spec.compare import differing
from tests.spec.decoder import Spec


def test_the_specification_as_it_is_has_no_red_vector():
    assert differing(Spec()) == []


def _swapped(header: Header, one: str, other: str) -> Header:
    pair = {one: header[other], other: header[one]}
    return replace(header, fields=tuple(pair.get(f.name, f) for f in header.fields))


# Of IPv4 the fields that are 0 in every frame, or that no record shows, cannot be told apart.
UNSEEN = {"identification", "evil", "dont_fragment", "more_fragments", "fragment_offset"}
SWAPPED = ["ETHERNET", "VLAN", "IPV4", "IPV6", "UDP", "STELLAR", "ADDR", "ACK", "INT", "INT_HOP"]
SWAPS = [
    (name, one.name, other.name)
    for name in SWAPPED
    for one, other in combinations(getattr(headers, name).fields, 2)
    if not {one.name, other.name} & UNSEEN
]


@pytest.mark.parametrize(("name", "one", "other"), SWAPS, ids="-".join)
def test_two_swapped_fields_turn_the_vectors_red(name, one, other):
    spec = Spec()
    spec.headers[name] = _swapped(spec.headers[name], one, other)
    assert differing(spec)


@pytest.mark.parametrize("position", [0, 1, 2])
def test_two_swapped_extensions_turn_the_vectors_red(position):
    order = list(headers.STELLAR_EXTENSIONS)
    order[position : position + 2] = reversed(order[position : position + 2])
    assert differing(Spec(extensions=tuple(order)))


@pytest.mark.parametrize(("one", "other"), list(combinations(headers.STELLAR_EXTENSIONS, 2)))
def test_two_swapped_extension_flags_turn_the_vectors_red(one, other):
    spec = Spec()
    spec.flags[one], spec.flags[other] = spec.flags[other], spec.flags[one]
    assert differing(spec)


RULES = {opcode: (rule.required, rule.allowed, rule.body) for opcode, rule in OPCODES.items()}
DIFFERENT = [(one, other) for one, other in combinations(Opcode, 2) if RULES[one] != RULES[other]]


@pytest.mark.parametrize(("one", "other"), DIFFERENT, ids=lambda opcode: opcode.name)
def test_two_swapped_opcode_rules_turn_the_vectors_red(one, other):
    spec = Spec()
    spec.rules[one], spec.rules[other] = spec.rules[other], spec.rules[one]
    assert differing(spec)
