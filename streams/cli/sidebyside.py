"""Two texts side by side, sentences that match in the same row, in columns that fit the terminal."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from streams.cli.wrapping import printable, wrap
from streams.explain.explanation import Sentence, Side

NARROW = 60
"""Columns; with fewer of them the texts stand one under the other."""
_GAP = 3
_COLOURS = ("cyan", "green", "magenta", "yellow", "blue", "bright_red")
_BAR, _ASIDE = "┃", "~"

Row = tuple[list[int], list[int]]
"""Numbers of sentences, on the left and on the right."""


def colour(passage: int) -> str:
    """The colour of a passage; they begin again where there are more passages than colours."""
    return _COLOURS[(passage - 1) % len(_COLOURS)]


def rows(left: int, right: int, matches: list[tuple[int, int]]) -> list[Row]:
    """The sentences of both, in order; as many matches as can be have a row of their own.

    >>> rows(3, 3, [(0, 2), (1, 0), (2, 1)])
    [([0], []), ([1], [0]), ([2], [1]), ([], [2])]
    """
    found: list[Row] = []
    one = two = 0
    for mine, theirs in [*_increasing(sorted(matches)), (left, right)]:
        if mine > one or theirs > two:
            found.append((list(range(one, mine)), list(range(two, theirs))))
        if mine < left:
            found.append(([mine], [theirs]))
        one, two = mine + 1, theirs + 1
    return found


def _increasing(matches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most matches that go on in both texts."""
    ends: list[int] = []
    places: list[int] = []
    before: list[int | None] = []
    for number, (_, theirs) in enumerate(matches):
        place = bisect.bisect_left(ends, theirs)
        before.append(places[place - 1] if place else None)
        ends[place : place + 1], places[place : place + 1] = [theirs], [number]
    chosen: list[tuple[int, int]] = []
    last = places[-1] if places else None
    while last is not None:
        chosen.append(matches[last])
        last = before[last]
    return chosen[::-1]


class Page:
    """Lines for a console, in one column or in two."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._marked = not console.color_system  # without colour marks must do
        self.two = console.width >= NARROW
        self._width = (console.width - _GAP) // 2 if self.two else console.width

    def heads(self, left: list[Text], right: list[Text]) -> list[Text]:
        """Lines of both, side by side."""
        wrapped = [
            list(itertools.chain.from_iterable(wrap(line, self._width) for line in lines))
            for lines in (left, right)
        ]
        return list(self._joined(*wrapped))

    def rule(self) -> Text:
        """A line under the heads."""
        return Text(("─" * self._width + " " * _GAP + "─" * self._width)[: self._console.width], style="dim")

    def texts(self, left: Side, right: Side, matches: list[tuple[int, int]]) -> list[Text]:
        """Both texts, side by side."""
        gutter = _gutter([*left.sentences, *right.sentences])
        lines: list[Text] = []
        before: list[int] = []
        for one, two in rows(len(left.sentences), len(right.sentences), matches):
            marks = left.sentences[one[0]].passages if len(one) == len(two) == 1 else []
            paired = bool(set(marks) & set(right.sentences[two[0]].passages)) if marks else False
            goes_on = paired and marks == before == right.sentences[two[0]].passages
            if lines and not goes_on:
                lines.append(Text())
            columns = self._column(left, one, gutter, goes_on), self._column(right, two, gutter, goes_on)
            for column in columns if paired else ():  # the bar goes on beside the longer one
                missing = max(map(len, columns)) - len(column)
                column += [_sign(_BAR, gutter, f"bold {colour(marks[0])}") for _ in range(missing)]
            lines += self._joined(*columns)
            before = marks
        return lines

    def text(self, side: Side) -> list[Text]:
        """One text, over the whole width."""
        return self._column(side, list(range(len(side.sentences))), _gutter(side.sentences), False)

    def _joined(self, left: list[Text], right: list[Text]) -> Iterator[Text]:
        for one, two in itertools.zip_longest(left, right):
            line = Text() if one is None else one.copy()
            if two is not None and two.plain.strip():
                line.append(" " * (self._width + _GAP - line.cell_len))
                line.append_text(two)
            line.rstrip()
            yield line

    def _column(self, side: Side, numbers: list[int], gutter: int, goes_on: bool) -> list[Text]:
        """Sentences under each other; those of one passage and one paragraph in one block."""
        lines: list[Text] = []
        blocks: list[list[int]] = []
        for number in numbers:
            last = side.sentences[blocks[-1][-1]] if blocks else None
            this = side.sentences[number]
            together = last is not None and _kind(last) == _kind(this)
            if together and last is not None and "\n" not in side.text[last.span[1] : this.span[0]]:
                blocks[-1].append(number)
            else:
                blocks.append([number])
        for place, block in enumerate(blocks):
            first = side.sentences[block[0]]
            again = goes_on if not place else _kind(side.sentences[blocks[place - 1][-1]]) == _kind(first)
            if place and not (again and first.passages):
                lines.append(Text())
            lines += self._block(side, block, gutter, again)
        return lines

    def _block(self, side: Side, numbers: list[int], gutter: int, goes_on: bool) -> list[Text]:
        first = side.sentences[numbers[0]]
        text = Text()
        end = first.span[0]
        for number in numbers:
            sentence = side.sentences[number]
            text.append(" " * (sentence.span[0] > end))
            text.append_text(self._sentence(side, sentence))
            end = sentence.span[1]
        style = f"bold {colour(first.passages[0])}" if first.passages else "dim"
        marks = [f"[{n}]" for n in first.passages] if not goes_on else []
        rest = _BAR if first.passages else "" if first.words else _ASIDE
        lines = wrap(text, self._width - gutter)
        lines += [Text()] * (len(marks) - len(lines))
        signs = [*marks, *[rest] * (len(lines) - len(marks))]
        return [_sign(sign, gutter, style).append_text(line) for sign, line in zip(signs, lines, strict=True)]

    def _sentence(self, side: Side, sentence: Sentence) -> Text:
        text = Text(style="")
        base = colour(sentence.passages[0]) if sentence.passages else "" if sentence.words else "dim"
        place, end = sentence.span
        for start, stop in [*sentence.differing, (end, end)]:
            text.append(printable(side.text[place:start]), style=base)
            if start < stop:
                word = printable(side.text[start:stop])
                text.append(f"{{{word}}}" if self._marked else word, style=f"bold underline {base}")
            place = stop
        return text


def _kind(sentence: Sentence) -> tuple[list[int], bool]:
    return sentence.passages, sentence.words > 0


def _gutter(sentences: list[Sentence]) -> int:
    """Columns for the marks of passages."""
    return 1 + max((len(f"[{number}]") for s in sentences for number in s.passages), default=3)


def _sign(sign: str, gutter: int, style: str) -> Text:
    shown = sign.center(3) if len(sign) == 1 else sign
    return Text().append(shown.ljust(gutter), style=style)
