"""The default: found by sentences and by parts of sentences, judged word by word.

*Finding.* Every sentence is a feature (Yoon's fingerprint: its words that count, in no order), and so are the
four triples of its four rarest words, so that a sentence of which one of them was changed is still found. The
whole item is a feature too, which finds copies of items without a single proper sentence.

*Judging.* Sentences are aligned word by word, and an item is covered as far as its words are found in
matching sentences of the other one. With `cov` the coverages and `n` the words that count:

    duplicate     both cov ≥ .85, or lengths within 1.2 and their mean ≥ .85 (short items: ≥ .95)
    containment   cov of the shorter one ≥ .80 (short ones: ≥ .95)
    reuse         a sentence of evidence: equal with at least five words that are no numbers, or with at least
                  three quarters of its words and six that are no numbers; common passages are no evidence

Numbers tell a copy from another story in the same words. Where many of the numbers inside matching sentences
stand nowhere in the other item, the relation says so (`differs`); and where these make up much of the text
(results, rates, dividends), the pair is neither duplicate nor containment.

It takes the sentence fingerprint from Yoon 2012, the window of hours from Montanari & Puglisi 2012, the order
of words by rarity from Varol 2012 and the confirmation by word overlap from Kim 2009.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from streams.methods.alignment import (
    Alignment,
    align,
    best_pairs,
    number_words,
    word_sentences,
    word_set_hashes,
)
from streams.methods.comparison import Comparison, Kind
from streams.signature import Ragged, Signature, Signatures, offsets_of
from streams.text.frequency import COMMON, commonness
from streams.text.words import mix

TRIPLES = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))
_SENTENCE, _TRIPLE, _ITEM = (np.uint64(n) for n in (0x51, 0x52, 0x53))
LEAST_WORDS = 4
"""A sentence with fewer words that count is no feature: too many others have the same."""
SHORT = 30
"""Words that count; in an item with fewer of them a single word weighs too much."""
EVIDENCE_EQUAL, EVIDENCE_EDITED, EVIDENCE_SHARE = 5, 5, 0.75
EVIDENCE_CHARACTERS = 15
"""What a sentence of evidence must have: in scripts without spaces five words are but six characters."""
TELLING_EQUAL, TELLING_EDITED = 2, 3
"""Shared words of a sentence of evidence that are neither numbers nor common."""
PROSE = 9
"""Words that are no numbers: what a sentence must share to be evidence between notices with other figures."""


def features(signatures: Signatures) -> Ragged:
    """For each item the fingerprints of its sentences, of triples of their rarest words, and of the whole."""
    words, total = signatures.words, len(signatures.words)
    item_of = np.repeat(np.arange(len(signatures)), np.diff(signatures.sentences))
    sizes = words.counts()
    prints = word_set_hashes(words)
    whole = np.flatnonzero(sizes >= LEAST_WORDS)
    rich = np.flatnonzero(signatures.plain >= 4)
    starts = words.offsets[:-1][rich]
    rarest = mix(words.values[starts[:, None] + np.arange(4)].astype(np.uint64) + np.uint64(7))
    triples = [mix(rarest[:, a] + rarest[:, b] + rarest[:, c] + _TRIPLE) for a, b, c in TRIPLES]
    sums = np.zeros(len(signatures), dtype=np.uint64)
    np.add.at(sums, item_of, prints)
    has_words = np.bincount(item_of, weights=sizes, minlength=len(signatures)) > 0 if total else sums != 0
    values = np.concatenate(
        [
            mix(prints[whole] + _SENTENCE),
            np.concatenate(triples) if len(rich) else sums[:0],
            mix(sums + _ITEM)[has_words],
        ]
    )
    owners = np.concatenate([item_of[whole], np.tile(item_of[rich], 4), np.flatnonzero(has_words)])
    order = np.argsort(owners, kind="stable")
    return Ragged(values[order], offsets_of(np.bincount(owners, minlength=len(signatures))))


def compare(
    item: Signature,
    other: Signature,
    *,
    duplicate: float = 0.85,
    contained: float = 0.80,
    short: float = 0.95,
    length_ratio: float = 1.2,
    number_conflict: float = 0.15,
    number_weight: float = 0.025,
) -> Comparison:
    """What two items are to each other.

    >>> from streams.stages.fingerprint import sign
    >>> from streams.stages.split import split_text
    >>> a = "The harbour council approved the new ferry terminal on Monday after a long debate about its cost."
    >>> b = a.replace("approved", "rejected").replace("long", "lengthy")
    >>> pack = sign([a, a + " " + b.replace("ferry", "bus")], [split_text(a), split_text(a + " " + b)])
    >>> compare(pack[0], pack[1]).kind
    'containment'
    """
    alignment = align(item, other)
    if not len(alignment.item):
        return Comparison(None, 0.0)
    mine, theirs = alignment.coverage_item, alignment.coverage_other
    size_item, size_other = len(item.words.values), len(other.words.values)
    is_short = min(size_item, size_other) < SHORT
    mean = (mine * size_item + theirs * size_other) / (size_item + size_other)
    similar = max(size_item, size_other) <= length_ratio * min(size_item, size_other)
    part = mine if size_item <= size_other else theirs
    is_duplicate = min(mine, theirs) >= duplicate or (similar and mean >= duplicate)
    is_duplicate = is_duplicate and (not is_short or mean >= short)
    is_contained = part >= (short if is_short else contained) and not similar
    evidence = _evidence(alignment, item, other)
    if not (is_duplicate or is_contained or evidence.any()):
        return Comparison(None, max(mine, theirs), mine, theirs)

    differing, numbers = _differing_numbers(alignment, item, other)
    differs: tuple[Literal["numbers", "names"], ...] = ()
    if numbers_differ := differing > number_conflict * numbers:
        differs += ("numbers",)
    if _only_names_differ(alignment, item, other):
        differs += ("names",)
    found = int(alignment.found_item.sum() + alignment.found_other.sum())
    kind: Kind | None = None
    score = max(mine, theirs)
    if not numbers_differ or differing <= number_weight * found:
        if is_duplicate:
            kind, score = "duplicate", mean
        elif is_contained:
            kind, score = "containment", part
        elif evidence.any():
            kind = "reuse"
    elif (evidence & (alignment.shared_plain >= PROSE)).any():
        kind = "reuse"
    return Comparison(kind, score, mine, theirs, best_pairs(alignment, item, other), differs)


def _differing_numbers(alignment: Alignment, item: Signature, other: Signature) -> tuple[int, int]:
    """How many numbers in the sentences that match best the other item does not have, and of how many.

    Where two sentences have the same words, each number must stand in the other one: figures of a bulletin
    change places. Where the words differ too, or the text is cut otherwise, it may stand anywhere.
    """
    best = _best_both_ways(alignment, item, other)
    a, b = alignment.item[best], alignment.other[best]
    shared = alignment.shared_plain[best]
    template = (shared == item.plain[a]) & (shared == other.plain[b])
    shared_numbers = (alignment.shared - alignment.shared_plain)[best]
    differing = total = 0
    for one, matched, another in ((item, a, other), (other, b, item)):
        numbers = number_words(one)
        sentence = word_sentences(one)
        own = np.bincount(sentence[numbers], minlength=len(one.words))
        total += int(own[np.unique(matched)].sum())
        differing += int((own[matched] - shared_numbers)[template].sum())
        loose = np.zeros(len(one.words), dtype=bool)
        loose[matched[~template]] = True
        inside = numbers & loose[sentence]
        if inside.any():
            differing += int((~np.isin(one.words.values[inside], another.words.values)).sum())
    return differing, total


def _only_names_differ(alignment: Alignment, item: Signature, other: Signature) -> bool:
    """Whether all that differs in sentences that match best is one rare word for another in each of them."""
    best = _best_both_ways(alignment, item, other) & ~alignment.equal
    a, b = alignment.item[best], alignment.other[best]
    size, shared = item.words.counts()[a], alignment.shared_plain[best]
    if not len(a) or (size != other.words.counts()[b]).any() or (shared != item.plain[a] - 1).any():
        return False
    for one, sentences, found in (
        (item, a, alignment.found_item),
        (other, b, alignment.found_other),
    ):
        chosen = np.zeros(len(one.words), dtype=bool)
        chosen[sentences] = True
        changed = one.words.values[chosen[word_sentences(one)] & ~number_words(one) & ~found]
        if not len(changed) or commonness(changed).any():
            return False
    return True


def _best_both_ways(alignment: Alignment, item: Signature, other: Signature) -> NDArray[np.bool_]:
    """Which matches are the best one of either sentence."""
    sizes = item.words.counts()[alignment.item] + other.words.counts()[alignment.other]
    same = 2 * alignment.shared / np.maximum(sizes, 1)
    best_item = np.zeros(len(item.words))
    best_other = np.zeros(len(other.words))
    np.maximum.at(best_item, alignment.item, same)
    np.maximum.at(best_other, alignment.other, same)
    best: NDArray[np.bool_] = (same >= best_item[alignment.item]) & (same >= best_other[alignment.other])
    return best


def _evidence(alignment: Alignment, item: Signature, other: Signature) -> NDArray[np.bool_]:
    """Which matches are reason enough for a link."""
    sizes_item, sizes_other = item.words.counts()[alignment.item], other.words.counts()[alignment.other]
    equal = alignment.equal & (alignment.shared_plain >= EVIDENCE_EQUAL)
    edited = alignment.shared >= EVIDENCE_SHARE * np.maximum(sizes_item, sizes_other)
    edited &= alignment.shared_plain >= EVIDENCE_EDITED
    if not (equal | edited).any():
        return equal
    numbers = np.maximum(sizes_item - item.plain[alignment.item], sizes_other - other.plain[alignment.other])
    edited &= alignment.shared - alignment.shared_plain >= numbers
    long = (item.ends - item.starts)[alignment.item] >= EVIDENCE_CHARACTERS
    telling = alignment.shared_plain - _common_words(item)[alignment.item]
    evidence: NDArray[np.bool_] = (equal & (telling >= TELLING_EQUAL)) | (
        edited & (telling >= TELLING_EDITED)
    )
    evidence &= long
    if item.common:
        common = np.zeros(len(item.words), dtype=bool)
        common[list(item.common)] = True
        evidence &= ~common[alignment.item]
    return evidence


def _common_words(signature: Signature) -> NDArray[np.int64]:
    """For every sentence how many of its words count only because it has few others."""
    common = commonness(signature.words.values) >= COMMON
    common &= ~number_words(signature)
    return np.bincount(word_sentences(signature)[common], minlength=len(signature.words))
