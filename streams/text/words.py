"""Words of many sentences at once, as hashes, on one array of code points.

Case, width, ligatures and diacritics are folded (NFKD, casefold, combining marks dropped), apostrophes
inside words and separators inside numbers vanish, everything that is neither letter nor digit separates.
Scripts that are written without spaces give the bigrams of their characters.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SEPARATOR, LETTER, DIGIT, UNSPACED, DROPPED, APOSTROPHE, POINT, LINE = range(8)

_TABLE_SIZE = 0x20000
_UNSPACED = [
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # CJK radicals
    (0x3005, 0x3007),
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
]
_DROPPED = [
    (0x0300, 0x036F),  # combining diacritics, so that text with and without them is the same
    (0x0591, 0x05BD),  # Hebrew points
    (0x064B, 0x0652),  # Arabic vowel marks
    (0x0670, 0x0670),
    (0x00AD, 0x00AD),  # soft hyphen
    (0x200B, 0x200F),  # zero width space and joiners, direction marks
    (0x2060, 0x2064),
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),
    (0x0640, 0x0640),  # Arabic tatweel
]
_GROUP = "\x1f"  # stands for the spaces that group digits, until it is known what they group
_GROUPING = re.compile("[\u00a0\u2007\u2009\u202f]")
_POWER = np.uint64(0x9E3779B97F4A7C15)
_STEM = 5


@dataclass(frozen=True)
class Words:
    """The words of a list of sentences, in order: hash, whether it is a number, and whose it is."""

    hashes: NDArray[np.uint32]
    numbers: NDArray[np.bool_]
    sentences: NDArray[np.int64]
    """For every word the number of its sentence."""
    points: NDArray[np.uint32]
    """The folded letters and digits, without spaces and punctuation: what character q-grams are made of."""
    point_sentences: NDArray[np.int64]
    """For every one of `points` the number of its sentence."""
    starts: NDArray[np.int64]
    """For every word where it begins in `points`."""


@functools.cache
def _classes() -> NDArray[np.uint8]:
    """For every code point below `_TABLE_SIZE` what it is in a word."""
    kinds = np.zeros(_TABLE_SIZE, dtype=np.uint8)
    for point in range(_TABLE_SIZE):
        category = unicodedata.category(chr(point))
        if category[0] in "LM":
            kinds[point] = LETTER
        elif category[0] == "N":
            kinds[point] = DIGIT
    for first, last in _UNSPACED:
        block = kinds[first : last + 1]
        block[block == LETTER] = UNSPACED
    for first, last in _DROPPED:
        kinds[first : last + 1] = DROPPED
    for mark in "'’‘ʼ`´＇":
        kinds[ord(mark)] = APOSTROPHE
    for mark in ".,٫٬" + _GROUP:
        kinds[ord(mark)] = POINT
    kinds[ord("\n")] = LINE
    return kinds


@functools.cache
def _digits() -> NDArray[np.uint32]:
    """Every code point below `_TABLE_SIZE`, the digits of all scripts as those of ASCII."""
    folded = np.arange(_TABLE_SIZE, dtype=np.uint32)
    for point in range(0x80, _TABLE_SIZE):
        if unicodedata.category(chr(point)) == "Nd":
            folded[point] = ord("0") + unicodedata.digit(chr(point))
    return folded


def _kinds(points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    table = _classes()
    kinds = table[np.minimum(points, _TABLE_SIZE - 1)]
    # beyond the table lie the rarer Han characters
    kinds[points >= _TABLE_SIZE] = UNSPACED
    return kinds


def mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each value scattered over 64 bits (the finaliser of MurmurHash3)."""
    mixed: NDArray[np.uint64] = values ^ (values >> np.uint64(33))
    mixed = mixed * np.uint64(0xFF51AFD7ED558CCD)
    mixed ^= mixed >> np.uint64(33)
    mixed *= np.uint64(0xC4CEB9FE1A85EC53)
    mixed ^= mixed >> np.uint64(33)
    return mixed


@functools.cache
def _powers() -> NDArray[np.uint64]:
    powers = np.empty(1024, dtype=np.uint64)
    powers[0] = 1
    with np.errstate(over="ignore"):
        for number in range(1, len(powers)):
            powers[number] = powers[number - 1] * _POWER
    return powers


def read_words(sentences: list[str]) -> Words:
    """The words of all sentences, in order.

    >>> a, b = "The Café's 1,000 seats", "cafes: 1000 SEATS"
    >>> words = read_words([a, b])
    >>> first, second = (words.hashes[words.sentences == n].tolist() for n in (0, 1))
    >>> first[1:] == second, words.numbers.tolist()
    (True, [False, False, True, False, False, True, False])
    """
    # a newline ends a sentence here, so none may come from inside; folding makes none
    joined = "".join(text.replace("\n", " ") + "\n" for text in sentences)
    ascii_only = joined.isascii()
    if not ascii_only:
        joined = _GROUPING.sub(_GROUP, joined)
    folded = unicodedata.normalize("NFKD", joined).casefold().replace("ı", "i")
    if not folded:
        types = (np.uint32, bool, np.int64, np.uint32, np.int64, np.int64)
        return Words(*(np.zeros(0, dtype=kind) for kind in types))
    points = np.frombuffer(folded.encode("utf-32-le", "replace"), dtype=np.uint32)
    if not ascii_only:
        points = _digits()[np.minimum(points, _TABLE_SIZE - 1)] * (points < _TABLE_SIZE) + points * (
            points >= _TABLE_SIZE
        )
    kinds = _kinds(points)

    kept = kinds != DROPPED
    if not kept.all():
        points, kinds = points[kept], kinds[kept]
    before, after = np.empty_like(kinds), np.empty_like(kinds)
    before[0], before[1:] = SEPARATOR, kinds[:-1]
    after[-1], after[:-1] = SEPARATOR, kinds[1:]
    vanishing = (kinds == APOSTROPHE) & (before == LETTER) & (after == LETTER)
    vanishing |= ((kinds == POINT) | (kinds == APOSTROPHE)) & (before == DIGIT) & (after == DIGIT)
    if vanishing.any():
        points, kinds = points[~vanishing], kinds[~vanishing]

    lines = np.cumsum(kinds == LINE)
    spelled = (kinds == LETTER) | (kinds == DIGIT)
    unspaced = kinds == UNSPACED
    lettered = spelled | unspaced
    sentence_of = lines - (kinds == LINE)

    starts, hashes, numbers = _spelled_words(points, kinds, spelled)
    pair_starts, pair_hashes = _bigrams(points, unspaced)
    if len(pair_starts):
        starts = np.concatenate([starts, pair_starts])
        order = np.argsort(starts, kind="stable")
        starts = starts[order]
        hashes = np.concatenate([hashes, pair_hashes])[order]
        numbers = np.concatenate([numbers, np.zeros(len(pair_starts), dtype=bool)])[order]
    return Words(
        hashes=(mix(hashes) >> np.uint64(32)).astype(np.uint32),
        numbers=numbers,
        sentences=sentence_of[starts],
        points=points[lettered],
        point_sentences=sentence_of[lettered],
        starts=np.cumsum(lettered)[starts] - 1,
    )


def stems(words: Words) -> NDArray[np.uint32]:
    """For every word the hash of its first five letters; of scripts without spaces that of the word.

    >>> first, second, third = stems(read_words(["increase increasing incre"])).tolist()
    >>> first == second == third
    True
    """
    cut: NDArray[np.uint32] = words.hashes.copy()
    long = np.flatnonzero(np.diff(words.starts, append=len(words.points)) > _STEM)
    letters = words.points[words.starts[long][:, None] + np.arange(_STEM)].astype(np.uint64)
    cut[long] = mix(((letters + np.uint64(1)) * _powers()[:_STEM]).sum(axis=1)) >> np.uint64(32)
    return cut


def _spelled_words(
    points: NDArray[np.uint32], kinds: NDArray[np.uint8], spelled: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.bool_]]:
    """Start, hash and whether it is a number, for every run of letters and digits."""
    where = np.flatnonzero(spelled)
    if not len(where):
        return where, np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=bool)
    first = np.empty(len(where), dtype=bool)
    first[0] = True
    np.not_equal(where[1:], where[:-1] + 1, out=first[1:])
    begins = np.flatnonzero(first)
    place = np.arange(len(where)) - np.repeat(begins, np.diff(np.append(begins, len(where))))
    terms = (points[where].astype(np.uint64) + np.uint64(1)) * _powers()[place & 1023]
    starts = where[begins]
    return starts, np.add.reduceat(terms, begins), kinds[starts] == DIGIT


def _bigrams(
    points: NDArray[np.uint32], unspaced: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Start and hash of every two neighbours in a script without spaces; one that stands alone counts too."""
    if not unspaced.any():
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint64)
    following = np.zeros_like(unspaced)
    following[:-1] = unspaced[1:]
    preceding = np.zeros_like(unspaced)
    preceding[1:] = unspaced[:-1]
    starts = np.flatnonzero(unspaced & (following | ~preceding))
    second = np.where(following[starts], points[np.minimum(starts + 1, len(points) - 1)], 0)
    return starts, (points[starts].astype(np.uint64) << np.uint64(32)) | second.astype(np.uint64)
