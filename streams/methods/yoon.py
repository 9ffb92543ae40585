"""Sentence fingerprints of Yoon, Jang, Kim and Park.

A sentence loses its common words, the rest is put into an order of its own, and hashed: sentences that
differ in their common words and in the order of the others have the same fingerprint. A document is
duplicated if more than δ of its sentences collide,

    decide(h₁…hₙ) = Σ collide(hᵢ) > δ,

where sentences that were seen too often (more than 300 times) are left out of the table. Instead of sorting
the words, the mixed hashes are added up, which does not depend on their order either.

How much of each item's words lies in colliding sentences then tells what the pair is: nearly all of both a
duplicate, nearly all of one a containment, less a reuse.

Reference: Y.-C. Yoon, M.-G. Jang, H.-K. Kim, S.-Y. Park: Detecting Partial and Near Duplication in the
Blogosphere. IEICE Transactions on Information and Systems E95-D(2), 2012.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from streams.methods.comparison import Comparison, Pairs
from streams.signature import Ragged, Signature, Signatures
from streams.text.words import mix


def fingerprints(words: Ragged) -> NDArray[np.uint64]:
    """One hash a sentence, whatever the order of its words; 0 where it has none."""
    hashes = np.zeros(len(words), dtype=np.uint64)
    filled = np.flatnonzero(words.counts())
    if len(filled):
        terms = mix(words.values.astype(np.uint64) + np.uint64(1))
        hashes[filled] = mix(np.add.reduceat(terms, words.offsets[:-1][filled]))
    return hashes


def features(signatures: Signatures) -> Ragged:
    """The fingerprints of each item's sentences."""
    hashes = fingerprints(signatures.words)
    used = hashes != 0
    before = np.concatenate([[0], np.cumsum(used)])
    return Ragged(hashes[used], before[signatures.sentences])


def compare(
    item: Signature, other: Signature, *, collisions: int = 0, duplicate: float = 0.7, contained: float = 0.7
) -> Comparison:
    """The share of words in colliding sentences, if more than `collisions` of them collide.

    >>> from streams.stages.fingerprint import sign
    >>> a = "U.S. to Reveal Some Rules on Security for Internet"
    >>> b = "U.S. to Reveal Security Rules for Internet"
    >>> pack = sign([a, b], [[0, len(a)], [0, len(b)]])
    >>> compare(pack[0], pack[1]).kind
    'duplicate'
    """
    mine, theirs = fingerprints(item.words), fingerprints(other.words)
    order = np.argsort(theirs, kind="stable")
    place = np.minimum(np.searchsorted(theirs[order], mine), max(len(order) - 1, 0))
    matched = (mine != 0) & (theirs[order][place] == mine) if len(order) else np.zeros(len(mine), dtype=bool)
    hits = np.flatnonzero(matched)
    if len(hits) <= collisions:
        return Comparison(None, 0.0)
    pairs = Pairs(hits, order[place[hits]], np.ones(len(hits)))
    found = np.isin(theirs, mine) & (theirs != 0)
    coverage_item = _share(item, matched)
    coverage_other = _share(other, found)
    if min(coverage_item, coverage_other) >= duplicate:
        return Comparison("duplicate", min(coverage_item, coverage_other), coverage_item, coverage_other, pairs)
    if max(coverage_item, coverage_other) >= contained:
        return Comparison("containment", max(coverage_item, coverage_other), coverage_item, coverage_other, pairs)
    return Comparison("reuse", max(coverage_item, coverage_other), coverage_item, coverage_other, pairs)


def _share(signature: Signature, matched: NDArray[np.bool_]) -> float:
    sizes = signature.words.counts()
    total = int(sizes.sum())
    return float(sizes[matched].sum()) / total if total else 0.0
