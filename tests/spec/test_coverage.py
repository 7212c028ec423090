"""The declared coverage of the end-to-end check, and the check of every golden frame by it."""

import pytest

from stellar_spec import headers
from stellar_spec.coverage import BYTES_COVERAGE, COVERAGE, Treatment, treatment
from stellar_spec.tables import HEADERS
from tests.spec import judge
from tests.spec.compare import VECTORS
from tests.spec.decoder import Layout, Spec

FIELDS = [(header, field.name) for header in HEADERS.values() for field in header.fields]


def test_every_field_is_declared_exactly_once():
    declared = [(id(entry.header), name) for entry in COVERAGE for name in entry.fields]
    assert sorted(declared) == sorted((id(header), name) for header, name in FIELDS)


def test_every_entry_says_why():
    assert all(entry.reason for entry in (*COVERAGE, *BYTES_COVERAGE))


def test_an_undeclared_field_is_refused():
    with pytest.raises(KeyError, match="coverage of field 'psm' of header 'StellarTP base header'"):
        treatment(headers.STELLAR, "psm")


def test_what_the_sender_alone_writes_is_covered_and_int_is_not():
    for header in (headers.STELLAR, headers.ADDR, headers.IMM, headers.ACK):
        for field in header.fields:
            assert treatment(header, field.name) is Treatment.COVERED
    for header in (headers.INT, headers.INT_HOP):
        for field in header.fields:
            assert treatment(header, field.name) is Treatment.ZERO


# What no receiver judges: other versions, other ports, packets without room for a check.
JUDGED = [
    vector
    for vector in VECTORS
    if "stellar" in vector.typed
    and not vector.settings
    and vector.typed["trailer"].get("reason") != "STELLAR_TRUNCATED"
]


@pytest.mark.parametrize("vector", JUDGED, ids=lambda vector: vector.name)
def test_the_declared_coverage_gives_the_typed_check(vector):
    wrong = "STELLAR_CHECK" in vector.typed["trailer"].get("flags", "")
    assert (judge.check(Layout(vector.frame, Spec())) != vector.part("check")) == wrong


def test_the_check_was_judged_right_and_wrong():
    wrong = [v for v in JUDGED if "STELLAR_CHECK" in v.typed["trailer"].get("flags", "")]
    assert len(wrong) >= 1 and len(JUDGED) - len(wrong) >= 40


def _turned(frame: bytes, at: int) -> bytes:
    """``frame`` with bit ``at`` (0: the first of the first byte) turned."""
    turned = bytearray(frame)
    turned[at // 8] ^= 0x80 >> at % 8
    return bytes(turned)


@pytest.mark.parametrize(
    "name", ["outer-ipv4-options", "outer-ipv6-routing-fragment", "reduce-ipv6-qinq-addr-int2"]
)
def test_prose_and_data_agree_on_every_bit(name):
    """A bit is covered by the rule in prose exactly when its field is declared to be."""
    (vector,) = [v for v in VECTORS if v.name == name]
    place = Layout(vector.frame, Spec())
    for row, at, _ in place.rows:
        header, bit = place.spec.headers[row], 8 * at
        for field in header.fields:
            covered = treatment(header, field.name) is Treatment.COVERED
            for _ in range(field.width):
                changed = _masked(place, _turned(vector.frame, bit))
                assert (changed != _masked(place, vector.frame)) == covered, (row, field.name)
                bit += 1


def _masked(place: Layout, frame: bytes) -> bytes:
    """``frame`` with zeros for all that docs/wire-format.md, section 6, masks or leaves out."""
    masked = bytearray(frame)
    starts = {row: at for row, at, _ in place.rows}
    network = starts.get("IPV4", starts.get("IPV6"))
    addresses = (network + 12, network + 20) if "IPV4" in starts else (network + 8, network + 40)
    for start, end in [
        (0, addresses[0]),
        (addresses[1], place.udp),
        (place.udp + 6, place.udp + 8),
        (starts["INT"], place.at) if "INT" in starts else (0, 0),
    ]:
        masked[start:end] = bytes(end - start)
    return bytes(masked[: place.udp + place.values("UDP")["length"] - headers.CHECK_SIZE])
