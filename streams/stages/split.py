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
from streams.text.repair import begins_with_capitals

_LANGUAGE = re.compile(r"^[a-z]{2,3}")
_FALLBACK = "en"  # for an unknown language: the rules of English, with the full stops of all scripts
_CLOSING = "”’»›」』】》〉）］)]〞〟"
_OPENING = "„‚「『【《〈（［([〝"
_EITHER = "\"“‟«‹'‘‛＂"  # a mark that opens in one language and closes in another, or does both
_SET_OFF = (" »", "\u00a0»", "\u202f»")
_SET_OFF_BEFORE = ("« ", "«\u00a0", "«\u202f")
_QUOTES = _CLOSING + _OPENING + _EITHER
_HIDDEN = re.compile(
    rf"[{re.escape(re.sub('[’‘]', '', _QUOTES.replace(chr(39), '')))}]|(?<!\w)['’‘]|['’‘](?!\w)"
)
"""Quotation marks and brackets, and apostrophes that are none."""
_INITIALS = re.compile(r"\b[A-Z]{2,}[.!?](?= +[A-Z])")
"""`in LA. Film …`: taken for an abbreviation, but nearly always the end of a sentence."""
_ABBREVIATED = {
    "fr": re.compile(r"\b(?:M|MM|Mme|Mlle|Me|Mgr|St|Ste|av|apr)\.\s*$"),
    "de": re.compile(r"\b\d{1,3}\.\s*$"),  # an ordinal: the 19. century
    "hi": re.compile(r"(?<!\S)(?:डॉ|श्री|प्रो|पं)\.\s*$"),
}
"""What ends with a full stop and is no end, beyond what the splitter knows, by language."""


def split(pack: Normalized) -> Sentences:
    """The pack with the spans of the sentences of each item."""
    return Sentences(pack.origin, pack.items, [split_text(item.text, item.lang) for item in pack.items])


def split_text(text: str, lang: str | None = None) -> list[int]:
    """Start and end of every sentence, one after the other; spans are free of white space at their ends.

    >>> text = 'Mr. Smith left. "He was late. Very late!" she said.'
    >>> spans = split_text(text)
    >>> [text[start:end] for start, end in zip(spans[::2], spans[1::2])]
    ['Mr. Smith left.', '"He was late.', 'Very late!" she said.']
    """
    match = _LANGUAGE.match((lang or "").lower())
    language = match.group() if match else _FALLBACK
    shown = _HIDDEN.sub(" ", text)
    spans: list[int] = []
    offset = 0
    capitals = begins_with_capitals(text)
    for line in shown.split("\n"):  # a newline of normalized text ends a paragraph, and so a sentence
        for start, end in _sentences(line, language, capitals):
            _add(spans, text, shown, offset + start, offset + end)
        offset += len(line) + 1
    return spans


def _sentences(line: str, language: str, capitals: bool) -> list[tuple[int, int]]:
    """Start and end of the sentences of a paragraph."""
    abbreviated = _ABBREVIATED.get(language)
    found: list[tuple[int, int]] = []
    for boundary in get_sentence_boundaries(language, line):
        start, sentence = boundary["start_index"], boundary["text"]
        goes_on = (
            capitals and sentence.lstrip()[:1].islower()
        )  # no sentence begins so: the cut was at an abbreviation
        if found and (goes_on or (abbreviated and abbreviated.search(line, *found[-1]))):
            start, sentence = found[-1][0], line[found.pop()[0] : start] + sentence
        cuts = [0, *(match.end() for match in _INITIALS.finditer(sentence)), len(sentence)]
        found += [(start + first, start + last) for first, last in itertools.pairwise(cuts)]
    return found


def _add(spans: list[int], text: str, shown: str, start: int, end: int) -> None:
    """Adds the sentence between these bounds, with the quotation marks that touch it."""
    part = shown[start:end]
    stripped = part.strip()
    if not stripped:
        return
    start += len(part) - len(part.lstrip())
    end = start + len(stripped)
    while end < len(text) and shown[end] == " " and _closes(text, end):
        end += 1
    if text[end : end + 2] in _SET_OFF:  # French puts a space before it
        end += 2
    before = spans[-1] if spans else 0
    while start > before and text[start - 1] in _QUOTES:
        start -= 1
    if start - 2 >= before and text[start - 2 : start] in _SET_OFF_BEFORE:
        start -= 2
    spans += (start, end)


def _closes(text: str, place: int) -> bool:
    """Whether the mark there closes what is before it; what opens and closes alike closes before a gap."""
    if text[place] in _EITHER:
        return place + 1 == len(text) or not text[place + 1].isalnum()
    return text[place] in _CLOSING
