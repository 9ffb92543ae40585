"""The inverted index: from features to the entries that have them, in one numpy array.

A set-associative table: a row has 16 tags and 16 entry numbers; the low bits of a feature choose the row,
the next ones are the tag. All features of a pack are looked up with one gather and one comparison. Of each
feature and hour the first few entries are kept, so a story with thousands of copies stays cheap, and which
ones are kept depends neither on the number of partitions nor on when the index was rebuilt. What a full row
cannot take goes to a dictionary: nothing that should be found is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

WAYS = 16
KEPT = 4
"""Entries kept of each feature and hour: the first ones."""
_TAG_SHIFT = 10  # the smallest table has 2**10 rows, so row and tag together give back 42 bits of the feature
_KEY = np.uint64((1 << 42) - 1)
_FULL = 0.5

Features = NDArray[np.uint64]
Numbers = NDArray[np.int64]


class Index:
    """Features to entry numbers; entries have an hour, and die with it."""

    def __init__(self, counts: Callable[[Numbers, Numbers], NDArray[np.bool_]] | None = None) -> None:
        """`counts` tells whether an entry still counts among the few that are kept, seen from a new one."""
        self._counts = counts
        self._rows = np.zeros((1 << _TAG_SHIFT, 2 * WAYS), dtype=np.uint32)
        self._spilled_rows = np.zeros(1 << _TAG_SHIFT, dtype=bool)
        self._spilled: dict[int, list[int]] = {}
        self._hours = np.full(1024, np.iinfo(np.int32).min, dtype=np.int32)  # by entry number - base
        self._base = 0
        self._next = 1  # 0 is an empty slot
        self._floor = int(np.iinfo(np.int32).min)
        self._used = 0

    def __len__(self) -> int:
        return self._next - 1 - self._base

    @property
    def next(self) -> int:
        """The number of the next entry."""
        return self._next

    @property
    def load(self) -> float:
        """Share of the slots that are taken."""
        return self._used / (len(self._rows) * WAYS)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return int(self._rows.nbytes + self._hours.nbytes + 200 * len(self._spilled))

    @property
    def first(self) -> int:
        """The smallest entry number that may still be alive."""
        return self._base + 1

    def hours(self, entries: Numbers) -> NDArray[np.int32]:
        """The hours of these entries."""
        return self._hours[entries - self._base]

    def add(self, hours: Numbers, features: Features, owners: Numbers) -> int:
        """The number of the first of the new entries, one for each of `hours`.

        `owners` tells for each feature which of the new entries has it.
        """
        first = self._next
        self._next += len(hours)
        self._grow_entries()
        self._hours[first - self._base : self._next - self._base] = hours
        # one that has a feature twice must not take two places
        postings = np.unique((owners.astype(np.uint64) << np.uint64(42)) | (features & _KEY))
        if self._used + len(postings) > _FULL * WAYS * len(self._rows):
            self._make_room(len(postings))
        self._insert(postings & _KEY, (postings >> np.uint64(42)).astype(np.int64) + first)
        return first

    def find(self, features: Features, owners: Numbers) -> tuple[Numbers, Numbers]:
        """Pairs of an owner and a live entry that has one of the owner's features; a pair a shared feature."""
        keys = features & _KEY
        places, tags = self._place(keys)
        rows = self._rows[places]
        at, slot = np.nonzero(rows[:, :WAYS] == tags[:, None])
        entries = rows[at, slot + WAYS].astype(np.int64)
        who = owners[at]
        spilled = np.flatnonzero(self._spilled_rows[places])
        if len(spilled):
            more = [(n, e) for n in spilled.tolist() for e in self._spilled.get(int(keys[n]), ())]
            if more:
                at, extra = np.array(more, dtype=np.int64).T
                entries, who = np.concatenate([entries, extra]), np.concatenate([who, owners[at]])
        alive = entries > self._base
        entries, who = entries[alive], who[alive]
        alive = self.hours(entries) >= self._floor
        return who[alive], entries[alive]

    def drop_before(self, hour: int) -> int:
        """How many entries are forgotten for good because they are older than this hour."""
        self._floor = max(self._floor, hour)
        live = self._hours[1 : self._next - self._base] >= self._floor
        dead = int(np.argmax(live)) if live.any() else len(live)
        if dead > 4096 and dead > len(live) // 2:
            kept = self._hours[1 + dead : self._next - self._base].copy()
            self._base += dead
            self._hours = np.full(max(1024, 2 * len(kept)), np.iinfo(np.int32).min, dtype=np.int32)
            self._hours[1 : 1 + len(kept)] = kept
        if self._spilled:
            for key, entries in list(self._spilled.items()):
                entries[:] = [e for e in entries if self._alive(np.array([e]))[0]]
                if not entries:
                    del self._spilled[key]
        return dead

    def _alive(self, entries: NDArray[Any]) -> NDArray[np.bool_]:
        place = entries.astype(np.int64) - self._base
        return (place > 0) & (self._hours[np.maximum(place, 0)] >= self._floor)

    def _place(self, keys: Features) -> tuple[Numbers, NDArray[np.uint32]]:
        places = (keys & np.uint64(len(self._rows) - 1)).astype(np.int64)
        return places, (keys >> np.uint64(_TAG_SHIFT)).astype(np.uint32)

    def _insert(self, keys: Features, entries: Numbers) -> None:
        """Puts each posting into its row: a row takes one in a round, so that each sees what came before it."""
        places, tags = self._place(keys)
        waiting = np.arange(len(keys))
        while len(waiting):
            _, leaders = np.unique(places[waiting], return_index=True)
            now = waiting[leaders]
            self._insert_apart(keys[now], places[now], tags[now], entries[now])
            waiting = np.delete(waiting, leaders)

    def _insert_apart(
        self, keys: Features, places: Numbers, tags: NDArray[np.uint32], entries: Numbers
    ) -> None:
        """Puts postings of different rows into them."""
        rows = self._rows[places]
        held = rows[:, WAYS:]
        alive = (held != 0) & self._alive(held.reshape(-1)).reshape(held.shape)
        same = alive & (rows[:, :WAYS] == tags[:, None])
        row, slot = np.nonzero(same)
        kept = np.bincount(row[self._rivals(held[row, slot], entries[row])], minlength=len(keys))
        for n in np.flatnonzero(self._spilled_rows[places]).tolist():
            spilled = np.array(self._spilled.get(int(keys[n]), []), dtype=np.int64)
            kept[n] += self._rivals(spilled, np.full(len(spilled), entries[n])).sum()
        wanted = kept < KEPT
        full = alive.all(axis=1)
        slots = np.argmin(alive, axis=1)
        put = np.flatnonzero(wanted & ~full)
        self._used += int((held[put, slots[put]] == 0).sum())
        self._rows[places[put], slots[put]] = tags[put]
        self._rows[places[put], slots[put] + WAYS] = entries[put]
        for n in np.flatnonzero(wanted & full).tolist():
            self._spilled.setdefault(int(keys[n]), []).append(int(entries[n]))
            self._spilled_rows[places[n]] = True

    def _rivals(self, held: NDArray[Any], new: Numbers) -> NDArray[np.bool_]:
        """Whether a live entry that has the feature of a new one takes one of the few places of that hour."""
        held = held.astype(np.int64)
        rivals: NDArray[np.bool_] = self.hours(held) == self.hours(new)
        return rivals & self._counts(held, new) if self._counts is not None else rivals

    def _grow_entries(self) -> None:
        while self._next - self._base > len(self._hours):
            more = np.full(len(self._hours), np.iinfo(np.int32).min, dtype=np.int32)
            self._hours = np.concatenate([self._hours, more])

    def _make_room(self, wanted: int) -> None:
        """Sweeps out what has died; if that is not enough, makes the table larger."""
        places, slots = np.nonzero(self._alive(self._rows[:, WAYS:].reshape(-1)).reshape(-1, WAYS))
        tags = self._rows[places, slots].astype(np.uint64)
        entries = self._rows[places, slots + WAYS].astype(np.int64)
        low = places.astype(np.uint64) & np.uint64((1 << _TAG_SHIFT) - 1)
        keys = (tags << np.uint64(_TAG_SHIFT)) | low
        if self._spilled:
            more = [(key, e) for key, held in self._spilled.items() for e in held]
            keys = np.concatenate([keys, np.array([key for key, _ in more], dtype=np.uint64)])
            entries = np.concatenate([entries, np.array([e for _, e in more], dtype=np.int64)])
        size = len(self._rows)
        while len(keys) + wanted > 0.5 * _FULL * WAYS * size:
            size *= 2
        self._rows = np.zeros((size, 2 * WAYS), dtype=np.uint32)
        self._spilled_rows = np.zeros(size, dtype=bool)
        self._spilled = {}
        self._used = 0
        order = np.argsort(entries, kind="stable")  # the first few of a feature stay the first few
        self._insert(keys[order], entries[order])
