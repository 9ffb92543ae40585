"""Keys of the table: the hour first, big-endian, so that an hour is one range of keys."""

from __future__ import annotations

ENTRIES, REGISTER, SUPERSEDED = b"e", b"r", b"s"
FIRST = b"\x60"
"""Before all keys of hours, and after the key under which Faust notes its offset in the same database."""
_ZERO = 1 << 31  # hours before 1970 are negative; keys are not


def hour_key(hour: int, kind: bytes = b"", name: bytes = b"") -> bytes:
    """The key of something of this hour.

    >>> hour_key(-1) < hour_key(0) < hour_key(0, ENTRIES, b"x") < hour_key(1)
    True
    """
    return (hour + _ZERO).to_bytes(4, "big") + kind + name


def read_key(key: bytes) -> tuple[int, bytes, bytes]:
    """Hour, kind and name."""
    return int.from_bytes(key[:4], "big") - _ZERO, key[4:5], key[5:]
