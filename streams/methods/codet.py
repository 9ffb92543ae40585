"""CoDet of Varol: containment by the rarest words of sentences.

The words of each sentence are cut to their first five letters and sorted by idf, the rarest first. Two
sentences are as similar as the common beginning f of these sequences is long and rare,

    cs(s, s') = Σ_{k = 1 … len f} k^DSP · idf(f_k),        CS(A, B) = Σ_{s ∈ A} Σ_{s' ∈ B} cs(s, s').

A is contained in B if CS(A, B) / CS(A, A) > ETL. Both ways make a duplicate, one way a containment; less is a
reuse if a sentence with at least 5 words that count matches down to the depth threshold. The corpus tree of
the thesis, a tree of words whose nodes list their visitors, is here the hashes of all beginnings: each is a
node, so nothing is quadratic.

| parameter | thesis | here |
|---|---|---|
| stems | first five letters | the same |
| depth threshold DT | 5 | 5 |
| depth score power DSP | 1 (2 is as good) | 1 |
| processed suffix count PSC | no effect; 3 as example | 1, up to 3 possible |
| equivalency threshold ETL | several, none named | 0.7 |
| idf | of a reference collection | of the frozen lists, that of the commonest word of a stem |

The thesis sums over pairs of sentences in its equations but visits a document once a node in its algorithm;
the equations are followed, and the ratio is cut at 1. A word that a sentence repeats counts once. Of each
sentence 7 words are kept, as many as 3 suffixes of depth 5 need: 24 bits of the stem and 8 for the idf.

Items are found by the beginnings of three words; shorter sentences count only if there are no others.

Reference: E. Varol: CoDet: A New Algorithm for Containment and Near Duplicate Detection in Text Corpora.
M.Sc. thesis, Bilkent University, 2012. Also: E. Varol, F. Can, C. Aykanat, O. Kaya, CIKM 2011.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from streams.methods.comparison import Comparison, Pairs
from streams.methods.idf import commonness_of_stems, idf
from streams.signature import Ragged, Signature, Signatures, offsets_of
from streams.text.reading import Reading
from streams.text.words import mix, stems

_KEPT = 7
_DEPTH = 5
_FOUND_BY = 3
_FACTOR = 0x9E3779B97F4A7C15
_FLOOR = 1e-3
"""Added to every idf, so that a sentence of the commonest words is like itself."""

Stems = NDArray[np.uint32]
"""A row a sentence: its stems, rarest first, and how common each is in the last 8 bits; 0 is none."""
Nodes = NDArray[np.uint64]
"""A row a sentence: the hash of its beginning of each depth; 0 where it is shorter."""


def sketch(reading: Reading) -> Ragged:
    """For each item a row of `_KEPT` stems a sentence."""
    words, total = reading.words, len(reading.bounds)
    stem = stems(words)
    # one sort: by sentence, then the rarest first, equal ones together
    keys = words.sentences.astype(np.uint64) << np.uint64(32)
    keys |= commonness_of_stems(stem).astype(np.uint64) << np.uint64(24)
    keys = np.unique(keys | (stem >> np.uint32(8)) | np.uint64(1))  # never 0, which is none
    sentences = (keys >> np.uint64(32)).astype(np.int64)
    begins = offsets_of(np.bincount(sentences, minlength=total))[:-1]
    place = np.arange(len(keys)) - begins[sentences]
    kept = place < _KEPT
    rows = np.zeros((total, _KEPT), dtype=np.uint32)
    level, stem = (keys >> np.uint64(24)) & np.uint64(255), keys & np.uint64(0xFFFFFF)
    rows[sentences[kept], place[kept]] = ((stem << np.uint64(8)) | level)[kept]
    return Ragged.of(np.bincount(reading.items, minlength=reading.size) * _KEPT, rows.ravel())


def nodes(rows: Stems) -> Nodes:
    """The nodes of the corpus tree that each sentence visits: the hashes of its beginnings."""
    powers = np.array(
        [pow(_FACTOR, depth, 1 << 64) for depth in range(1, rows.shape[1] + 1)], dtype=np.uint64
    )
    paths = np.cumsum((rows >> np.uint32(8)) * powers, axis=1, dtype=np.uint64)
    return np.where(rows != 0, mix(paths), np.uint64(0))


def features(signatures: Signatures) -> Ragged:
    """The beginnings of each item's sentences; of those with less than three words if it has no others."""
    hashes = nodes(signatures.sketches["codet"].values.reshape(-1, _KEPT)[:, :_FOUND_BY])
    long = hashes[:, -1] != 0
    longs = np.concatenate([[0], np.cumsum(long)])[signatures.sentences]
    used = long | ((hashes[:, 0] != 0) & np.repeat(np.diff(longs) == 0, np.diff(signatures.sentences)))
    deepest = np.count_nonzero(hashes, axis=1) - 1
    before = np.concatenate([[0], np.cumsum(used)])
    return Ragged(hashes[used, deepest[used]], before[signatures.sentences])


class Tally(NamedTuple):
    """The nodes that an item visits, sorted: how often, and how much a visit weighs."""

    nodes: NDArray[np.uint64]
    visits: NDArray[np.int64]
    weights: NDArray[np.float64]


def tally(rows: Stems, *, depth: int = _DEPTH, power: float = 1.0, suffixes: int = 1) -> Tally:
    """What the sentences of an item visit, each also without its first words if there are more suffixes."""
    rows = np.concatenate([rows[:, start : start + depth] for start in range(suffixes)])
    weights = (idf((rows & np.uint32(0xFF)).astype(np.uint8)) + _FLOOR) * np.arange(1, depth + 1) ** power
    hashes, first, visits = np.unique(nodes(rows), return_index=True, return_counts=True)
    start = int(len(hashes) > 0 and hashes[0] == 0)
    return Tally(hashes[start:], visits[start:], weights.ravel()[first[start:]])


def containment_similarity(a: Tally, b: Tally) -> float:
    """CS(A, B), the sum over all pairs of sentences, by the nodes that both visit."""
    if not len(b.nodes):
        return 0.0
    place = np.minimum(np.searchsorted(b.nodes, a.nodes), len(b.nodes) - 1)
    visits = np.where(b.nodes[place] == a.nodes, a.visits * b.visits[place], 0)
    return float((visits * np.minimum(a.weights, b.weights[place])).sum())


def compare(
    item: Signature,
    other: Signature,
    *,
    threshold: float = 0.7,
    depth: int = _DEPTH,
    power: float = 1.0,
    suffixes: int = 1,
    least: int = 5,
) -> Comparison:
    """How much of each item is contained in the other, by the beginnings of their sentences.

    >>> from streams.stages.fingerprint import sign
    >>> from streams.stages.split import split_text
    >>> texts = ["NASDAQ starts the day with a decrease. Shares lose 2%.", "Shares lose 2%."]
    >>> pack = sign(texts, [split_text(text) for text in texts], ["codet"])
    >>> comparison = compare(pack[1], pack[0])
    >>> comparison.kind, comparison.item_is_contained
    ('containment', True)
    """
    if depth < 1 or suffixes < 1 or depth + suffixes - 1 > _KEPT:
        raise ValueError(f"depth {depth} with {suffixes} suffixes: {_KEPT} words of a sentence are kept")
    mine, theirs = (signature.sketches["codet"].reshape(-1, _KEPT) for signature in (item, other))
    a, b = (tally(rows, depth=depth, power=power, suffixes=suffixes) for rows in (mine, theirs))
    both = containment_similarity(a, b)
    if not both:
        return Comparison(None, 0.0)
    shares = (
        min(both / containment_similarity(a, a), 1.0),
        min(both / containment_similarity(b, b), 1.0),
    )
    pairs, deep = _pairs(nodes(mine[:, :depth]), nodes(theirs[:, :depth]))
    if min(shares) > threshold:
        return Comparison("duplicate", min(shares), *shares, pairs)
    if max(shares) > threshold:
        return Comparison("containment", max(shares), *shares, pairs)
    evident = (item.words.counts()[deep] >= least).any()
    return Comparison("reuse" if evident else None, max(shares), *shares, pairs)


def _pairs(mine: Nodes, theirs: Nodes) -> tuple[Pairs, NDArray[np.int64]]:
    """For each sentence the one with the longest common beginning, of three words or more; which are full."""
    depths = mine.shape[1]
    partner, found = np.full(len(mine), -1), np.zeros(len(mine), dtype=np.int64)
    for depth in range(depths, min(_FOUND_BY, depths) - 1, -1):
        hashes, first = np.unique(theirs[:, depth - 1], return_index=True)
        asked = mine[:, depth - 1]
        place = np.minimum(np.searchsorted(hashes, asked), len(hashes) - 1)
        new = (partner < 0) & (asked != 0) & (hashes[place] == asked)
        partner[new], found[new] = first[place[new]], depth
    matched = np.flatnonzero(partner >= 0)
    other = partner[matched]
    sizes = np.maximum(np.count_nonzero(mine[matched], axis=1), np.count_nonzero(theirs[other], axis=1))
    return Pairs(matched, other, found[matched] / sizes), np.flatnonzero(found == depths)
