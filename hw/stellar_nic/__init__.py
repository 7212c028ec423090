"""Stellar NIC gateware in Amaranth: one folder for each stage of a packet's way."""
