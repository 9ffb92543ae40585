"""Stage 2: items become sentences, as spans of characters of the normalized text.

Where a sentence ends must depend on its surroundings as little as possible, or a quoted sentence would be cut
otherwise in the text that quotes it. So quotation marks, which may pair up across sentences, are not shown to
the splitter, and are given to the sentence that they touch afterwards.
"""

from __future__ import annotations

import itertools
import re

from sentencex import get_sentence_boundaries

from streams.records import Normalized, Sentences

_LANGUAGE = re.compile(r"^[a-z]{2,3}")
_FALLBACK = "en"  # for an unknown language: the rules of English, with the full stops of all scripts
_QUOTES = "\"“”„‟«»‹›「」『』〝〞〟＂'‘’‚‛()[]（）［］【】《》〈〉"
_HIDDEN = {ord(mark): " " for mark in _QUOTES if mark not in "'’‘"}
_APOSTROPHE = re.compile(r"(?<!\w)['’‘]|['’‘](?!\w)")
_INITIALS = re.compile(r"\b[A-Z]{2,}[.!?](?= +[A-Z])")
"""`in LA. Film …`: taken for an abbreviation, but nearly always the end of a sentence."""


def split(pack: Normalized) -> Sentences:
    """The pack with the spans of the sentences of each item."""
    return Sentences(pack.origin, pack.items, [split_text(item.text, item.lang) for item in pack.items])


def split_text(text: str, lang: str | None = None) -> list[int]:
    """Start and end of every sentence, one after the other; spans are free of white space at their ends.

    >>> text = 'Mr. Smith left. "He was late. Very late!" she said.'
    >>> spans = split_text(text)
    >>> [text[start:end] for start, end in zip(spans[::2], spans[1::2])]
    ['Mr. Smith left.', '"He was late.', 'Very late!"', 'she said.']
    """
    match = _LANGUAGE.match((lang or "").lower())
    language = match.group() if match else _FALLBACK
    shown = _APOSTROPHE.sub(" ", text.translate(_HIDDEN))
    spans: list[int] = []
    offset = 0
    for line in shown.split("\n"):  # a newline of normalized text ends a paragraph, and so a sentence
        for boundary in get_sentence_boundaries(language, line):
            start = offset + boundary["start_index"]
            sentence: str = boundary["text"]
            cuts = [0, *(found.end() for found in _INITIALS.finditer(sentence)), len(sentence)]
            for first, last in itertools.pairwise(cuts):
                _add(spans, text, shown, start + first, start + last)
        offset += len(line) + 1
    return spans


def _add(spans: list[int], text: str, shown: str, start: int, end: int) -> None:
    """Adds the sentence between these bounds, with the quotation marks that touch it."""
    part = shown[start:end]
    stripped = part.strip()
    if not stripped:
        return
    start += len(part) - len(part.lstrip())
    end = start + len(stripped)
    while end < len(text) and text[end] in _QUOTES and shown[end] == " ":
        end += 1
    before = spans[-1] if spans else 0
    while start > before and text[start - 1] in _QUOTES:
        start -= 1
    spans += (start, end)
