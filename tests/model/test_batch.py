"""The batch model against the readable one: every record and every header end, field by field."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stellar_bench.frames import (
    SETTINGS_SETS,
    corpus_frames,
    directed_frames,
    long_frames,
    random_frames,
)
from stellar_bench.vectors import load
from stellar_model import Ingress, Settings, batch, pack, parse
from stellar_model.batch import FIELDS, parser
from stellar_spec.codes import EtherType, Layer, Protocol
from stellar_spec.headers import STELLAR_PORT
from stellar_spec.records import HEADER_RECORD, INGRESS, TRAILER_RECORD

META_BITS = sum(field.width for field in INGRESS)


def readable(frames, settings, metas=None, errors=None):
    metas = metas or [Ingress()] * len(frames)
    errors = errors or [False] * len(frames)
    rows = zip(frames, metas, errors, strict=True)
    return [parse(f, settings=settings, meta=meta, error=error) for f, meta, error in rows]


def complaints(frames, columns, expected):
    """What the batch model says differently, with the frame."""
    wanted = batch.of_records(expected)
    found = [
        f"{name}: {ours:#x}, readable {theirs:#x} in {frames[at].hex()}"
        for at, name, ours, theirs in columns.differences(wanted)
    ]
    ends = np.flatnonzero(columns.header_end != wanted.header_end)
    return found + [f"header_end in {frames[at].hex()}" for at in ends]


@pytest.fixture(scope="module")
def stimuli(seed):
    """Settings' name → frames, metas, errors, and what the readable model says of them."""
    source = random.Random(seed)
    frames = directed_frames() + random_frames(source, 5000) + list(long_frames())
    by_settings = {}
    for name, settings in SETTINGS_SETS.items():
        rows = [frame for frame in frames if frame.settings == name]
        assert len(rows) > 400
        data, errors = [row.data for row in rows], [row.error for row in rows]
        metas = [
            Ingress(**{field.name: source.getrandbits(field.width) for field in INGRESS})
            for _ in rows
        ]
        by_settings[name] = data, metas, errors, readable(data, settings, metas, errors)
    return by_settings


@pytest.mark.parametrize("name", SETTINGS_SETS)
def test_equal_on_directed_random_and_long_frames(stimuli, name):
    frames, metas, errors, expected = stimuli[name]
    settings = SETTINGS_SETS[name]
    columns = batch.parse(frames, settings=settings, metas=metas, errors=errors)
    assert complaints(frames, columns, expected) == []


@pytest.mark.parametrize("name", SETTINGS_SETS)
def test_equal_on_the_vectors_and_on_frames_made_for_other_settings(stimuli, name):
    settings = SETTINGS_SETS[name]
    frames = [vector.frame for vector in load()]
    for other in SETTINGS_SETS:
        frames += stimuli[other][0][::40]
    assert (
        complaints(frames, batch.parse(frames, settings=settings), readable(frames, settings)) == []
    )


def test_equal_on_the_vectors_with_their_own_settings():
    for vector in load():
        settings = Settings(**vector.settings)
        columns = batch.parse([vector.frame], settings=settings)
        assert complaints([vector.frame], columns, readable([vector.frame], settings)) == []


def test_equal_on_real_captures(corpus):
    frames = list({frame.data: None for frame in corpus_frames(corpus)})
    assert frames
    columns = batch.parse(frames)
    assert complaints(frames, columns, readable(frames, Settings())) == []


bytes_of_interest = st.sampled_from(
    [
        *(number.to_bytes(2, "big") for number in (0x8100, 0x88A8, 0x9100, STELLAR_PORT)),
        *(number.to_bytes(2, "big") for number in (EtherType.IPV4, EtherType.IPV6)),
        *(bytes([number]) for number in (*Protocol, 131, 137, 201, 0x45, 0x46, 0x60, 0xFF)),
        bytes(4),
    ]
)
soup = st.lists(st.one_of(bytes_of_interest, st.binary(max_size=12)), max_size=40).map(b"".join)
heads = st.sampled_from([b"", bytes(12), bytes(12) + b"\x08\x00E", bytes(12) + b"\x86\xdd`"])
broth = st.builds(lambda head, rest: head + rest, heads, soup)


@given(frames=st.lists(broth, max_size=8), settings=st.sampled_from(list(SETTINGS_SETS.values())))
def test_equal_on_byte_soup(frames, settings):
    columns = batch.parse(frames, settings=settings)
    assert complaints(frames, columns, readable(frames, settings)) == []


def test_blocks_do_not_show(stimuli, monkeypatch):
    frames, metas, errors, _ = stimuli["default"]
    given = {"metas": metas[:700], "errors": errors[:700]}
    whole = batch.parse(frames[:700], **given)
    monkeypatch.setattr(parser, "BLOCK_FRAMES", 97)
    monkeypatch.setattr(parser, "BLOCK_BYTES", 3000)
    split = batch.parse(frames[:700], **given)
    assert list(split.differences(whole)) == []
    assert (split.header_end == whole.header_end).all()


def test_records_are_the_readable_models(stimuli):
    for frames, metas, errors, expected in stimuli.values():
        settings = next(s for name, s in SETTINGS_SETS.items() if stimuli[name][0] is frames)
        columns = batch.parse(frames, settings=settings, metas=metas, errors=errors)
        records = [(parsed.header, parsed.trailer) for parsed in expected]
        assert list(columns.records()) == records


def test_packed_records_are_the_readable_models_and_decode(stimuli):
    frames, metas, errors, expected = stimuli["default"]
    columns = batch.parse(frames, metas=metas, errors=errors)
    headers, trailers = batch.pack_headers(columns), batch.pack_trailers(columns)
    assert [int.from_bytes(row.tobytes(), "little") for row in headers] == [
        pack(HEADER_RECORD, parsed.header) for parsed in expected
    ]
    assert [int.from_bytes(row.tobytes(), "little") for row in trailers] == [
        pack(TRAILER_RECORD, parsed.trailer) for parsed in expected
    ]
    back = batch.decode(headers, trailers)
    assert list(back.differences(columns)) == []
    assert back.header_end is None


def test_decode_takes_every_bit_to_its_field(seed):
    source = np.random.default_rng(seed)
    headers = source.integers(0, 256, (64, batch.HEADER_BYTES), np.uint8)
    trailers = source.integers(0, 256, (64, batch.TRAILER_BYTES), np.uint8)
    columns = batch.decode(headers, trailers)
    for groups, table in ((HEADER_RECORD, headers), (TRAILER_RECORD, trailers)):
        for row, data in enumerate(table):
            word = int.from_bytes(data.tobytes(), "little")
            for group in groups:
                for field in group.fields:
                    value = columns[f"{group.name}.{field.name}"][row]
                    number = int(value[0]) << 64 | int(value[1]) if value.ndim else int(value)
                    assert number == word & (1 << field.width) - 1
                    word >>= field.width


def test_layers_that_are_not_shown_are_zero_also_beside_those_that_are(stimuli):
    """That a whole batch is worked on at once lets nothing of one frame into another's record."""
    frames, metas, errors, _ = stimuli["default"]
    columns = batch.parse(frames)
    for layer in (Layer.UDP, Layer.TCP, Layer.STELLAR, Layer.ADDR, Layer.INT):
        hidden = columns.rows(columns["state.layers"] & layer == 0)
        assert 0 < len(hidden) < len(columns)
        for name in FIELDS:
            if name.startswith(f"{layer.name.lower()}."):
                assert not hidden[name].any(), name


class TestDigest:
    def test_does_not_depend_on_batches(self, stimuli):
        frames = stimuli["default"][0][:1000]
        whole = batch.parse(frames)
        running = batch.RecordDigest()
        for start in range(0, 1000, 300):
            running.update(batch.parse(frames[start : start + 300]))
        assert running.hexdigest() == batch.digest(whole)
        assert len(running.hexdigest()) == 32

    def test_depends_on_order_and_number(self, stimuli):
        whole = batch.parse(stimuli["default"][0][:50])
        swapped = whole.rows(np.array([1, 0, *range(2, 50)]))
        shorter = whole.rows(slice(49))
        assert len({batch.digest(one) for one in (whole, swapped, shorter)}) == 3

    @pytest.mark.parametrize("name", FIELDS)
    def test_depends_on_every_field(self, name):
        columns = batch.parse([bytes(20), bytes(30)])
        before = batch.digest(columns)
        columns[name][1] ^= 1
        assert batch.digest(columns) != before
        assert [row[:2] for row in columns.differences(batch.parse([bytes(20), bytes(30)]))] == [
            (1, name)
        ]


def test_no_frames():
    columns = batch.parse([])
    assert (len(columns), list(columns.records())) == (0, [])
    assert batch.pack_headers(columns).shape == (0, batch.HEADER_BYTES)
    assert list(columns.header_end) == []


class TestErrors:
    def test_metas_and_errors_are_one_for_each_frame(self):
        with pytest.raises(ValueError, match="metas has 1 entries for 2 frames; one each"):
            batch.parse([b"a", b"b"], metas=[0])
        with pytest.raises(ValueError, match="errors has 3 entries for 2 frames; one each"):
            batch.parse([b"a", b"b"], errors=[0, 0, 1])

    @pytest.mark.parametrize("meta", [-1, 1 << META_BITS])
    def test_a_meta_out_of_range(self, meta):
        with pytest.raises(ValueError, match=rf"metas\[1\] is {meta}; it must be 0 to 2\^52 - 1"):
            batch.parse([b"a", b"b"], metas=[0, meta])

    def test_tables_of_another_shape(self):
        headers = np.zeros((3, batch.HEADER_BYTES), np.uint8)
        trailers = np.zeros((2, batch.TRAILER_BYTES), np.uint8)
        with pytest.raises(ValueError, match=r"trailer records are uint8, \(2, .*\(3, "):
            batch.decode(headers, trailers)
        with pytest.raises(ValueError, match="header records are uint16"):
            batch.decode(headers.astype(np.uint16), trailers)

    def test_columns_of_another_length(self):
        with pytest.raises(ValueError, match="2 frames can't be compared with 1"):
            list(batch.parse([b"a", b"b"]).differences(batch.parse([b"a"])))
