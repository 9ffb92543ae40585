"""Which sentences of two items match, word by word, and how much of each item that covers.

Two sentences match if they have the same words that count, or share at least three of them and at least half
of those of the shorter one. An item is covered as far as the words of its matching sentences are found in the
sentences that they match. Work grows with the words, not with the pairs of sentences: a word that stands in
many sentences of the other item finds the first of them only; a sentence that stands in both as it is is covered.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from streams.methods.comparison import Pairs
from streams.signature import Ragged, Signature, ranges
from streams.text.words import mix

SHARED_WORDS = 3
SHARED_SHARE = 0.5
_FREQUENT = 32  # a word in more sentences than this finds the first ones only


@dataclass(frozen=True)
class Alignment:
    """Sentences that match, and the words that are found in the other item."""

    item: NDArray[np.int64]
    """For every match the number of the item's sentence."""
    other: NDArray[np.int64]
    shared: NDArray[np.int64]
    """How many words that count they share."""
    shared_plain: NDArray[np.int64]
    """How many of those are no numbers."""
    equal: NDArray[np.bool_]
    """Whether they have just the same words that count."""
    found_item: NDArray[np.bool_]
    """For every word of the item whether a matching sentence of the other one has it."""
    found_other: NDArray[np.bool_]

    @property
    def coverage_item(self) -> float:
        """Share of the item's words that are found in the other one."""
        return float(self.found_item.mean()) if len(self.found_item) else 0.0

    @property
    def coverage_other(self) -> float:
        """Share of the other one's words that are found in the item."""
        return float(self.found_other.mean()) if len(self.found_other) else 0.0


def word_sentences(signature: Signature) -> NDArray[np.int64]:
    """For every word the number of its sentence."""
    return np.repeat(np.arange(len(signature.words)), signature.words.counts())


def number_words(signature: Signature) -> NDArray[np.bool_]:
    """For every word whether it is a number."""
    counts = signature.words.counts()
    place = np.arange(len(signature.words.values)) - np.repeat(signature.words.offsets[:-1], counts)
    numbers: NDArray[np.bool_] = place >= np.repeat(signature.plain.astype(np.int64), counts)
    return numbers


def align(item: Signature, other: Signature) -> Alignment:
    """The matching sentences of two items."""
    mine, theirs = item.words.values, other.words.values
    my_sentence, their_sentence = word_sentences(item), word_sentences(other)
    order = np.argsort(theirs, kind="stable")
    by_word = theirs[order]
    first = np.searchsorted(by_word, mine, "left")
    many = np.searchsorted(by_word, mine, "right") - first
    frequent = many > _FREQUENT
    many = np.minimum(many, _FREQUENT)

    # every place of a word of the item, with every place of the same word in the other one
    my_place = np.repeat(np.arange(len(mine)), many)
    their_place = order[ranges(first, many)]
    width = max(len(other.words), 1)
    meeting = my_sentence[my_place] * width + their_sentence[their_place]
    pairs, which, shared = np.unique(meeting, return_inverse=True, return_counts=True)
    numbers = number_words(item)
    shared_plain = np.bincount(which, weights=~numbers[my_place], minlength=len(pairs)).astype(np.int64)
    a, b = pairs // width, pairs % width
    sizes_a, sizes_b = item.words.counts()[a], other.words.counts()[b]
    equal = (shared == sizes_a) & (shared == sizes_b)
    matching = equal | ((shared >= SHARED_WORDS) & (shared >= SHARED_SHARE * np.minimum(sizes_a, sizes_b)))

    kept = matching[which]
    found_item = _twins(item, other)[my_sentence]
    found_other = _twins(other, item)[their_sentence]
    found_item[my_place[kept]] = True
    found_other[their_place[kept]] = True
    if frequent.any():
        _count_frequent(mine, frequent, my_sentence, a[matching], found_item)
        back = np.isin(theirs, mine[frequent])
        _count_frequent(theirs, back, their_sentence, b[matching], found_other)
    return Alignment(
        a[matching],
        b[matching],
        shared[matching],
        shared_plain[matching],
        equal[matching],
        found_item,
        found_other,
    )


def _twins(signature: Signature, other: Signature) -> NDArray[np.bool_]:
    """For every sentence whether the other item has one with just the same words that count."""
    hashes, others = word_set_hashes(signature.words), np.sort(word_set_hashes(other.words))
    if not len(others):
        return np.zeros(len(hashes), dtype=bool)
    place = np.minimum(np.searchsorted(others, hashes), len(others) - 1)
    twins: NDArray[np.bool_] = (others[place] == hashes) & (hashes != 0)
    return twins


def word_set_hashes(words: Ragged) -> NDArray[np.uint64]:
    """One hash a sentence, whatever the order of its words; 0 where it has none."""
    hashes = np.zeros(len(words), dtype=np.uint64)
    filled = np.flatnonzero(words.counts())
    if len(filled):
        terms = mix(words.values.astype(np.uint64) + np.uint64(1))
        hashes[filled] = mix(np.add.reduceat(terms, words.offsets[:-1][filled]))
    return hashes


def _count_frequent(
    words: NDArray[np.uint32],
    frequent: NDArray[np.bool_],
    sentence: NDArray[np.int64],
    matched: NDArray[np.int64],
    found: NDArray[np.bool_],
) -> None:
    """Counts frequent words of matching sentences as found: the other item has them nearly everywhere."""
    found |= frequent & np.isin(sentence, matched)


def best_pairs(alignment: Alignment, item: Signature, other: Signature) -> Pairs:
    """For every matching sentence of the item the one that it matches best, in the order of the item."""
    if not len(alignment.item):
        return Pairs(alignment.item, alignment.other, np.zeros(0))
    sizes = item.words.counts()[alignment.item] + other.words.counts()[alignment.other]
    same = 2 * alignment.shared / np.maximum(sizes, 1)
    order = np.lexsort((alignment.other, -same, alignment.item))
    first = np.ones(len(order), dtype=bool)
    first[1:] = alignment.item[order][1:] != alignment.item[order][:-1]
    chosen = order[first]
    return Pairs(alignment.item[chosen], alignment.other[chosen], same[chosen])
