"""Digital syntactic clustering of Broder, Glassman, Manasse and Zweig: a sample of shingles, by divisibility.

Of the shingles S(d), the runs of w words, those whose hash is divisible by m are kept, V(d). They estimate

    resemblance  r(A, B) = |V(A) ∩ V(B)| / |V(A) ∪ V(B)|,
    containment  c(A, B) = |V(A) ∩ V(B)| / |V(A)|.

The paper's defaults are kept: w = 10, m = 25, and items cluster at r ≥ .5; at most 512 hashes of an item are
kept. An item of which the other one has at least `contained` is told as contained, and with `least` shared
shingles a reuse. A sample of every 25th shingle has little to say about short items and single sentences.

Reference: A. Z. Broder, S. C. Glassman, M. S. Manasse, G. Zweig: Syntactic Clustering of the Web. Computer
Networks and ISDN Systems 29(8-13), 1997.
"""

from __future__ import annotations

import numpy as np

from streams.methods.baselines.shingles import comparable, distinct, found, shingles, smallest
from streams.methods.comparison import Comparison
from streams.signature import Ragged, Signature, Signatures
from streams.text.reading import Reading

NAME = "dsc"
MOST = 512


def sketch(reading: Reading, *, width: int = 10, modulus: int = 25) -> Ragged:
    """Of each item the shingles whose hash is divisible by the modulus."""
    runs = shingles(reading, width)
    owners = np.repeat(np.arange(len(runs)), runs.counts())
    kept = runs.values % np.uint64(modulus) == 0
    return smallest(distinct(owners[kept], runs.values[kept], reading.size), MOST)


def features(signatures: Signatures) -> Ragged:
    """All shingles that are kept."""
    return signatures.sketches[NAME]


def compare(
    item: Signature, other: Signature, *, resemblance: float = 0.5, contained: float = 0.7, least: int = 1
) -> Comparison:
    """What the shared shingles make of the pair: resemblance first, then containment, then reuse.

    >>> from streams.stages.fingerprint import sign
    >>> a = " ".join(f"word{n}" for n in range(500))
    >>> b = " ".join(f"word{n}" for n in range(200, 400))
    >>> pack = sign([a, b], [[0, len(a)], [0, len(b)]], ["dsc"])
    >>> result = compare(pack[0], pack[1])
    >>> result.kind, result.item_is_contained, result.coverage_other
    ('containment', False, 1.0)
    """
    mine, theirs = comparable(item.sketches[NAME], other.sketches[NAME], MOST)
    shared = int(found(mine, theirs).sum())
    if shared < max(least, 1):
        return Comparison(None, 0.0)
    one, two = shared / len(mine), shared / len(theirs)
    alike = shared / (len(mine) + len(theirs) - shared)
    if alike >= resemblance:
        return Comparison("duplicate", alike, one, two)
    return Comparison("containment" if max(one, two) >= contained else "reuse", max(one, two), one, two)
