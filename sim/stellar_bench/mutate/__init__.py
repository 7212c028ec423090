"""Mutation score: how many small faults, put into a block on purpose, the stimuli notice.

``make mutate`` is the command; docs/mutation.md says what it does and how a block joins.
"""

from .target import Contract, Device, MutationTarget, Source

__all__ = ["Contract", "Device", "MutationTarget", "Source"]
