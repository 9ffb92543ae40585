"""Duplicate document detection of Montanari and Puglisi, by character q-grams.

A text loses its white space and punctuation; the set of all its overlapping substrings of q characters is
its signature. Two texts are duplicates if

    doc_q(A, B) = |A_q ∩ B_q| / max(|A_q|, |B_q|) ≥ t.

The maximum in the denominator keeps apart texts of different sizes: the method tells duplicates only. It
knows no sentences, so it has no pairs; the coverage is the share of each one's q-grams that the other has.

| parameter | paper | here | why |
|---|---|---|---|
| q | 4 | 4 | lower brings false positives, higher brings memory |
| threshold t | 0.7 | 0.7 | best F1 (0.953; the same at 0.8) |
| window | 24 h, by hour | the setting `window_hours` | |
| q-grams kept of a text | all | the 256 of the smallest hashes | 1 KB an item |

A text with at most 256 distinct q-grams (some 300 characters) is compared exactly, but for collisions of
32-bit hashes; for a longer one the ratio is estimated from the q-grams whose hashes lie below a bound that
both samples reach, with a standard error of at most 0.03. Equal texts always score 1.

The paper looks up every q-gram. Here an item is found by a few runs of `_RUN` characters, those with the
smallest hashes: a 4-gram of a news text stands in 15 % of all others and would find everything.

Reference: D. Montanari, P. L. Puglisi: Near Duplicate Document Detection for Large Information Flows.
CD-ARES 2012, LNCS 7465, pp. 203-217.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streams.methods.comparison import Comparison
from streams.signature import Ragged, Signature, Signatures, ranges
from streams.text.reading import Reading
from streams.text.words import mix, read_words

_Q = 4
_KEPT = 256
"""q-grams kept of an item."""
_FOUND_BY = 16
"""Runs under which an item is found. All of 136 pairs of revisions with a ratio of 0.7 to 0.8 share one."""
_RUN = 12
_FIRST_UNSPACED = 0x2E80
"""From here on a character is a syllable or a word, and a q-gram tells as much as a run of letters."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def qgrams(text: str, q: int = 4) -> set[str]:
    """The text's signature: all its substrings of q letters and digits.

    >>> sorted(qgrams("A rose is.", 3))
    ['aro', 'eis', 'ose', 'ros', 'sei']
    """
    letters = read_words([text]).points.tobytes().decode("utf-32-le")
    return {letters[start : start + q] for start in range(len(letters) - q + 1)}


def similarity(a: set[str], b: set[str]) -> float:
    """The paper's doc_q of two signatures, exactly; 0 where one is empty.

    >>> similarity(qgrams("A rose is a flower"), qgrams("a rose, is a flower!"))
    1.0
    """
    return len(a & b) / max(len(a), len(b)) if a and b else 0.0


def sketch(reading: Reading) -> Ragged:
    """For each item how many runs it is found by, their hashes, and the smallest hashes of its q-grams."""
    points, items = reading.words.points, reading.items[reading.words.point_sentences]
    sums = _sums(points, _Q)
    starts, grams = _hashes(sums, items, _Q)
    samples = _smallest(grams, items[starts], reading.size, _KEPT)
    # a run is three q-grams, one after the other
    run_starts, runs = _hashes(_sums(sums, _RUN // _Q, _Q), items, _RUN)
    owners = items[run_starts]
    unspaced = points[starts] >= _FIRST_UNSPACED
    if unspaced.any():
        spaced = points[run_starts] < _FIRST_UNSPACED
        runs = np.concatenate([runs[spaced], grams[unspaced]])
        owners = np.concatenate([owners[spaced], items[starts[unspaced]]])
    found_by = _smallest(runs, owners, reading.size, _FOUND_BY)
    brief = found_by.counts() == 0
    if brief.any():  # a text too short for a run is found by its q-grams
        leading = np.where(brief, np.minimum(samples.counts(), _FOUND_BY), 0)
        first = ranges(samples.offsets[:-1], leading)
        values = np.concatenate([found_by.values, samples.values[first]])
        order = np.argsort(
            np.concatenate([_owners(found_by), np.repeat(np.arange(reading.size), leading)]), kind="stable"
        )
        found_by = Ragged.of(found_by.counts() + leading, values[order])
    counts = 1 + found_by.counts() + samples.counts()
    sketches = Ragged.of(counts, np.zeros(counts.sum(), dtype=np.uint32))
    begins = sketches.offsets[:-1]
    sketches.values[begins] = found_by.counts()
    sketches.values[ranges(begins + 1, found_by.counts())] = found_by.values
    sketches.values[ranges(begins + 1 + found_by.counts(), samples.counts())] = samples.values
    return sketches


def features(signatures: Signatures) -> Ragged:
    """The runs of each item with the smallest hashes, `_FOUND_BY` at the most."""
    sketches = signatures.sketches["ddd"]
    counts = sketches.values[sketches.offsets[:-1]].astype(np.int64)
    chosen = sketches.values[ranges(sketches.offsets[:-1] + 1, counts)]
    return Ragged.of(counts, mix(chosen.astype(np.uint64) + _FACTOR))


def compare(item: Signature, other: Signature, *, threshold: float = 0.7) -> Comparison:
    """The share of q-grams that are the same, of the item that has more of them.

    >>> from streams.stages.fingerprint import sign
    >>> texts = ["A rose is a flower.", "A ROSE is a flower", "A nose is no flower."]
    >>> pack = sign(texts, [[0, len(text)] for text in texts], ["ddd"])
    >>> compare(pack[1], pack[0]).kind, compare(pack[2], pack[0]).kind
    ('duplicate', None)
    """
    mine, theirs = sample(item), sample(other)
    if not len(mine) or not len(theirs):
        return Comparison(None, 0.0)
    # beyond the end of a full sample nothing is known of an item
    bound = min([values[-1] for values in (mine, theirs) if len(values) == _KEPT], default=_EVERYTHING)
    mine = mine[: np.searchsorted(mine, bound, side="right")]
    theirs = theirs[: np.searchsorted(theirs, bound, side="right")]
    if not len(mine) or not len(theirs):
        return Comparison(None, 0.0)
    place = np.minimum(np.searchsorted(theirs, mine), len(theirs) - 1)
    common = int(np.count_nonzero(theirs[place] == mine))
    score = common / max(len(mine), len(theirs))
    return Comparison(
        "duplicate" if score >= threshold else None, score, common / len(mine), common / len(theirs)
    )


def sample(signature: Signature) -> NDArray[np.uint32]:
    """The hashes of the q-grams that are kept of an item, smallest first."""
    values: NDArray[np.uint32] = signature.sketches["ddd"]
    return values[1 + int(values[0]) :]


_EVERYTHING = np.uint32(0xFFFFFFFF)


def _sums(values: NDArray[Any], width: int, apart: int = 1) -> NDArray[np.uint64]:
    """For each value the polynomial in it and those that follow it, `width` of them, so far `apart`."""
    last = max(len(values) - (width - 1) * apart, 0)
    values = values.astype(np.uint64)
    factor = np.uint64(pow(int(_FACTOR), apart, 1 << 64))
    sums: NDArray[np.uint64] = values[:last].copy()
    for place in range(1, width):
        sums *= factor
        sums += values[place * apart : place * apart + last]
    return sums


def _hashes(
    sums: NDArray[np.uint64], items: NDArray[np.int64], width: int
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Where each substring of this width begins that lies in one item, and its hash."""
    starts = np.flatnonzero(items[: len(sums)] == items[width - 1 : width - 1 + len(sums)])
    return starts, (mix(sums[starts]) >> np.uint64(32)).astype(np.uint32)


def _smallest(hashes: NDArray[np.uint32], items: NDArray[np.int64], size: int, most: int) -> Ragged:
    """For each item its smallest distinct hashes, in order; `most` at the most."""
    # three times as many as needed will hardly fall short; where repeats make them, all are sorted
    totals = np.bincount(items, minlength=size)
    share = np.minimum(3 * most / np.maximum(totals, 1), 1.0)
    likely = hashes <= (share * 0xFFFFFFFF).astype(np.uint32)[items]
    kept = _sorted(hashes[likely], items[likely])
    counts = np.bincount(kept >> np.uint64(32), minlength=size)
    short = (counts < most) & (share < 1.0)
    if short.any():
        more = likely | short[items]
        kept = _sorted(hashes[more], items[more])
        counts = np.bincount(kept >> np.uint64(32), minlength=size)
    starts = np.cumsum(counts) - counts
    counts = np.minimum(counts, most)
    return Ragged.of(counts, (kept[ranges(starts, counts)] & np.uint64(0xFFFFFFFF)).astype(np.uint32))


def _owners(lists: Ragged) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(lists)), lists.counts())


def _sorted(hashes: NDArray[np.uint32], items: NDArray[np.int64]) -> NDArray[np.uint64]:
    return np.unique((items.astype(np.uint64) << np.uint64(32)) | hashes)
