"""A store in memory that can be set back to what it was."""

from __future__ import annotations

from collections.abc import Iterator

from streams.window.keys import FIRST, hour_key


class DictStore:
    """Bytes by key, in a dictionary."""

    def __init__(self, values: dict[bytes, bytes] | None = None) -> None:
        self.values = dict(values or {})

    def get(self, key: bytes) -> bytes | None:
        return self.values.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        self.values[key] = value

    def scan(self) -> Iterator[tuple[bytes, bytes]]:
        yield from sorted(self.values.items())

    def drop_before(self, hour: int) -> None:
        end = hour_key(hour)
        self.values = {key: value for key, value in self.values.items() if not FIRST <= key < end}
