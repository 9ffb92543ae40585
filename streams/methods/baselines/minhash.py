"""MinHash with locality-sensitive hashing: the resemblance of sets of shingles from their smallest hashes.

Under a random permutation π the smallest elements of two sets are the same as often as the sets are alike,

    P(min π(A) = min π(B)) = |A ∩ B| / |A ∪ B| = r(A, B),

so the share of equal minima among k permutations estimates the resemblance r, with an error of about 1/√k.
The k minima are cut into b bands of k/b rows; items that agree in a whole band find each other, which happens
with probability 1 − (1 − r^(k/b))^b. The usual defaults: shingles of 5 words, k = 128, b = 16 and r ≥ .7.

References: A. Z. Broder: On the Resemblance and Containment of Documents. SEQUENCES 1997. P. Indyk, R.
Motwani: Approximate Nearest Neighbors: Towards Removing the Curse of Dimensionality. STOC 1998.
"""

from __future__ import annotations

import numpy as np

from streams.methods.baselines.shingles import shingles
from streams.methods.comparison import Comparison
from streams.signature import Ragged, Signature, Signatures
from streams.text.reading import Reading
from streams.text.words import mix

NAME = "minhash"
PERMUTATIONS = 128
_BLOCK = 16  # permutations at a time: the table of hashes stays in the cache
_POWER = np.uint64(0x9E3779B97F4A7C15)


def sketch(reading: Reading, *, width: int = 5) -> Ragged:
    """For every item the smallest hash of its shingles under each permutation; none without words."""
    sets = shingles(reading, width)
    filled = np.flatnonzero(sets.counts())
    minima = np.empty((PERMUTATIONS, len(filled)), dtype=np.uint32)
    numbers = np.arange(1, PERMUTATIONS + 1, dtype=np.uint64)
    factors, addends = mix(numbers) | np.uint64(1), mix(numbers + np.uint64(PERMUTATIONS))
    for first in range(0, PERMUTATIONS if len(filled) else 0, _BLOCK):
        block = slice(first, first + _BLOCK)
        hashes = (factors[block, None] * sets.values + addends[block, None]) >> np.uint64(32)
        minima[block] = np.minimum.reduceat(hashes, sets.offsets[:-1][filled], axis=1)
    return Ragged.of((sets.counts() > 0) * PERMUTATIONS, minima.T.reshape(-1))


def features(signatures: Signatures, *, bands: int = 16) -> Ragged:
    """A hash of each band of an item's minima."""
    minima = signatures.sketches[NAME]
    rows = minima.values.astype(np.uint64).reshape(-1, bands, PERMUTATIONS // bands)
    hashes = np.zeros(rows.shape[:2], dtype=np.uint64) + np.arange(bands, dtype=np.uint64)
    for row in range(rows.shape[2]):
        hashes = hashes * _POWER + rows[:, :, row] + np.uint64(1)
    return Ragged.of(minima.counts() // PERMUTATIONS * bands, mix(hashes.reshape(-1)))


def compare(item: Signature, other: Signature, *, threshold: float = 0.7) -> Comparison:
    """A duplicate if the estimated resemblance reaches the threshold.

    >>> from streams.stages.fingerprint import sign
    >>> a = " ".join(f"word{n}" for n in range(100))
    >>> b = a.replace("word50 ", "another ")
    >>> pack = sign([a, b], [[0, len(a)], [0, len(b)]], ["minhash"])
    >>> compare(pack[0], pack[1]).kind, abs(compare(pack[0], pack[1]).score - 91 / 101) < 0.1
    ('duplicate', True)
    """
    mine, theirs = item.sketches[NAME], other.sketches[NAME]
    if not len(mine) or not len(theirs):
        return Comparison(None, 0.0)
    resemblance = float(np.mean(mine == theirs))
    return Comparison("duplicate" if resemblance >= threshold else None, resemblance)
