"""The one digest of records, whoever made them: model, native engine or cocotb."""

import hashlib

from .columns import FIELDS, Columns

__all__ = ["RecordDigest", "digest"]

DIGEST_BYTES = 16


class RecordDigest:
    """Digest of the records of any number of frames, however they are split into batches.

    Each field's values go through a BLAKE2b of their own (RFC 7693), frame after frame, little
    endian, as wide as the column's type, a field of 128 bits high half first.  The digest is the
    BLAKE2b of all fields' names and digests in the order of the specification.
    """

    def __init__(self):
        self._hashes = {name: hashlib.blake2b(digest_size=32) for name in FIELDS}

    def update(self, columns: Columns) -> None:
        """Take in the records of further frames."""
        for name, running in self._hashes.items():
            column = columns[name]
            running.update(column.astype(column.dtype.newbyteorder("<"), order="C", copy=False))

    def hexdigest(self) -> str:
        """32 hexadecimal digits that stand for all so far."""
        whole = hashlib.blake2b(digest_size=DIGEST_BYTES)
        for name, running in self._hashes.items():
            whole.update(name.encode() + b"\0" + running.digest())
        return whole.hexdigest()


def digest(columns: Columns) -> str:
    """The digest of ``columns`` alone."""
    running = RecordDigest()
    running.update(columns)
    return running.hexdigest()
