"""Exact sentences, as Yoon et al. compare with them under the name of Wang and Chang: one hash a sentence.

A sentence is its words in their order, nothing left out; the hash of their sequence,

    h(s) = Σ mix(wᵢ) · pⁱ  (mod 2⁶⁴, mixed),

is the same only for the same sentence, but for case, punctuation and diacritics. How much of each item's
words lies in sentences that the other one has too tells what the pair is: nearly all of both a duplicate,
nearly all of one a containment, less a reuse. Sentences of fewer than `least` words (datelines, credits, "He
said.") have no hash.

Reference: J.-H. Wang, H.-C. Chang: Exploiting Sentence-Level Features for Near-Duplicate Document Detection.
AIRS 2009, LNCS 5839. The paper itself goes on to sequences of sentence lengths.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from streams.methods.comparison import Comparison, Pairs
from streams.signature import Ragged, Signature, Signatures, offsets_of
from streams.text.reading import Reading
from streams.text.words import mix

NAME = "wang"
_POWER = 0x9E3779B97F4A7C15
_PERIOD = 1024  # words after so many in a sentence use the same factors again


def sketch(reading: Reading, *, least: int = 5) -> Ragged:
    """For every item a hash of each of its sentences, 0 where it has fewer than `least` words."""
    total = len(reading.bounds)
    counts = np.bincount(reading.words.sentences, minlength=total)
    starts = offsets_of(counts)[:-1]
    place = np.arange(len(reading.words.hashes)) - np.repeat(starts, counts)
    factors = np.array([pow(_POWER, n, 1 << 64) for n in range(_PERIOD)], dtype=np.uint64)
    terms = mix(reading.words.hashes.astype(np.uint64) + np.uint64(1)) * factors[place % _PERIOD]
    hashes = np.zeros(total, dtype=np.uint64)
    filled = np.flatnonzero(counts)
    if len(filled):
        hashes[filled] = mix(np.add.reduceat(terms, starts[filled]))
    hashes[counts < least] = 0
    return Ragged.of(np.bincount(reading.items, minlength=reading.size), hashes)


def features(signatures: Signatures) -> Ragged:
    """The hashes of each item's sentences."""
    hashes = signatures.sketches[NAME]
    used = hashes.values != 0
    before = np.concatenate([[0], np.cumsum(used)])
    return Ragged(hashes.values[used], before[hashes.offsets])


def compare(
    item: Signature, other: Signature, *, duplicate: float = 0.7, contained: float = 0.7
) -> Comparison:
    """The share of each item's words that lies in sentences which the other one has too.

    >>> from streams.stages.fingerprint import sign
    >>> a = "The harbour authority closed the quay on Tuesday."
    >>> b = "On Tuesday the harbour authority closed the quay."
    >>> pack = sign([a, a.upper(), b], [[0, len(a)], [0, len(a)], [0, len(b)]], ["wang"])
    >>> compare(pack[0], pack[1]).kind, compare(pack[0], pack[2]).kind
    ('duplicate', None)
    """
    mine, theirs = item.sketches[NAME], other.sketches[NAME]
    order = np.argsort(theirs, kind="stable")
    place = np.minimum(np.searchsorted(theirs[order], mine), max(len(order) - 1, 0))
    matched = (mine != 0) & (theirs[order][place] == mine) if len(order) else np.zeros(len(mine), dtype=bool)
    hits = np.flatnonzero(matched)
    if not len(hits):
        return Comparison(None, 0.0)
    pairs = Pairs(hits, order[place[hits]], np.ones(len(hits)))
    one = _share(item, matched)
    two = _share(other, np.isin(theirs, mine[hits]))
    if min(one, two) >= duplicate:
        return Comparison("duplicate", min(one, two), one, two, pairs)
    return Comparison(
        "containment" if max(one, two) >= contained else "reuse", max(one, two), one, two, pairs
    )


def _share(signature: Signature, matched: NDArray[np.bool_]) -> float:
    return float(signature.sizes[matched].sum()) / max(int(signature.sizes.sum()), 1)
