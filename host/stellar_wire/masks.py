"""Which bytes of a header the end-to-end check feeds as they stand, from ``stellar_spec.coverage``.

One declaration serves the Wireshark dissector, the C header and the Scapy layer.
"""

from functools import cache
from itertools import groupby

from stellar_spec.coverage import Treatment, treatment
from stellar_spec.fields import Header

__all__ = ["mask", "runs"]


@cache
def mask(header: Header) -> bytes:
    """For each byte of ``header`` 0xff where it is fed as it stands, and 0 where as zero.

    Raises ``ValueError`` for a header of which a byte is treated in two ways, or is left out.
    """
    bits = [treatment(header, field.name) for field in header.fields for _ in range(field.width)]
    result = bytearray()
    for at in range(0, len(bits), 8):
        kinds = set(bits[at : at + 8])
        if len(kinds) > 1 or Treatment.OUTSIDE in kinds:
            raise ValueError(
                f"byte {at // 8} of {header.name} is {', '.join(sorted(k.value for k in kinds))};"
                " the check sequence takes whole bytes, each covered or as zero"
            )
        result.append(0xFF if Treatment.COVERED in kinds else 0)
    return bytes(result)


def runs(header: Header) -> list[tuple[int, int, bool]]:
    """``mask`` as (first byte, end, covered) of equal neighbours."""
    found, at = [], 0
    for keep, group in groupby(mask(header)):
        size = len(list(group))
        found.append((at, at + size, bool(keep)))
        at += size
    return found
