"""A Faust table as the store of a detect partition: written through its changelog, read from its RocksDB."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from streams.kafka.producer import AcknowledgedTable
from streams.window.keys import FIRST, hour_key


class TableStore:
    """One partition of the table. Writes belong to the event that is being processed."""

    def __init__(self, table: AcknowledgedTable, partition: int) -> None:
        self._table = table
        self._partition = partition

    @property
    def _database(self) -> Any:
        data: Any = self._table.data  # Faust's RocksDB store
        return data._db_for_partition(self._partition)

    def get(self, key: bytes) -> bytes | None:
        """The value of this key."""
        value: bytes | None = self._database.get(key)
        return value

    def put(self, key: bytes, value: bytes) -> None:
        """Sets the value of this key."""
        self._table[key] = value

    def scan(self) -> Iterator[tuple[bytes, bytes]]:
        """All keys and values, in order."""
        yield from self._database.items(from_key=FIRST)

    def drop_before(self, hour: int) -> None:
        """Forgets every key of an earlier hour; the changelog forgets by its retention."""
        self._database.delete_range(FIRST, hour_key(hour))
