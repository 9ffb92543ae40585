"""qSign of Kim, Candan and Tatemura: sentence signatures that differ in few bits.

Each word sets l of m bits, a sentence is the union of its words. A sentence of n words and the same one with
k more differ in about m P bits, where a bit switches with the probability

    P = (1 - 1/m)^(nl) (1 - (1 - 1/m)^(kl)),

so that they differ in at most d bits with P_max(m, l, n, k, d) = Σ_{t ≤ d} C(m, t) P^t (1 - P)^(m - t). For k
words of flexibility and an accepted rate of false positives, d is the largest with P_max(m, l, n, k + 1, d)
≤ rate. Candidates within d bits are confirmed by the overlap of their words, weighted by idf:

    S(Q, R) = |Q ∩ R| / |Q| · Σ_{w ∈ Q ∩ R} idf(w) / Σ_{w ∈ Q} idf(w) ≥ θ.

(The paper leaves out the last denominator, but its θ lies between 0 and 1. The greater one of S(Q, R) and
S(R, Q) counts, so that the outcome does not depend on who came first.)

| parameter | paper | here | why |
|---|---|---|---|
| m, l | 32, 2 (or 16, 1) | 512, 2 | the paper searches a range in a tree; here bands are looked up |
| d | 0 to 5 | 4 | `bit_differences(512, 2, n=12, k=3, rate=0.15)` |
| θ | 0.5 | 0.5 | |

The m bits are cut into d + 1 bands: signatures within d bits are equal in at least one of them. Bands in
which fewer than 3 bits are set are compared but not looked up, they are everywhere; the whole signature is
looked up besides. A band meets 16 equal ones of the other item at the most. How much of each item's words is
shared tells what the pair is, as in `yoon`.

Reference: J. W. Kim, K. S. Candan, J. Tatemura: Efficient Overlap and Content Reuse Detection in Blogs and
Online News Articles. WWW 2009, pp. 81-90.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from streams.methods.comparison import Comparison, Pairs
from streams.methods.idf import idf
from streams.signature import Ragged, Signature, Signatures, offsets_of, ranges
from streams.text.frequency import commonness
from streams.text.words import mix

_BITS, _PER_WORD, _DIFFERENCES = 512, 2, 4
_TELLING_BITS = 3
_LEAST = 5
"""A sentence with fewer words that count is brief: a dateline or a credit, no evidence."""
_MEETS = 16
_POPULATION = np.array([value.bit_count() for value in range(256)], dtype=np.uint8)


class Bands(NamedTuple):
    """The parts of sentence signatures in which bits are set, by sentence."""

    sentences: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    weights: NDArray[np.int64]
    """How many bits are set."""


def switch_probability(m: int, per_word: int, n: int, k: int) -> float:
    """How probable it is that k more words set a bit that n words left unset."""
    return (1 - 1 / m) ** (n * per_word) * (1 - (1 - 1 / m) ** (k * per_word))


def within_probability(m: int, per_word: int, n: int, k: int, d: int) -> float:
    """How probable it is that a sentence of n words and the same with k more differ in at most d bits.

    >>> [round(within_probability(32, 2, 10, 2, d), 2) for d in range(6)]
    [0.12, 0.39, 0.67, 0.86, 0.95, 0.99]
    """
    p = switch_probability(m, per_word, n, k)
    return sum(math.comb(m, t) * p**t * (1 - p) ** (m - t) for t in range(d + 1))


def bit_differences(m: int, per_word: int, n: int, k: int, rate: float) -> int:
    """The most bits that candidates may differ in; -1 if even none are too many for this rate.

    >>> bit_differences(512, 2, n=12, k=3, rate=0.15)
    4
    """
    d = -1
    while d < m and within_probability(m, per_word, n, k + 1, d + 1) <= rate:
        d += 1
    return d


def set_bits(words: Ragged, m: int = _BITS, per_word: int = _PER_WORD) -> NDArray[np.int64]:
    """The bits that the words of each sentence set, sorted; bit b of sentence s is s m + b."""
    sentence = np.repeat(np.arange(len(words)), words.counts()) * m
    values = words.values.astype(np.uint64) << np.uint64(8)
    draws = [
        sentence + (mix(values + np.uint64(n + 1)) % np.uint64(m)).astype(np.int64) for n in range(per_word)
    ]
    return np.unique(np.concatenate(draws))


def bands(bits: NDArray[np.int64], m: int = _BITS, count: int = _DIFFERENCES + 1) -> Bands:
    """The bands of signatures, but for those in which no bit is set."""
    sentence, bit = np.divmod(bits, m)
    group = sentence * count + bit * count // m
    first = np.ones(len(bits), dtype=bool)
    np.not_equal(group[1:], group[:-1], out=first[1:])
    begins = np.flatnonzero(first)
    terms = mix(bit.astype(np.uint64) + np.uint64(1))
    hashes = mix(np.add.reduceat(terms, begins)) if len(begins) else terms
    return Bands(sentence[begins], hashes, np.append(begins[1:], len(bits)) - begins)


def features(signatures: Signatures) -> Ragged:
    """The bands and the signature of each item's sentences; of the brief ones only if it has no others."""
    long = signatures.words.counts() >= _LEAST
    longs = np.concatenate([[0], np.cumsum(long)])[signatures.sentences]
    used = long | np.repeat(np.diff(longs) == 0, np.diff(signatures.sentences))
    bits = set_bits(signatures.words)
    bits = bits[used[bits // _BITS]]
    parts, wholes = bands(bits), bands(bits, count=1)
    telling = parts.weights >= _TELLING_BITS
    sentences = np.concatenate([wholes.sentences, parts.sentences[telling]])
    hashes = np.concatenate([wholes.hashes ^ np.uint64(1), parts.hashes[telling]])
    order = np.argsort(sentences, kind="stable")
    before = offsets_of(np.bincount(sentences, minlength=len(signatures.words)))
    return Ragged(hashes[order], before[signatures.sentences])


def compare(
    item: Signature,
    other: Signature,
    *,
    m: int = _BITS,
    per_word: int = _PER_WORD,
    differences: int = _DIFFERENCES,
    overlap: float = 0.5,
    duplicate: float = 0.7,
    contained: float = 0.7,
    least: int = _LEAST,
) -> Comparison:
    """The share of words that both have in sentences within `differences` bits and with enough overlap.

    >>> from streams.stages.fingerprint import sign
    >>> a = "Motorola also displayed a music phone with a waterproof keyboard in Barcelona"
    >>> b = "In Barcelona Motorola displayed a music phone with a waterproof red keyboard"
    >>> pack = sign([a, b], [[0, len(a)], [0, len(b)]])
    >>> compare(pack[1], pack[0]).kind
    'duplicate'
    """
    mine, theirs = set_bits(item.words, m, per_word), set_bits(other.words, m, per_word)
    first, second = _meeting(
        bands(mine, m, differences + 1), bands(theirs, m, differences + 1), len(other.words)
    )
    differing = _POPULATION[_packed(mine, m)[first] ^ _packed(theirs, m)[second]].sum(axis=1)
    near = differing <= differences
    first, second = first[near], second[near]
    if not len(first):
        return Comparison(None, 0.0)
    shared, weight, mine_weight, their_weight = _overlap(item.words, other.words, first, second)
    my_share, their_share = shared / item.words.counts()[first], shared / other.words.counts()[second]
    scores = np.maximum(my_share * weight / mine_weight, their_share * weight / their_weight)
    good = scores >= overlap
    if not good.any():
        return Comparison(None, 0.0)
    first, second, scores, shared = first[good], second[good], scores[good], shared[good]
    order = np.lexsort((second, -scores, first))
    best = order[np.flatnonzero(np.diff(first[order], prepend=-1))]
    sizes = np.maximum(item.words.counts()[first], other.words.counts()[second])
    pairs = Pairs(first[best], second[best], shared[best] / sizes[best])
    shares = _coverage(item.words, mine, m, first, shared), _coverage(other.words, theirs, m, second, shared)
    if min(shares) >= duplicate:
        return Comparison("duplicate", min(shares), *shares, pairs)
    if item.words.counts()[first].max() < least:
        return Comparison(None, max(shares), *shares, pairs)
    return Comparison("containment" if max(shares) >= contained else "reuse", max(shares), *shares, pairs)


def _meeting(mine: Bands, theirs: Bands, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sentences of the one and the other item that have a band in common."""
    order = np.argsort(theirs.hashes, kind="stable")
    known = theirs.hashes[order]
    low = np.searchsorted(known, mine.hashes)
    counts = np.minimum(np.searchsorted(known, mine.hashes, side="right") - low, _MEETS)
    pairs = np.repeat(mine.sentences, counts) * max(size, 1) + theirs.sentences[order[ranges(low, counts)]]
    first, second = np.divmod(np.unique(pairs), max(size, 1))
    return first, second


def _packed(bits: NDArray[np.int64], m: int) -> NDArray[np.uint8]:
    """A row of m bits for each sentence."""
    grid = np.zeros((int(bits[-1]) // m + 1 if len(bits) else 0) * m, dtype=bool)
    grid[bits] = True
    return np.packbits(grid.reshape(-1, m), axis=1)


def _overlap(
    mine: Ragged, theirs: Ragged, first: NDArray[np.int64], second: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """For each pair how many words both have, their idf, and the idf of all words of either."""
    weights, their_weights = idf(commonness(mine.values)), idf(commonness(theirs.values))
    known = np.sort((np.repeat(np.arange(len(theirs)), theirs.counts()) << 32) | theirs.values)
    counts = mine.counts()[first]
    chosen = ranges(mine.offsets[:-1][first], counts)
    keys = (np.repeat(second, counts) << 32) | mine.values[chosen]
    found = known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys
    begins = offsets_of(counts)[:-1]
    totals = np.concatenate([[0.0], np.cumsum(weights)]), np.concatenate([[0.0], np.cumsum(their_weights)])
    return (
        np.add.reduceat(found, begins, dtype=np.int64),
        np.add.reduceat(found * weights[chosen], begins),
        totals[0][mine.offsets[first + 1]] - totals[0][mine.offsets[first]],
        totals[1][theirs.offsets[second + 1]] - totals[1][theirs.offsets[second]],
    )


def _coverage(
    words: Ragged, bits: NDArray[np.int64], m: int, sentences: NDArray[np.int64], shared: NDArray[np.int64]
) -> float:
    """The share of the words that the other item has in the sentence that is most alike."""
    most = np.zeros(len(words), dtype=np.int64)
    np.maximum.at(most, sentences, shared)
    # what repeats in an item is all found where one of it is: not all of it meets
    wholes = bands(bits, m, 1)
    _, group = np.unique(wholes.hashes, return_inverse=True)
    found = np.zeros(len(group), dtype=np.int64)
    np.maximum.at(found, group, most[wholes.sentences])
    return float(found[group].sum()) / max(int(words.offsets[-1]), 1)
