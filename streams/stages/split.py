"""Stage 2: items become sentences, as spans of characters of the normalized text."""

from __future__ import annotations

import re

from sentencex import get_sentence_boundaries

from streams.records import Normalized, Sentences

_LANGUAGE = re.compile(r"^[a-z]{2,3}")
_FALLBACK = "en"  # for an unknown language: the rules of English, with the full stops of all scripts


def split(pack: Normalized) -> Sentences:
    """The pack with the spans of the sentences of each item."""
    return Sentences(pack.origin, pack.items, [split_text(item.text, item.lang) for item in pack.items])


def split_text(text: str, lang: str | None = None) -> list[int]:
    """Start and end of every sentence, one after the other; spans are free of white space at their ends.

    >>> text = "Mr. Smith left. He was late!"
    >>> spans = split_text(text)
    >>> [text[start:end] for start, end in zip(spans[::2], spans[1::2])]
    ['Mr. Smith left.', 'He was late!']
    """
    match = _LANGUAGE.match((lang or "").lower())
    language = match.group() if match else _FALLBACK
    spans: list[int] = []
    offset = 0
    for line in text.split("\n"):  # a newline of normalized text ends a paragraph, and so a sentence
        for boundary in get_sentence_boundaries(language, line):
            sentence: str = boundary["text"]
            stripped = sentence.strip()
            if stripped:
                start = offset + boundary["start_index"] + len(sentence) - len(sentence.lstrip())
                spans += (start, start + len(stripped))
        offset += len(line) + 1
    return spans
