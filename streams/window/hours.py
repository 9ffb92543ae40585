"""The hours that one detect partition owns: entries by hour, found by feature, compared by signature."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import orjson
from numpy.typing import NDArray

from streams.errors import StateError
from streams.records import Entry
from streams.signature import Ragged, Signatures
from streams.window.growing import Growing
from streams.window.index import Features, Index, Numbers
from streams.window.keys import ENTRIES, SUPERSEDED, hour_key, read_key
from streams.window.store import Store

_CACHED = 512  # packs of signatures held decoded: candidates are mostly recent or belong to one story
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Batch:
    """The items of one pack and one hour: a table entry."""

    entries: list[Entry]
    stamps: list[int]
    signatures: Signatures


class Hours:
    """What one partition keeps. `features_of` gives the features of signatures, for the index."""

    def __init__(self, store: Store, features_of: Callable[[Signatures], Ragged]) -> None:
        self._store = store
        self._features_of = features_of
        self._index = Index(self._stands)
        self._stamps = Growing(_NEVER)
        self._until = Growing(_NEVER)
        self._batches = Growing(0)
        self._places = Growing(0)
        self._keys: dict[int, bytes] = {}
        self._next_batch = 0
        self._last_stamp: dict[int, int] = {}
        self._numbers: dict[int, int] = {}
        self._marks: dict[int, int] = {}  # of items about to be added: by which stamp each is superseded
        self._cache: OrderedDict[bytes, Batch] = OrderedDict()
        self._dropped = -(1 << 31)
        self._rebuild()

    def __len__(self) -> int:
        """How many items are kept."""
        return len(self._index)

    @property
    def hours(self) -> list[int]:
        """The hours that have items."""
        return sorted(self._last_stamp)

    @property
    def index(self) -> Index:
        """The inverted index, for its sizes."""
        return self._index

    def add(self, hour: int, pack: str, batch: Batch, features: Ragged) -> None:
        """Keeps the items of one hour of a pack, in the order of their stamps, but for those already there."""
        last = self._last_stamp.get(hour, 0)
        stamps = np.array(batch.stamps, dtype=np.int64)
        new = np.flatnonzero((stamps > last) & (np.diff(stamps, prepend=0) != 0))  # one may be there twice
        if not len(new):
            return
        kept = Batch(
            [batch.entries[n] for n in new.tolist()],
            [batch.stamps[n] for n in new.tolist()],
            batch.signatures.take(new),
        )
        key = hour_key(hour, ENTRIES, f"{pack}:{kept.stamps[0]}".encode())
        self._store.put(key, _encode(kept))
        self._put_in_index(hour, key, kept, features.take(new))

    def supersede(self, hour: int, stamp: int, by: int) -> None:
        """From `by` on the item with this stamp is no longer compared: it was replaced or withdrawn."""
        self._store.put(hour_key(hour, SUPERSEDED, stamp.to_bytes(8, "big")), by.to_bytes(8, "big"))
        self._mark_superseded(stamp, by)

    def find(
        self,
        features: Features,
        owners: Numbers,
        stamps: Numbers,
        hours: Numbers,
        floors: Numbers,
        window: int,
    ) -> tuple[Numbers, Numbers]:
        """Pairs of an owner and an entry to compare it with: of the window, earlier, and not superseded."""
        who, entries = self._index.find(features, owners)
        if not len(who):
            return who, entries
        pairs = np.unique((who << 40) | entries)
        who, entries = pairs >> 40, pairs & ((1 << 40) - 1)
        hour = self._index.hours(entries).astype(np.int64)
        mine = (self._stamps[entries] < stamps[who]) & (self._until[entries] > stamps[who])
        mine &= (np.abs(hour - hours[who]) <= window) & (hour >= floors[who])
        return who[mine], entries[mine]

    def entry(self, number: int) -> tuple[Entry, int, Batch, int]:
        """Entry, stamp, and where its signature is: the batch and the place in it."""
        batch = self._batch(self._keys[int(self._batches[number])])
        place = int(self._places[number])
        return batch.entries[place], batch.stamps[place], batch, place

    def drop_before(self, hour: int) -> None:
        """Forgets all earlier hours."""
        if hour <= self._dropped:
            return
        self._dropped = hour
        self._marks.clear()
        self._store.drop_before(hour)
        self._index.drop_before(hour)
        for old in [known for known in self._last_stamp if known < hour]:
            del self._last_stamp[old]
        for number, key in list(self._keys.items()):
            if read_key(key)[0] < hour:
                del self._keys[number]
                self._cache.pop(key, None)
        first = min((self._numbers[b] for b in self._keys), default=None)
        for number in [b for b in self._numbers if b not in self._keys]:
            del self._numbers[number]
        if first is not None:
            for column in (self._stamps, self._until, self._batches, self._places):
                column.forget_before(first)

    def _rebuild(self) -> None:
        """Reads the store back into the index, in the order of the stamps."""
        stored: list[tuple[int, int, bytes]] = []
        for key, value in self._store.scan():
            hour, kind, name = read_key(key)
            if kind == ENTRIES:
                stored.append((_decode(value).stamps[0], hour, key))
            elif kind == SUPERSEDED:
                self._marks[int.from_bytes(name, "big")] = int.from_bytes(value, "big")
        for _, hour, key in sorted(stored):
            batch = self._batch(key)
            self._put_in_index(hour, key, batch, self._features_of(batch.signatures))
        self._marks.clear()

    def _put_in_index(self, hour: int, key: bytes, batch: Batch, features: Ragged) -> None:
        size = len(batch.stamps)
        owners = np.repeat(np.arange(size), features.counts())
        first = self._index.next
        self._stamps.put(first, np.array(batch.stamps, dtype=np.int64))
        self._until.put(first, np.array([self._marks.get(stamp, _NEVER) for stamp in batch.stamps]))
        self._index.add(np.full(size, hour, dtype=np.int64), features.values, owners)
        self._batches.put(first, np.full(size, self._next_batch))
        self._places.put(first, np.arange(size))
        self._keys[self._next_batch] = key
        self._numbers[self._next_batch] = first
        self._next_batch += 1
        self._last_stamp[hour] = max(self._last_stamp.get(hour, 0), batch.stamps[-1])
        self._cached(key, batch)

    def _stands(self, held: Numbers, new: Numbers) -> NDArray[np.bool_]:
        """Whether an item had not been superseded before a new one: old versions take nobody's place."""
        stands: NDArray[np.bool_] = self._until[held] >= self._stamps[new]
        return stands

    def _mark_superseded(self, stamp: int, by: int) -> None:
        numbers = self._stamps.where(stamp)
        for number in numbers:
            self._until[number] = min(by, int(self._until[number]))
        if not numbers:  # both versions came in one pack, and the old one is about to be added
            self._marks[stamp] = by

    def _batch(self, key: bytes) -> Batch:
        batch = self._cache.get(key)
        if batch is not None:
            self._cache.move_to_end(key)
            return batch
        value = self._store.get(key)
        if value is None:
            raise StateError(f"the store has lost {key!r}, which its index names")
        return self._cached(key, _decode(value))

    def _cached(self, key: bytes, batch: Batch) -> Batch:
        self._cache[key] = batch
        if len(self._cache) > _CACHED:
            self._cache.popitem(last=False)
        return batch


def _encode(batch: Batch) -> bytes:
    header = orjson.dumps([[e.id, e.digest, e.time, e.arrived, e.source, e.offset] for e in batch.entries])
    stamps = np.array(batch.stamps, dtype=np.int64).tobytes()
    return len(header).to_bytes(4, "little") + header + stamps + batch.signatures.to_bytes()


def _decode(value: bytes) -> Batch:
    end = 4 + int.from_bytes(value[:4], "little")
    entries = [Entry(*row) for row in orjson.loads(value[4:end])]
    stamps = np.frombuffer(value, dtype=np.int64, count=len(entries), offset=end)
    return Batch(entries, stamps.tolist(), Signatures.from_bytes(value[end + 8 * len(entries) :]))
