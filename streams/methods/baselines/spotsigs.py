"""SpotSigs of Theobald, Siddharth and Paepcke: short chains of words that begin at very common words.

Running prose is full of articles and auxiliary verbs, menus and lists are not. A spot is such an antecedent a
and the chain of the next c words, each d words after the one before, where stop words are not counted,

    S(d) = {a : w₁ : … : w_c},      sim(A, B) = |S(A) ∩ S(B)| / |S(A) ∪ S(B)|,

and a pair with sim ≥ τ is a duplicate. The paper's defaults are kept: d = 1, c = 2, τ = .44. Antecedents are
the words above a level of the frozen word lists instead of a list for English, stop words those that are
common there. The smallest 256 spot hashes of an item are kept, and the smallest 24 find it: two items at τ
have one of these in common but for one case in a million.

Reference: M. Theobald, J. Siddharth, A. Paepcke: SpotSigs: Robust and Efficient Near Duplicate Detection in
Large Web Collections. SIGIR 2008.
"""

from __future__ import annotations

import numpy as np

from streams.methods.baselines.shingles import comparable, distinct, found, smallest
from streams.methods.comparison import Comparison
from streams.signature import Ragged, Signature, Signatures
from streams.text.frequency import COMMON
from streams.text.reading import Reading
from streams.text.words import mix

NAME = "spotsigs"
MOST = 256
_LOOKUPS = 24
_POWER = np.uint64(0x9E3779B97F4A7C15)


def sketch(reading: Reading, *, antecedent: int = 65, distance: int = 1, chain: int = 2) -> Ragged:
    """The spots of each item: words with a level from `antecedent` on, and the chains that follow them."""
    owners = reading.items[reading.words.sentences]
    content = np.flatnonzero(reading.levels < COMMON)
    spots = np.flatnonzero(reading.levels >= antecedent)
    terms = mix(reading.words.hashes.astype(np.uint64) + np.uint64(1))
    after = np.searchsorted(content, spots)
    inside = after + (chain - 1) * distance < len(content)
    spots, after = spots[inside], after[inside]
    hashes = terms[spots]
    for step in range(chain):
        hashes = hashes * _POWER + terms[content[after + step * distance]]
    last = content[after + (chain - 1) * distance] if len(spots) else spots
    whole = owners[last] == owners[spots]
    return smallest(distinct(owners[spots[whole]], mix(hashes[whole]), reading.size), MOST)


def features(signatures: Signatures) -> Ragged:
    """The smallest spot hashes of each item."""
    return smallest(signatures.sketches[NAME], _LOOKUPS)


def compare(item: Signature, other: Signature, *, threshold: float = 0.44) -> Comparison:
    """A duplicate if the share of spots that both have, of those that any has, reaches the threshold.

    >>> from streams.stages.fingerprint import sign
    >>> a = "At a rally to kick off a weeklong campaign for the South Carolina primary, Obama tried to set"
    >>> b = "Menu. Home. " + a + " Copyright, imprint, contact."
    >>> pack = sign([a, b], [[0, len(a)], [0, len(b)]], ["spotsigs"])
    >>> compare(pack[0], pack[1]).kind
    'duplicate'
    """
    mine, theirs = comparable(item.sketches[NAME], other.sketches[NAME], MOST)
    shared = int(found(mine, theirs).sum())
    if not shared:
        return Comparison(None, 0.0)
    similarity = shared / (len(mine) + len(theirs) - shared)
    one, two = shared / len(mine), shared / len(theirs)
    return Comparison("duplicate" if similarity >= threshold else None, similarity, one, two)
