"""SimHash of Charikar: 64 signs of random projections; alike items have hashes that differ in few bits.

Bit i of a word's hash votes with the word's weight; the item's bit is what the majority says,

    v = Σ_t weight(t) · (2·bits(hash(t)) − 1),     simhash(d) = [v > 0],

and two bits differ with probability θ/π, θ the angle between the items as vectors of words:
cos(π·distance/64) estimates their cosine. Words weigh by their idf, here 80 less ten times the Zipf value. As
in the use by Manku et al. a pair is a duplicate within a distance of 3 bits. It is found by three of the six
blocks of its bits that are equal: 3 flipped bits leave at least three blocks whole, so one of the 20 choices
of three blocks agrees.

References: M. S. Charikar: Similarity Estimation Techniques from Rounding Algorithms. STOC 2002. G. S. Manku,
A. Jain, A. Das Sarma: Detecting Near-Duplicates for Web Crawling. WWW 2007.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from streams.methods.comparison import Comparison
from streams.signature import Ragged, Signature, Signatures, offsets_of
from streams.text.reading import Reading
from streams.text.words import mix

NAME = "simhash"
_BITS = 64
_BLOCKS = [(0, 11), (11, 11), (22, 11), (33, 11), (44, 10), (54, 10)]  # first bit, number of bits
_CHOICES = np.array(
    [
        sum(((1 << size) - 1) << first for first, size in three)
        for three in itertools.combinations(_BLOCKS, 3)
    ],
    dtype=np.uint64,
)


def sketch(reading: Reading) -> Ragged:
    """The simhash of each item; none for one without words."""
    counts = np.bincount(reading.items[reading.words.sentences], minlength=reading.size)
    filled = np.flatnonzero(counts)
    if not len(filled):
        return Ragged.of(counts, np.zeros(0, dtype=np.uint64))
    hashes = mix(reading.words.hashes.astype(np.uint64) + np.uint64(1))
    bits = np.unpackbits(hashes.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    weights = 80 - np.clip(reading.levels.astype(np.int32), 45, 80)
    votes = np.add.reduceat(
        (2 * bits.astype(np.int32) - 1) * weights[:, None], offsets_of(counts)[:-1][filled]
    )
    packed = np.packbits(votes > 0, axis=1, bitorder="little").reshape(-1).view("<u8").astype(np.uint64)
    return Ragged.of(counts > 0, packed)


def features(signatures: Signatures) -> Ragged:
    """Of each simhash 20 choices of half of its bits."""
    hashes = signatures.sketches[NAME]
    parts = hashes.values[:, None] & _CHOICES
    numbers = np.arange(1, len(_CHOICES) + 1, dtype=np.uint64)
    return Ragged.of(hashes.counts() * len(_CHOICES), mix(mix(parts) + numbers).reshape(-1))


def compare(item: Signature, other: Signature, *, distance: int = 3) -> Comparison:
    """A duplicate if at most `distance` bits differ; the score is the estimated cosine, nothing below 0.

    >>> from streams.stages.fingerprint import sign
    >>> a = " ".join(f"word{n}" for n in range(400))
    >>> b = " ".join(f"word{n}" for n in range(399, -1, -1))
    >>> pack = sign([a, b], [[0, len(a)], [0, len(b)]], ["simhash"])
    >>> compare(pack[0], pack[1]).kind, compare(pack[0], pack[1]).score
    ('duplicate', 1.0)
    """
    mine, theirs = item.sketches[NAME], other.sketches[NAME]
    if not len(mine) or not len(theirs):
        return Comparison(None, 0.0)
    differing = (int(mine[0]) ^ int(theirs[0])).bit_count()
    cosine = max(0.0, math.cos(math.pi * differing / _BITS))
    return Comparison("duplicate" if differing <= distance else None, cosine)
