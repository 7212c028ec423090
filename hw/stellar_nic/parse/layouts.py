"""Amaranth layouts of the parser's records and settings, derived from ``stellar_spec``."""

from amaranth.lib import data

from stellar_spec.records import HEADER_RECORD, INGRESS, SETTINGS, TRAILER_RECORD

__all__ = ["HEADER_LAYOUT", "INGRESS_LAYOUT", "SETTINGS_LAYOUT", "TRAILER_LAYOUT"]


def _row(fields):
    return data.StructLayout({field.name: field.width for field in fields})


INGRESS_LAYOUT = _row(INGRESS)
"""``meta`` of the packets that enter: port and arrival time."""

HEADER_LAYOUT = data.StructLayout({group.name: _row(group.fields) for group in HEADER_RECORD})
"""The header record: a struct of one struct for each group."""

TRAILER_LAYOUT = _row(TRAILER_RECORD[0].fields)
"""The trailer record."""

SETTINGS_LAYOUT = _row(SETTINGS)
"""The parser's settings."""
