"""Boards, none yet: to be the only place with pins, PLLs and PHYs."""
