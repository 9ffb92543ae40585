"""A store in RocksDB: state that outlives the process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rocksdict import BlockBasedOptions, Cache, Options, Rdict

from streams.errors import StateError
from streams.window.keys import FIRST, hour_key

_VERSION_KEY = b"\xff\xff\xff\xffversion"
VERSION = b"1"


class RocksStore:
    """A store in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._database = Rdict(str(folder), rocks_options())
        except Exception as error:  # rocksdict raises plain exceptions, among others where it is in use
            raise StateError(f"cannot open the state in {folder}: {error}") from None
        version = self._database.get(_VERSION_KEY)
        if version is None and next(iter(self.scan()), None) is None:
            self._database[_VERSION_KEY] = VERSION
        elif version != VERSION:
            found = version.decode() if isinstance(version, bytes) else version
            raise StateError(
                f"{folder} has state of version {found}; this release reads version {VERSION.decode()}"
            )

    def get(self, key: bytes) -> bytes | None:
        """The value of this key."""
        value: bytes | None = self._database.get(key)
        return value

    def put(self, key: bytes, value: bytes) -> None:
        """Sets the value of this key."""
        self._database[key] = value

    def scan(self) -> Iterator[tuple[bytes, bytes]]:
        """All keys and values, in order."""
        found: Iterator[tuple[Any, Any]] = self._database.items()  # raw mode: both are bytes
        return ((key, value) for key, value in found if key != _VERSION_KEY)

    def drop_before(self, hour: int) -> None:
        """Forgets every key of an earlier hour."""
        self._database.delete_range(FIRST, hour_key(hour))

    def close(self) -> None:
        """Writes what is in memory and lets go of the folder."""
        self._database.close()


def rocks_options() -> Options:
    """Options with bounded caches: the defaults take gigabytes for many partitions."""
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.set_max_open_files(256)
    options.set_write_buffer_size(16 * 1024 * 1024)
    blocks = BlockBasedOptions()
    blocks.set_block_cache(Cache(16 * 1024 * 1024))
    blocks.set_bloom_filter(10, False)
    options.set_block_based_table_factory(blocks)
    return options
