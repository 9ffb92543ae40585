"""Sentence fingerprints of Yoon, Jang, Kim and Park.

A sentence loses its common words, the rest is put into an order of its own, and hashed: sentences that
differ in their common words and in the order of the others have the same fingerprint. A document is
duplicated if more than δ of its sentences collide,

    decide(h₁…hₙ) = Σ collide(hᵢ) > δ,

where sentences that were seen more than 300 times are left out of the table. Instead of sorting the words,
the mixed hashes are added up, which does not depend on their order either.

How much of each item's words lies in colliding sentences then tells what the pair is: nearly all of both a
duplicate, nearly all of one a containment, less a reuse.

| parameter | paper | here | why |
|---|---|---|---|
| δ | 3 | 0 | one item of one sentence, or one quoted sentence, can never collide more than once |
| least, words of a sentence | - | 5 | without the table of 300 occurrences credits would link everything |
| most, occurrences of a sentence | 300 | 300 | as a function over counts; see `distinctive` |
| common words | in 60 % of 500,000 posts | `COMMON` | frozen lists, so that a replay repeats |

Reference: Y.-C. Yoon, M.-G. Jang, H.-K. Kim, S.-Y. Park: Detecting Partial and Near Duplication in the
Blogosphere. IEICE Transactions on Information and Systems E95-D(2), 2012.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from streams.methods.comparison import Comparison, Pairs
from streams.signature import Ragged, Signature, Signatures
from streams.text.frequency import COMMON, commonness
from streams.text.words import mix

_TELLING = 4
"""A sentence with fewer words that are neither common nor numbers keeps its common ones."""
_LEAST = 5
"""A sentence with fewer words that count is brief: "/TASS/." and "MOSCOW, February 7." are no evidence."""


def fingerprints(words: Ragged, plain: NDArray[np.uint16]) -> NDArray[np.uint64]:
    """One hash a sentence, whatever the order of its words and whatever its common ones; 0 where it has none.

    A signature keeps the common words of a sentence that has few others. They are left out here, as in the
    paper, unless next to nothing would remain.
    """
    hashes = np.zeros(len(words), dtype=np.uint64)
    counts = words.counts()
    filled = np.flatnonzero(counts)
    if not len(filled):
        return hashes
    terms = mix(words.values.astype(np.uint64) + np.uint64(1))
    begins = words.offsets[:-1][filled]
    number = np.arange(len(terms)) - np.repeat(begins + plain[filled], counts[filled]) >= 0
    common = ~number & (commonness(words.values) >= COMMON)
    if common.any():
        telling = np.add.reduceat(~(number | common), begins, dtype=np.int64) >= _TELLING
        terms[common & np.repeat(telling, counts[filled])] = 0
    hashes[filled] = mix(np.add.reduceat(terms, begins))
    return hashes


def features(signatures: Signatures) -> Ragged:
    """The fingerprints of each item's sentences; of the brief ones only where it has no others.

    A dateline or a credit stands in hundreds of items, and under it each would be found for each.
    """
    hashes = fingerprints(signatures.words, signatures.plain)
    long = signatures.words.counts() >= _LEAST
    longs = np.concatenate([[0], np.cumsum(long)])[signatures.sentences]
    used = (hashes != 0) & (long | np.repeat(np.diff(longs) == 0, np.diff(signatures.sentences)))
    before = np.concatenate([[0], np.cumsum(used)])
    return Ragged(hashes[used], before[signatures.sentences])


def decide(collided: NDArray[np.bool_], *, delta: int = 3) -> bool:
    """Whether more than δ sentences collide: the paper's rule, with its δ.

    >>> decide(np.array([True, True, True])), decide(np.array([True, True, True, True]))
    (False, True)
    """
    return int(np.count_nonzero(collided)) > delta


def distinctive(counts: NDArray[np.int64], *, most: int = 300) -> NDArray[np.bool_]:
    """Which sentences stay in the table, by how often each was seen.

    The rule is meant for lines like "Read the complete edition", but it also drops the sentences of a story
    with 301 copies: what is a copy as a whole must not be judged by it.

    >>> distinctive(np.array([1, 300, 301])).tolist()
    [True, True, False]
    """
    return counts <= most


def compare(
    item: Signature,
    other: Signature,
    *,
    delta: int = 0,
    duplicate: float = 0.7,
    contained: float = 0.7,
    least: int = _LEAST,
) -> Comparison:
    """The share of words in colliding sentences, if more than `delta` of them collide.

    Anything less than a duplicate needs a collision of a sentence with at least `least` words that count.

    >>> from streams.stages.fingerprint import sign
    >>> a = "U.S. to Reveal Some Rules on Security for Internet"
    >>> b = "U.S. to Reveal Security Rules for Internet"
    >>> pack = sign([a, b], [[0, len(a)], [0, len(b)]])
    >>> compare(pack[0], pack[1]).kind
    'duplicate'
    """
    mine, theirs = fingerprints(item.words, item.plain), fingerprints(other.words, other.plain)
    order = np.argsort(theirs, kind="stable")
    place = np.minimum(np.searchsorted(theirs[order], mine), max(len(order) - 1, 0))
    matched = (mine != 0) & (theirs[order][place] == mine) if len(order) else np.zeros(len(mine), dtype=bool)
    if not decide(matched, delta=delta):
        return Comparison(None, 0.0)
    hits = np.flatnonzero(matched)
    pairs = Pairs(hits, order[place[hits]], np.ones(len(hits)))
    shares = _share(item, matched), _share(other, np.isin(theirs, mine) & (theirs != 0))
    if min(shares) >= duplicate:
        return Comparison("duplicate", min(shares), *shares, pairs)
    if item.words.counts()[hits].max() < least:
        return Comparison(None, max(shares), *shares, pairs)
    return Comparison("containment" if max(shares) >= contained else "reuse", max(shares), *shares, pairs)


def _share(signature: Signature, matched: NDArray[np.bool_]) -> float:
    sizes = signature.words.counts()
    total = int(sizes.sum())
    return float(sizes[matched].sum()) / total if total else 0.0
