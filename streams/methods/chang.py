"""Sequences of sentence lengths of Chang and Wang.

A document is the sequence of the numbers of words of its sentences. A window of WS lengths slides over it in
steps of SW; each place gives a feature vector. Two documents are near-duplicates if at least t contiguous
vectors of theirs match, so if they share a run of

    WS + SW (t - 1)

sentence lengths. Words play no part: the method stands a change of every word, but not of a word more or
less in every sentence, nor another order of the sentences.

Dynamic jumping leaves a vector out of the index if the SW lengths with which it begins are those before it
and those after it: the pattern that repeats is in its neighbours. It thins out what is looked up; what is
compared are all vectors, so that a run is never broken by it.

| parameter | paper | here |
|---|---|---|
| WS, SW, t | 8, 1, 5 (best F1, 0.937, on news) | the same |
| dynamic jumping | for SW = 1 | yes |
| score | "weighted sum of matched vectors" | the weight of the matched ones over that of all |

The paper does not say how vectors are weighted. Here a vector weighs as many lengths as are different in it,
since the paper names regular lengths as what carries no information. The score is that of the item of which
more is matched, for a duplicate that of which less is. Coverage is the share of words in matched sentences. A
vector meets 16 equal ones of the other item at the most, those nearest to its own place: only sequences that
repeat themselves have more. Items with fewer than WS + SW (t - 1) sentences cannot be judged.

Reference: H.-C. Chang, J.-H. Wang: Organizing News Archives by Near-Duplicate Copy Detection in Digital
Libraries. ICADL 2007, LNCS 4822, pp. 410-419.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from streams.methods.comparison import Comparison, Pairs
from streams.signature import Ragged, Signature, Signatures, offsets_of, ranges
from streams.text.words import mix

_WINDOW, _STEP, _CONTIGUOUS = 8, 1, 5
_MEETS = 16
_FACTOR = 0x9E3779B97F4A7C15

Lengths = NDArray[np.int64]


def vectors(lengths: Lengths, window: int = _WINDOW) -> NDArray[np.uint64]:
    """A hash of the window at each place.

    >>> hashes = vectors(np.array([1, 2, 3, 1, 2, 3]), 3)
    >>> len(hashes), bool(hashes[0] == hashes[3])
    (4, True)
    """
    if len(lengths) < window:
        return np.zeros(0, dtype=np.uint64)
    powers = np.array([pow(_FACTOR, place, 1 << 64) for place in range(window)], dtype=np.uint64)
    return mix((sliding_window_view(lengths.astype(np.uint64) + np.uint64(1), window) * powers).sum(axis=1))


def jumped(lengths: Lengths, step: int = _STEP) -> NDArray[np.bool_]:
    """Which places dynamic jumping leaves out: the `step` lengths there are those before and those after.

    >>> jumped(np.array([7, 7, 7, 7, 9])).tolist()
    [False, True, True, False, False]
    """
    out = np.zeros(len(lengths), dtype=bool)
    if len(lengths) >= 3 * step:
        blocks = sliding_window_view(lengths, step)
        here = blocks[step:-step]
        out[step : step + len(here)] = (here == blocks[: -2 * step]).all(1) & (
            here == blocks[2 * step :]
        ).all(1)
    return out


def features(signatures: Signatures) -> Ragged:
    """The vectors of each item, but for those that dynamic jumping leaves out."""
    kept = np.flatnonzero(signatures.sizes)
    lengths = signatures.sizes[kept].astype(np.int64)
    owner = np.repeat(np.arange(len(signatures)), np.diff(signatures.sentences))[kept]
    hashes = vectors(lengths)
    inside = owner[: len(hashes)] == owner[_WINDOW - 1 :]
    # the neighbours that show a repetition must be of the same item
    alike = jumped(lengths)[: len(hashes)] & (np.roll(owner, _STEP)[: len(hashes)] == owner[: len(hashes)])
    used = inside & ~alike
    return Ragged(
        hashes[used], offsets_of(np.bincount(owner[: len(hashes)][used], minlength=len(signatures)))
    )


def runs(
    mine: Lengths, theirs: Lengths, *, window: int = _WINDOW, step: int = _STEP, contiguous: int = _CONTIGUOUS
) -> list[tuple[int, int, int]]:
    """Where at least `contiguous` vectors match one after the other: both places, the count; longest first.

    The stored sequence is indexed in steps, the one that is looked up at every place.

    >>> runs(np.arange(9), np.arange(1, 10), window=4, step=2, contiguous=2)
    [(1, 0, 3)]
    """
    first, second = _meeting(vectors(mine, window), vectors(theirs, window)[::step], step)
    if not len(first):
        return []
    order = np.lexsort((first, first - second))
    first, second = first[order], second[order]
    breaks = np.flatnonzero((np.diff(first) != step) | (np.diff(second) != step)) + 1
    begins = np.concatenate([[0], breaks])
    lengths = np.diff(np.append(begins, len(first)))
    enough = lengths >= contiguous
    found = zip(first[begins[enough]], second[begins[enough]], lengths[enough], strict=True)
    return sorted(((int(a), int(b), int(n)) for a, b, n in found), key=lambda run: (-run[2], run))


def _meeting(asked: NDArray[np.uint64], stored: NDArray[np.uint64], step: int) -> tuple[Lengths, Lengths]:
    """Places of equal vectors in the one and the other sequence, for each of the one the nearest ones."""
    order = np.argsort(stored, kind="stable")
    known = stored[order]
    low, high = np.searchsorted(known, asked), np.searchsorted(known, asked, side="right")
    # equal vectors stand in the order of their places, so one search finds where the own place would be
    groups = np.searchsorted(known, known) * (len(stored) + 1)
    own = np.minimum(np.arange(len(asked)) // step, len(stored))
    near = np.searchsorted(groups + order, low * (len(stored) + 1) + own) - _MEETS // 2
    low = np.maximum(np.minimum(near, high - _MEETS), low)
    counts = np.minimum(high - low, _MEETS)
    return np.repeat(np.arange(len(asked)), counts), order[ranges(low, counts)] * step


def compare(
    item: Signature,
    other: Signature,
    *,
    window: int = _WINDOW,
    step: int = _STEP,
    contiguous: int = _CONTIGUOUS,
    duplicate: float = 0.7,
    contained: float = 0.7,
) -> Comparison:
    """The weight of the vectors that match, if at least `contiguous` do so one after the other.

    >>> from streams.stages.fingerprint import sign
    >>> words = "one two three four five six seven eight nine ten".split()
    >>> sentences = [" ".join(words[: 1 + n * n % 7]) for n in range(14)]
    >>> ends = np.cumsum([len(sentence) for sentence in sentences])
    >>> spans = [[int(end) - len(s), int(end)] for s, end in zip(sentences, ends)]
    >>> pack = sign(["".join(sentences)] * 2, [[bound for span in spans for bound in span]] * 2)
    >>> compare(pack[1], pack[0]).kind
    'duplicate'
    """
    kept, known = np.flatnonzero(item.sizes), np.flatnonzero(other.sizes)
    mine, theirs = item.sizes[kept].astype(np.int64), other.sizes[known].astype(np.int64)
    found = runs(mine, theirs, window=window, step=step, contiguous=contiguous)
    if not found:
        return Comparison(None, 0.0)
    partner = np.full(len(mine), -1)
    vector_of_mine, vector_of_theirs = np.zeros(len(mine), dtype=bool), np.zeros(len(theirs), dtype=bool)
    sentence_of_theirs = np.zeros(len(theirs), dtype=bool)
    for first, second, count in found:
        size = window + step * (count - 1)
        free = partner[first : first + size] < 0
        partner[first : first + size][free] = np.arange(second, second + size)[free]
        sentence_of_theirs[second : second + size] = True
        vector_of_mine[first : first + size - window + 1] = True
        vector_of_theirs[second : second + size - window + 1] = True
    matched = np.flatnonzero(partner >= 0)
    pairs = Pairs(kept[matched], known[partner[matched]], np.ones(len(matched)))
    shares = float(mine[matched].sum() / mine.sum()), float(theirs[sentence_of_theirs].sum() / theirs.sum())
    scores = weight(mine, vector_of_mine, window), weight(theirs, vector_of_theirs, window)
    if min(shares) >= duplicate:
        return Comparison("duplicate", min(scores), *shares, pairs)
    return Comparison("containment" if max(shares) >= contained else "reuse", max(scores), *shares, pairs)


def weight(lengths: Lengths, matched: NDArray[np.bool_], window: int = _WINDOW) -> float:
    """The weight of the matched vectors, as a share: a vector weighs as many lengths as are different in it.

    >>> weight(np.array([5, 5, 5, 1, 2, 3]), np.array([True, False, False, False, False, False]), 3)
    0.1111111111111111
    """
    places = np.sort(sliding_window_view(lengths, window), axis=1)
    weights = 1 + np.count_nonzero(np.diff(places, axis=1), axis=1)
    return float(weights[matched[: len(weights)]].sum() / weights.sum())
