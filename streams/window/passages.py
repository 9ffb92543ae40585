"""Common passages: sentences that turn up in many items that have nothing to do with each other.

A disclaimer, a rate table, "will be used for general corporate purposes": such a sentence is flagged, and is
never alone a reason for a link. It is known by its three rarest words. What counts is not how often it was
seen but in how many different stories: a wire story with a thousand copies is one story, told apart by a small
sketch of the item's words (four minimum hashes, of which copies share at least three).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from streams.signature import Ragged, Signatures
from streams.text.words import mix
from streams.window.growing import Growing
from streams.window.index import Features, Index

COMMON = 3
"""A passage of more stories than this is common: no reason for a link."""
EVERYWHERE = 50
"""A passage of more stories than this is everywhere: nothing is looked up under it."""
_SHORT = 30
"""Words; shorter items, which may be all template, are one story only if their words are all the same."""
_LANES = 4
_MOST = 255

Note = tuple[int, int, int]
"""In how many stories, the story that came first, the story that came last."""


@dataclass(frozen=True)
class Sightings:
    """Passages seen in items: what is stored of them, to be read back after a restart."""

    passages: Ragged
    """For every item the keys of its sentences; 0 where a sentence has too few words."""
    stories: Features
    """For every item the sketch of its story."""
    counts: NDArray[np.uint8]
    """For every sentence in how many stories it was seen by then."""
    firsts: Features
    """For every sentence the story in which it was seen first."""


def passage_keys(signatures: Signatures) -> Ragged:
    """For every item the keys of its sentences: their three rarest words, numbers aside."""
    keys = np.zeros(len(signatures.words), dtype=np.uint64)
    rich = np.flatnonzero(signatures.plain >= 3)
    if len(rich):
        starts = signatures.words.offsets[:-1][rich]
        rarest = mix(
            signatures.words.values[starts[:, None] + np.arange(3)].astype(np.uint64) + np.uint64(11)
        )
        keys[rich] = mix(rarest.sum(axis=1, dtype=np.uint64)) | np.uint64(1)
    return Ragged(keys, signatures.sentences)


def story_sketches(signatures: Signatures) -> Features:
    """For every item four minimum hashes of its words, 16 bits each."""
    sketches = np.zeros(len(signatures), dtype=np.uint64)
    bounds = signatures.words.offsets[signatures.sentences]
    filled = np.flatnonzero(np.diff(bounds))
    if len(filled):
        for lane in range(_LANES):
            mixed = mix(signatures.words.values.astype(np.uint64) + np.uint64((lane + 1) << 40))
            least = np.minimum.reduceat(mixed, bounds[:-1][filled]) & np.uint64(0xFFFF)
            sketches[filled] |= least << np.uint64(16 * lane)
        short = filled[np.diff(bounds)[filled] < _SHORT]
        exact = mix(np.add.reduceat(mix(signatures.words.values.astype(np.uint64)), bounds[:-1][filled]))
        sketches[short] = exact[np.isin(filled, short)]
    return sketches


class Passages:
    """In how many stories each passage was seen, within the hours that are kept.

    A note has a count and the stories that saw the passage first and last; there is one for each passage and
    hour in which it was seen, and the latest counts.
    """

    def __init__(self) -> None:
        self._index = Index()
        self._notes: tuple[Growing, Growing, Growing] = (Growing(0), Growing(0), Growing(0))

    def see(self, hour: int, passages: Ragged, stories: Features) -> Sightings:
        """Counts the passages of these items, one item after the other, all in this hour."""
        size = len(passages.values)
        counts, firsts = np.zeros(size, dtype=np.uint8), np.zeros(size, dtype=np.uint64)
        owner = np.repeat(np.arange(len(passages)), passages.counts()).tolist()
        notes, sketches = self._known(passages.values)[1], stories.tolist()
        seen: dict[int, Note] = {}
        for place, key in enumerate(passages.values.tolist()):
            if key:
                story = sketches[owner[place]]
                count, first, latest = notes.get(key, (0, story, story))
                if not count or not (_same(story, first) or _same(story, latest)):
                    count = min(count + 1, _MOST)
                seen[key] = notes[key] = (count, first, story)
                counts[place], firsts[place] = count, first
        self._put(hour, seen)
        return Sightings(passages, stories, counts, firsts)

    def restore(self, hour: int, sightings: Sightings) -> None:
        """Counts what was stored, as it was counted then."""
        owner = np.repeat(np.arange(len(sightings.passages)), sightings.passages.counts())
        columns = (sightings.passages.values, sightings.counts, sightings.firsts, sightings.stories[owner])
        rows = zip(*(column.tolist() for column in columns), strict=True)
        self._put(hour, {key: (count, first, latest) for key, count, first, latest in rows if key})

    def drop_before(self, hour: int) -> None:
        """Forgets passages that were last seen before this hour."""
        self._index.drop_before(hour)
        for column in self._notes:
            column.forget_before(self._index.first)

    def _known(self, keys: Features) -> tuple[dict[int, int], dict[int, Note]]:
        """For those of the keys that are known the number of the latest note, and the note."""
        wanted = np.unique(keys[keys != 0])
        who, entries = self._index.find(wanted, np.arange(len(wanted)))
        order = np.argsort(entries, kind="stable")  # the latest comes last, and stays
        found, entries = wanted[who[order]].tolist(), entries[order]
        columns = (column[entries].view(np.uint64).tolist() for column in self._notes)
        notes = dict(zip(found, zip(*columns, strict=True), strict=True))
        return dict(zip(found, entries.tolist(), strict=True)), notes

    def _put(self, hour: int, notes: dict[int, Note]) -> None:
        if not notes:
            return
        keys = np.array(list(notes), dtype=np.uint64)
        values = np.array(list(notes.values()), dtype=np.uint64)
        numbers = self._known(keys)[0]
        entries = np.array([numbers.get(key, 0) for key in notes], dtype=np.int64)
        this_hour = entries != 0
        this_hour[this_hour] = self._index.hours(entries[this_hour]) == hour
        for column, value in zip(self._notes, values[this_hour].T, strict=True):
            column[entries[this_hour]] = np.ascontiguousarray(value).view(np.int64)
        new = np.flatnonzero(~this_hour)
        first = self._index.add(np.full(len(new), hour, dtype=np.int64), keys[new], np.arange(len(new)))
        for column, value in zip(self._notes, values[new].T, strict=True):
            column.put(first, np.ascontiguousarray(value).view(np.int64))


def _same(story: int, other: int) -> bool:
    """Whether at least three of the four minimum hashes are the same."""
    apart = story ^ other
    return sum(not (apart >> 16 * lane) & 0xFFFF for lane in range(_LANES)) >= 3


def seen_in_more_than(sightings: Sightings, stories: int) -> list[tuple[int, ...]]:
    """For every item the numbers of its sentences that were seen in more stories than this."""
    counts = Ragged(sightings.counts, sightings.passages.offsets)
    if not (sightings.counts > stories).any():
        return [()] * len(counts)
    return [tuple(np.flatnonzero(counts[n] > stories).tolist()) for n in range(len(counts))]
