"""Full fingerprinting: every run of four words, none left out.

The most that comparing word sequences can give, at the highest cost: of an item of n words n − 3 hashes are
kept, and each of them finds it. Coverage is the share of an item's runs that the other one has too,

    c(A, B) = |S(A) ∩ S(B)| / |S(A)|.

Varol and Can compare with it, with runs of four words and .6 of them for a containment; a duplicate is a
containment both ways. A reuse has at least `least` runs in common. At most 4096 hashes of 32 bits of an item
are kept.

References: N. Heintze: Scalable Document Fingerprinting. USENIX Workshop on Electronic Commerce 1996. E.
Varol, F. Can: CoDet: Sentence-based Containment Detection in News Corpora. CIKM 2011.
"""

from __future__ import annotations

import numpy as np

from streams.methods.baselines.shingles import comparable, found, shingles, smallest
from streams.methods.comparison import Comparison
from streams.signature import Ragged, Signature, Signatures
from streams.text.reading import Reading
from streams.text.words import mix

NAME = "fullprint"
MOST = 4096


def sketch(reading: Reading, *, width: int = 4) -> Ragged:
    """All runs of `width` words of each item."""
    runs = smallest(shingles(reading, width), MOST)
    # the high half, so that the order stays
    return Ragged((runs.values >> np.uint64(32)).astype(np.uint32), runs.offsets)


def features(signatures: Signatures) -> Ragged:
    """All runs that are kept."""
    runs = signatures.sketches[NAME]
    return Ragged(mix(runs.values.astype(np.uint64) + np.uint64(1)), runs.offsets)


def compare(
    item: Signature, other: Signature, *, duplicate: float = 0.6, contained: float = 0.6, least: int = 8
) -> Comparison:
    """What the shared runs make of the pair: duplicate, containment, or with at least `least` of them reuse.

    >>> from streams.stages.fingerprint import sign
    >>> a = " ".join(f"word{n}" for n in range(100))
    >>> b = " ".join(f"word{n}" for n in range(80, 180))
    >>> pack = sign([a, b], [[0, len(a)], [0, len(b)]], ["fullprint"])
    >>> compare(pack[0], pack[1]).kind, round(compare(pack[0], pack[1]).coverage_item, 3)
    ('reuse', 0.175)
    """
    mine, theirs = comparable(item.sketches[NAME], other.sketches[NAME], MOST)
    matched = found(mine, theirs)
    shared = int(matched.sum())
    if not shared:
        return Comparison(None, 0.0)
    one, two = shared / len(mine), float(np.mean(found(theirs, mine)))
    if min(one, two) >= duplicate:
        return Comparison("duplicate", min(one, two), one, two)
    if max(one, two) >= contained:
        return Comparison("containment", max(one, two), one, two)
    return Comparison("reuse" if shared >= least else None, max(one, two), one, two)
