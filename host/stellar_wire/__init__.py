"""Readers of StellarTP's wire format for other tools, each derived from ``stellar_spec``.

===================== =============================================================================
``generated/*.lua``   Wireshark dissector; made by ``lua_spec`` of the specification and ``lua/``
``generated/*.h``     C header for host programs; made by ``c_header``
``scapy_layer``       Scapy layers; imports Scapy (GPL), so import it only where you use Scapy
``files``             writes the generated files, or checks that they are up to date
===================== =============================================================================

How each is used: docs/dissectors.md.
"""

__all__ = []
