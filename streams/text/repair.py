"""Text as it should have come: one form of characters, lines that mean paragraphs, no control characters."""

from __future__ import annotations

import re
import unicodedata

from streams.errors import Unusable

_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_BLANKS = re.compile(r"[^\S\n]+")
_SET_OFF = re.compile(r"\n(?:[^\S\n]*\n|[^\S\n]{2})")
_INDENTED = re.compile(r"\n[^\S\n]{2,}")
_BROKEN = re.compile(r"(?<=[\w,])\s*\n\s*(?=[a-zß-öø-ÿа-яё])")
"""A line end between two words, the second in lower case: no paragraph ends there."""
_WRAPPED_WIDTH = 100
_HEAD = 1000  # characters that tell how the rest is written
_ENDS = ".!?。！？।۔؟…:;\"'”’»"
_MOST_CONTROLS = 0.01


def repair(text: str) -> str:
    """The text in NFC, with a newline between paragraphs only, and single spaces.

    >>> repair("Cafe\\u0301  opens\\r\\nits\\tdoors \\x00\\r\\n\\r\\n Today")
    'Café opens its doors\\nToday'
    """
    if not text.isprintable():
        text, controls = _CONTROL.subn("", text)
        if controls > 8 and controls > _MOST_CONTROLS * (len(text) + controls):
            raise Unusable("control-characters", f"{controls} of {len(text) + controls} characters")
        text = _LINE_ENDS.sub("\n", text)
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    if "\n" in text:
        text = _unwrap(text)
        if begins_with_capitals(text):
            text = _BROKEN.sub(" ", text)
    text = _BLANKS.sub(" ", text)
    return "\n".join(line for line in map(str.strip, text.split("\n")) if line)


def begins_with_capitals(text: str) -> bool:
    """Whether sentences begin with capitals here, so that a small letter tells that one goes on.

    >>> begins_with_capitals("The end."), begins_with_capitals("the end of all in small letters.")
    (True, False)
    """
    head = text[:_HEAD]
    return sum(map(str.isupper, head)) * 200 > len(head)


def _unwrap(text: str) -> str:
    """The text with hard line wraps turned into spaces, where its lines look like those of an old wire.

    Such lines are all short, most of them fill the width, and most end within a sentence; paragraphs are set
    off by an indent or an empty line. Everywhere else a newline ends a paragraph.
    """
    if not _SET_OFF.search(text):
        return text
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    longest = max(map(len, lines), default=0)
    full = sum(len(line) > 0.75 * longest for line in lines)
    ended = sum(line[-1] in _ENDS for line in lines)
    if (
        len(lines) < 4
        or not 40 <= longest <= _WRAPPED_WIDTH
        or min(full, len(lines) - ended) < len(lines) / 2
    ):
        return text
    paragraphs = re.split(r"\n[^\S\n]*\n", _INDENTED.sub("\n\n", text))
    return "\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
