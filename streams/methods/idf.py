"""Inverse document frequency from the frozen lists of word frequencies, so that a replay repeats.

A word of frequency f stands in a share 1 - exp(-f L) of all documents of L words; its idf is the negative
logarithm of that share. The lists end at a Zipf value of 4.5; a word beyond counts as one of 4.0.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from streams.text.words import read_words, stems

_DOCUMENT_WORDS = 400
_UNLISTED = 40
_BUCKETS = 450  # of wordfreq, down to a Zipf value of 4.5


@functools.cache
def _table() -> NDArray[np.float64]:
    levels = np.maximum(np.arange(256), _UNLISTED)
    return -np.log(-np.expm1(-_DOCUMENT_WORDS * 10.0 ** (levels / 10 - 9)))


def idf(levels: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The idf of words that are this common (10 times the Zipf value, 0 for one in no list).

    >>> idf(np.array([77, 57, 45, 0], dtype=np.uint8)).round(2).tolist()
    [0.0, 1.71, 4.38, 5.52]
    """
    return _table()[levels]


@functools.cache
def _stem_table() -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Hashes of stems, sorted, and for each 10 times the Zipf value of its commonest word."""
    from wordfreq import available_languages, get_frequency_list

    listed: list[str] = []
    levels: list[int] = []
    for language in sorted(available_languages("small")):
        for bucket, members in enumerate(get_frequency_list(language, "small")[:_BUCKETS]):
            listed.extend(members)
            levels.extend([(900 - bucket) // 10] * len(members))
    words = read_words(listed)
    level = np.array(levels, dtype=np.uint64)[words.sentences]
    keys = np.unique((stems(words).astype(np.uint64) << np.uint64(8)) | (np.uint64(255) - level))
    known, first = np.unique(keys >> np.uint64(8), return_index=True)
    return known.astype(np.uint32), (np.uint64(255) - (keys[first] & np.uint64(255))).astype(np.uint8)


def commonness_of_stems(hashes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """For every stem 10 times the Zipf value of the commonest word that begins so; 0 where no list has one.

    >>> words = read_words(["governments government xylophonist"])
    >>> first, second, rare = commonness_of_stems(stems(words)).tolist()
    >>> first == second > rare
    True
    """
    known, levels = _stem_table()
    place = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    return np.where(known[place] == hashes, levels[place], np.uint8(0)).astype(np.uint8)
