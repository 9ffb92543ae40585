"""Which characters of a sentence are in words that the sentences it matches do not have."""

from __future__ import annotations

import itertools
import re

import numpy as np
from numpy.typing import NDArray

from streams.text.words import _kinds, read_words

Span = tuple[int, int]

# for every code point what it is in a word, as in `text.words`: letter, digit, unspaced, dropped, ...
_SHAPES = bytes.maketrans(bytes(range(8)), b" ldu-'. ")
_WORD = re.compile(
    rb"(?:[ld-]|(?<=[l-])'(?=l)|(?<=[d-])\.(?=d))*[ld](?:[ld-]|(?<=[l-])'(?=l)|(?<=[d-])\.(?=d))*"
)
_UNSPACED = re.compile(rb"u(?:-*u)*")


def words_of(text: str) -> list[tuple[Span, bool]]:
    """Where the words of a text stand, in order, and whether each is a number.

    Of scripts that are written without spaces these are the pairs of neighbours, which overlap.

    >>> text = "The Café's 1,000 seats"
    >>> [(text[start:end], number) for (start, end), number in words_of(text)]
    [('The', False), ("Café's", False), ('1,000', True), ('seats', False)]
    >>> [span for span, _ in words_of("東京都, 2026")]
    [(0, 2), (1, 3), (5, 9)]
    """
    shape = _shape(text)
    words = [
        (found.span(), shape[found.start() : found.end()].lstrip(b"-")[:1] == b"d")
        for found in _WORD.finditer(shape)
    ]
    for run in _UNSPACED.finditer(shape):
        places = [place for place in range(*run.span()) if shape[place : place + 1] == b"u"]
        pairs = itertools.pairwise(places) if len(places) > 1 else [(places[0], places[0])]
        words += [((first, last + 1), False) for first, last in pairs]
    return sorted(words)


def differing(sentence: str, others: list[str]) -> list[Span]:
    """The spans of words that stand in none of the others; where only a space is between them, one span.

    >>> sentence = "The council approved the new ferry terminal."
    >>> [sentence[start:end] for start, end in differing(sentence, ["A council rejected the ferry terminal."])]
    ['approved', 'new']
    """
    spans = [span for span, _ in words_of(sentence)]
    found = has_words([sentence[start:end] for start, end in spans], read_words(others).hashes)
    same = np.zeros(len(sentence), dtype=bool)
    for (start, end), known in zip(spans, found, strict=True):
        same[start:end] |= known
    merged: list[Span] = []
    for start, end in spans:
        left = [place for place in range(start, end) if not same[place]]
        if not left:
            continue
        start, end = left[0], left[-1] + 1
        if merged and not sentence[merged[-1][1] : start].strip():
            start, end = merged[-1][0], max(end, merged.pop()[1])
        merged.append((start, end))
    return merged


def has_words(words: list[str], hashes: NDArray[np.uint32]) -> list[bool]:
    """For every word whether its hash is among these."""
    read = read_words(words)
    missing = np.zeros(len(words), dtype=bool)
    missing[read.sentences[~np.isin(read.hashes, hashes)]] = True
    return [not lacks for lacks in missing.tolist()]


def _shape(text: str) -> bytes:
    points = np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32)
    return _kinds(points).tobytes().translate(_SHAPES)
