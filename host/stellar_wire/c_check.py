"""The end-to-end check in C, its covered bytes from ``stellar_spec.coverage``."""

from stellar_spec import headers

from .masks import runs

__all__ = ["check_functions"]

_CRC = """
/* CRC-32 of IEEE 802.3 over `size` more bytes, or as many zeros where `data` is NULL; starts from
 * 0xffffffff, and is inverted at the end */
static inline uint32_t stellartp_crc32(uint32_t crc, const uint8_t *data, size_t size)
{
    size_t at;
    int bit;
    for (at = 0; at < size; at++) {
        crc ^= data ? data[at] : 0u;
        for (bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
    }
    return crc;
}

/* Bytes of INT with its hops; `p` is its first word. More hops than may be reserved have none. */
static inline size_t stellartp_int_total(const uint8_t *p)
{
    size_t hops = stellartp_int_hops_reserved(p);
    if (hops > STELLARTP_INT_HOPS_MAX)
        hops = 0;
    return STELLARTP_INT_SIZE + hops * STELLARTP_INT_HOP_SIZE;
}
"""

_CHECK = """
/* Computes the end-to-end check of a whole, well-formed datagram.
 * `addresses`: IP source and destination, `address_bytes` 8 or 32 together; `between`: bytes from
 * there to the UDP header (0 in what a StellarTP sender sends); `datagram`: UDP header and payload,
 * `size` bytes, the place of the check included.
 * Returns 0 and the check in `check` as it stands on the wire, or -1 when the datagram has no room
 * for its headers. */
static inline int stellartp_check(const uint8_t *addresses, size_t address_bytes, size_t between,
                                  const uint8_t *datagram, size_t size,
                                  uint8_t check[STELLARTP_CHECK_SIZE])
{
    const uint8_t *base = datagram + STELLARTP_UDP_SIZE;
    size_t at = STELLARTP_UDP_SIZE, end, hops, i;
    unsigned flags;
    uint32_t crc;
    if (size < STELLARTP_UDP_SIZE + STELLARTP_BASE_SIZE + STELLARTP_CHECK_SIZE)
        return -1;
    end = size - STELLARTP_CHECK_SIZE;
    flags = stellartp_flags(base);
    at += stellartp_headers_size(flags);
    if (at > end)
        return -1;
    if (flags & STELLARTP_FLAG_INT) {
        at = at - STELLARTP_INT_SIZE + stellartp_int_total(base + stellartp_int_offset(flags));
        if (at > end)
            return -1;
    }
    crc = stellartp_crc32(0xffffffffu, addresses, address_bytes);
    crc = stellartp_crc32(crc, NULL, between);
%s
    crc = ~stellartp_crc32(crc, datagram + at, end - at);
    for (i = 0; i < STELLARTP_CHECK_SIZE; i++)
        check[i] = (uint8_t)(crc >> 8 * i);
    return 0;
}"""


def _feed(name: str, start: str, indent: str) -> list[str]:
    """Statements that feed one header, whose first byte is ``start``."""
    return [
        f"{indent}crc = stellartp_crc32(crc, {f'{start} + {first}' if covered else 'NULL'},"
        f" {end - first});"
        for first, end, covered in runs(getattr(headers, name))
    ]


def _headers() -> list[str]:
    lines = [*_feed("UDP", "datagram", "    "), *_feed("STELLAR", "base", "    ")]
    for name in headers.STELLAR_EXTENSIONS:
        lines.append(f"    if (flags & STELLARTP_FLAG_{name}) {{")
        start = f"base + stellartp_{name.lower()}_offset(flags)"
        lines += _feed(name, start, " " * 8)
        if name == "INT":
            size = "STELLARTP_INT_SIZE"
            lines.append(f"        hops = (stellartp_int_total({start}) - {size}) /")
            lines.append("               STELLARTP_INT_HOP_SIZE;")
            lines.append(f"        for (i = 0; i < hops; i++) {{ /* behind {size} */")
            hop = f"{start} + {size} + i * STELLARTP_INT_HOP_SIZE"
            lines += [*_feed("INT_HOP", hop, " " * 12), "        }"]
        lines.append("    }")
    return lines


def check_functions() -> list[str]:
    """The lines of the functions."""
    size = f"#define STELLARTP_UDP_SIZE {headers.UDP.size}u /* bytes; UDP header */"
    return ["", size, _CRC.rstrip("\n"), _CHECK % "\n".join(_headers())]
