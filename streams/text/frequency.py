"""How common a word is: frozen lists of 42 languages, looked up by word hash.

One table serves all languages (a word counts as common as it is in the language where it is most common),
so a missing or wrong language tag changes nothing. The lists come with the `wordfreq` package, pinned:
the same text has the same frequencies on every machine and in every replay.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from streams.text.words import read_words

COMMON = 57
"""Words this common stand in about a fifth of all articles of 400 words: 10 times the Zipf value."""
_BUCKETS = 450  # wordfreq's buckets are -100 log10(frequency): down to Zipf 4.5; what is rarer is alike rare


@functools.cache
def _table() -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Word hashes, sorted, and for each 10 times its Zipf value."""
    from wordfreq import available_languages, get_frequency_list

    words: list[str] = []
    levels: list[int] = []
    for language in sorted(available_languages("small")):
        for bucket, members in enumerate(get_frequency_list(language, "small")[:_BUCKETS]):
            words.extend(members)
            levels.extend([(900 - bucket) // 10] * len(members))
    found = read_words(words)
    level = np.array(levels, dtype=np.uint8)[found.sentences]
    order = np.lexsort((-level.astype(np.int16), found.hashes))
    hashes, level = found.hashes[order], level[order]
    first = np.ones(len(hashes), dtype=bool)
    first[1:] = hashes[1:] != hashes[:-1]
    return hashes[first], level[first]


def commonness(hashes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """For every word hash 10 times its Zipf value; 0 where no list has it.

    >>> words = read_words(["the government xylophonist"])
    >>> the, government, rare = commonness(words.hashes).tolist()
    >>> the > COMMON > government > rare
    True
    """
    known, levels = _table()
    place = np.searchsorted(known, hashes)
    place[place == len(known)] = 0
    return np.where(known[place] == hashes, levels[place], np.uint8(0)).astype(np.uint8)
