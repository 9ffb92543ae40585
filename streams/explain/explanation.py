"""What comes out: two items, where they are the same, and what each method says of them."""

from __future__ import annotations

from dataclasses import dataclass

from streams.explain.differing import Span
from streams.methods.comparison import Kind
from streams.records import Coverage, Passage


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an item."""

    span: Span
    words: int
    """How many of its words count; a sentence without any does not count: a credit, a call to the reader."""
    passages: list[int]
    """Numbers of the passages that it is part of, from 1."""
    differing: list[Span]
    """Words that the sentences it matches do not have, as spans of the item's text."""
    common: bool
    """Whether it stands in many stories, and is no evidence."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the items."""

    id: str
    source: str | None
    title: str | None
    time: str
    text: str
    words: int
    """How many of its words count."""
    sentences: list[Sentence]
    only: list[str]
    """Numbers in its matching sentences that stand nowhere in the other item."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a method says."""

    method: str
    kind: Kind | None
    score: float
    coverage: Coverage
    sentences: int
    """How many of the item's sentences match, for methods that know sentences and tell."""
    differs: list[str]
    found_by: int
    """Under how many features the item finds the other one; without any the flow never compares them."""
    needs: str
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why two items are told as what they are; by the first method, as in the flow."""

    item: Side
    """The one that came later."""
    other: Side
    minutes: int
    """From the other one's time to the item's."""
    window_hours: int
    inside_window: bool
    contained: str | None
    """In a containment: the id of the contained one."""
    passages: list[Passage]
    matches: list[tuple[int, int]]
    """Sentences that match best: numbers, from 0, in the item and in the other one."""
    methods: list[Said]

    @property
    def compared(self) -> bool:
        """Whether the flow compares the two at all."""
        return self.inside_window and self.item.id != self.other.id and self.methods[0].found_by > 0
