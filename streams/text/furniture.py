"""Credits, disclaimers and calls to the reader: sentences that belong to the outlet, not to the story.

They stand in hundreds of items that have nothing to do with each other. The phrases are a frozen list,
`furniture.txt`; what it does not know is learned from how often a sentence turns up in unrelated items.
"""

from __future__ import annotations

import functools
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from streams.text.words import Words, mix, read_words

_LONGEST = 60
"""Words; a sentence with more than these is no credit, whatever it says."""


def furniture(words: Words, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For every sentence whether it is furniture; `sizes` are their numbers of words.

    >>> words = read_words(["(Reporting by Ann Lee; Editing by Bo Ek)", "She was reporting from the harbour."])
    >>> furniture(words, np.bincount(words.sentences)).tolist()
    [True, False]
    """
    found = np.zeros(len(sizes), dtype=bool)
    for length, phrases in _phrases().items():
        runs, where = _runs(words, length)
        place = np.minimum(np.searchsorted(phrases, runs), len(phrases) - 1)
        found[words.sentences[where[phrases[place] == runs]]] = True
    return found & (sizes <= _LONGEST)


def _runs(words: Words, length: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The hash of every run of so many words within a sentence, and where it begins."""
    count = max(len(words.hashes) - length + 1, 0)
    where = np.flatnonzero(words.sentences[:count] == words.sentences[length - 1 :][:count])
    runs = np.zeros(len(where), dtype=np.uint64)
    for number in range(length):
        runs = mix(runs + words.hashes[where + number])
    return runs, where


@functools.cache
def _phrases() -> dict[int, NDArray[np.uint64]]:
    """The hashes of the phrases, sorted, by their number of words."""
    text = (files("streams") / "text" / "furniture.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    words = read_words(lines)
    lengths = np.bincount(words.sentences, minlength=len(lines))
    firsts = np.searchsorted(words.sentences, np.arange(len(lines)))
    phrases: dict[int, NDArray[np.uint64]] = {}
    for length in np.unique(lengths).tolist():
        runs, where = _runs(words, length)
        phrases[length] = np.unique(runs[np.isin(where, firsts[lengths == length])])
    return phrases
