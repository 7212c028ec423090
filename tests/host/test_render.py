"""The analyzer's text of addresses, which comes from the C library, against ``ipaddress``."""

from ipaddress import IPv4Address, IPv6Address

from hypothesis import example, given
from hypothesis import strategies as st

from stellar_sdk.analyzer.render import _address

groups = st.lists(st.sampled_from([0, 0, 0, 1, 0xFFFF, 0xABC]), min_size=8, max_size=8)
sparse = groups.map(lambda words: int.from_bytes(b"".join(w.to_bytes(2, "big") for w in words)))


@given(st.one_of(sparse, st.integers(0, 2**128 - 1), st.integers(0, 2**48 - 1)))
@example(0)
@example(1)
@example(0x01020304)  # IPv4-compatible, and below IPv4-mapped
@example(0xFFFF01020304)
def test_ipv6(value):
    assert _address(6, value) == str(IPv6Address(value))


@given(st.integers(0, 2**32 - 1))
def test_ipv4(value):
    assert _address(4, value) == str(IPv4Address(value))
