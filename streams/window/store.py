"""Where a detect partition keeps its bytes: a small interface.

A key begins with the hour, big-endian, so an hour leaves as one range of keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol


class Store(Protocol):
    """Bytes by key, in the order of the keys."""

    def get(self, key: bytes) -> bytes | None:
        """The value of this key."""

    def put(self, key: bytes, value: bytes) -> None:
        """Sets the value of this key."""

    def scan(self) -> Iterator[tuple[bytes, bytes]]:
        """All keys and values, in order."""

    def drop_before(self, hour: int) -> None:
        """Forgets every key of an earlier hour."""
