"""Where fields stand in words, against the headers' bytes read as one number."""

import random

import pytest

from stellar_nic.parse.labelled import pieces
from stellar_spec import headers

HEADERS = [
    headers.IPV4,
    headers.IPV6,
    headers.UDP,
    headers.TCP,
    headers.STELLAR,
    headers.ADDR,
    headers.ACK,
    headers.INT,
]


def assemble(header, name, words, lead=0):
    value = 0
    for index, word_slice, field_slice in pieces(header, name, lead):
        part = words[index] >> word_slice.start & (1 << word_slice.stop - word_slice.start) - 1
        assert word_slice.stop - word_slice.start == field_slice.stop - field_slice.start
        value |= part << field_slice.start
    return value


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header.name)
def test_pieces_make_up_every_field(header, seed):
    rng = random.Random(f"{seed} {header.name}")
    bits = rng.getrandbits(header.width)
    data = bits.to_bytes(header.size, "big")
    words = [int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4)]
    for field in header.fields:
        below = header.width - header.offset(field.name) - field.width
        assert assemble(header, field.name, words) == bits >> below & (1 << field.width) - 1


def test_ethernet_stands_half_a_word_behind():
    frame = bytes(range(1, 15))
    data = bytes(2) + frame  # the first word's upper half is not part of the frame
    words = [int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4)]
    for name, part in (("dst", frame[:6]), ("src", frame[6:12]), ("type", frame[12:])):
        assert assemble(headers.ETHERNET, name, words, 16) == int.from_bytes(part, "big")
