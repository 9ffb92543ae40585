"""Text for a terminal: safe to print, and in lines, where wide characters take two columns."""

from __future__ import annotations

import unicodedata

from rich.cells import cell_len
from rich.text import Text

_NEVER_FIRST, _NEVER_LAST = "、。，．・：；！？」』）】》〉］…ー,.:;!?)]}”’", "「『（【《〈［([{“‘"
_HIDDEN = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}  # would turn the other column around


def printable(text: str) -> str:
    """The text without what a terminal would take for a command.

    >>> printable("a\\x1b[2Jb\\u00a0c")
    'a�[2Jb c'
    """
    return "".join(_printable(character) for character in text)


def _printable(character: str) -> str:
    category = unicodedata.category(character)
    if character.isspace() or category in ("Zl", "Zp"):
        return " "
    if ord(character) in _HIDDEN:
        return ""
    return "�" if category in ("Cc", "Cs", "Co", "Cn") else character


def wrap(text: Text, width: int) -> list[Text]:
    """The text in lines of at most so many columns."""
    lines = list(text.divide(_breaks(text.plain, max(width, 8))))
    for line in lines:
        line.rstrip()
    return lines or [Text()]


def _breaks(text: str, width: int) -> list[int]:
    """Where lines begin, but for the first: after a space, or where scripts without spaces may be cut.

    >>> text = "市は説明会を開く。"
    >>> [text[start:end] for start, end in zip([0, *_breaks(text, 16)], [*_breaks(text, 16), None])]
    ['市は説明会を開', 'く。']
    """
    breaks: list[int] = []
    start = possible = used = 0
    for place, character in enumerate(text):
        if place > start and _may_break(text[place - 1], character):
            possible = place
        used += cell_len(character)
        if used > width and place > start and not character.isspace():
            start = possible if possible > start else place
            breaks.append(start)
            used = cell_len(text[start : place + 1])
    return breaks


def _may_break(before: str, after: str) -> bool:
    if before.isspace():
        return not after.isspace()
    if 2 not in (cell_len(before), cell_len(after)):
        return False
    return cell_len(after) > 0 and before not in _NEVER_LAST and after not in _NEVER_FIRST
