"""Shingles, the runs of w words of an item, as hashes, and sets of hashes that are kept in a bounded size.

A set is kept as its smallest hashes, in order. Two sets of which one or both were cut are compared in the
range that both keep; since hashes are scattered evenly, that is a fair sample of both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streams.signature import Ragged, offsets_of, ranges
from streams.text.reading import Reading
from streams.text.words import mix

_POWER = np.uint64(0x9E3779B97F4A7C15)

Hashes = NDArray[np.uint64]


def shingles(reading: Reading, width: int) -> Ragged:
    """For every item the distinct hashes of its runs of `width` words; a shorter item is one run.

    >>> from streams.text.reading import read
    >>> a, b = "one two three four", "zero one two three"
    >>> runs = shingles(read([a, b], [[0, len(a)], [0, len(b)]]), width=3)
    >>> runs.counts().tolist(), len(np.intersect1d(runs[0], runs[1]))
    ([2, 2], 1)
    """
    owners = reading.items[reading.words.sentences]
    counts = np.bincount(owners, minlength=reading.size)
    place = np.arange(len(owners)) - np.repeat(offsets_of(counts)[:-1], counts)
    starts = np.flatnonzero(place <= np.maximum(counts - width, 0)[owners])
    terms = np.concatenate(
        [mix(reading.words.hashes.astype(np.uint64) + np.uint64(1)), np.zeros(width, np.uint64)]
    )
    whose = np.concatenate([owners, np.full(width, -1)])
    total = np.zeros(len(starts), dtype=np.uint64)
    for step in range(width):
        total *= _POWER
        total += np.where(whose[starts + step] == owners[starts], terms[starts + step], np.uint64(0))
    return distinct(owners[starts], mix(total), reading.size)


def distinct(owners: NDArray[np.int64], hashes: Hashes, size: int) -> Ragged:
    """For each of `size` owners its distinct hashes, in order."""
    order = np.lexsort((hashes, owners))
    owners, hashes = owners[order], hashes[order]
    first = np.ones(len(hashes), dtype=bool)
    first[1:] = (hashes[1:] != hashes[:-1]) | (owners[1:] != owners[:-1])
    return Ragged.of(np.bincount(owners[first], minlength=size), hashes[first])


def smallest(sets: Ragged, most: int) -> Ragged:
    """Of each set the smallest hashes, at most so many."""
    counts = np.minimum(sets.counts(), most)
    return Ragged.of(counts, sets.values[ranges(sets.offsets[:-1], counts)])


def comparable(mine: NDArray[Any], theirs: NDArray[Any], most: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The two sets in the range that both keep, where `most` hashes of each were kept."""
    for one in (mine, theirs):
        if len(one) >= most:
            mine, theirs = mine[mine <= one[-1]], theirs[theirs <= one[-1]]
    return mine, theirs


def found(mine: NDArray[Any], theirs: NDArray[Any]) -> NDArray[np.bool_]:
    """For each hash of one set whether the other one, in order, has it."""
    if not len(theirs):
        return np.zeros(len(mine), dtype=bool)
    place = np.minimum(np.searchsorted(theirs, mine), len(theirs) - 1)
    return np.asarray(theirs[place] == mine)
