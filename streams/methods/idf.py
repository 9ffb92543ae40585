"""Inverse document frequency from the frozen lists of word frequencies, so that a replay repeats.

A word of frequency f stands in a share 1 - exp(-f L) of all documents of L words; its idf is the negative
logarithm of that share. The lists end at a Zipf value of 4.5; a word beyond counts as one of 4.0.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

_DOCUMENT_WORDS = 400
_UNLISTED = 40


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
