"""Scores of what was told about pairs of items, against what was planted and where each sentence came from.

Two truths are used, each for what it can tell.

*Planted pairs* (the gold) tell what must be found. Recall is over the planted pairs that are expected, those
of the window: a pair is found if it was told with the planted relation, for a containment also with the right
one as container.

*Lineage* (where each sentence came from) judges what was told, planted or not: two copies of one original are
related although nobody planted that pair. Coverage is the share of an item's sentences, edited ones included,
that the other item has as well.

- A told pair is **wrong** if the items share no sentence at all.
- A told relation **fits** (strict) if coverage bears it out: both items covered to at least .8 a duplicate,
  one of them, the contained one, a containment, neither a reuse. The lineage counts sentences while methods
  weigh words, and at a border neither is more right, so coverage within ±.1 of it passes for either side.
  Without a shared sentence nothing fits.

    precision of a relation  =  told and fitting / told,
    recall of a relation     =  planted, expected and found / planted and expected,
    F1                       =  2 · precision · recall / (precision + recall).

A pair that gold does not expect but whose hours differ by no more than the window (24 to 25 h apart) is
neither asked for nor wrong; one whose hours differ by more is outside of the window and must not be told.

Halves: a pair belongs to one article, the smallest number among those of which both have a sentence, or,
where they share none, of those in the earlier item. The article's hash chooses the half. So all pairs around
one original lie in one half, and thresholds that were chosen on the first can be reported on the second. The
stream is always run as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import mmh3

from streams.methods.comparison import Kind

KINDS = ("exact", "minor", "shuffle-words", "reorder", "append", "abridge", "patchwork", "quote")
RELATIONS: tuple[Kind, ...] = ("duplicate", "containment", "reuse")
LEAST, MOST = 0.7, 0.9
"""Between these coverages, around the border of .8, an item passes for covered and for not covered."""
_SEED = 2024

Half = Literal["first", "second", "both"]
Sentence = tuple[int, int]
"""Article and number of a sentence."""


@dataclass(frozen=True, slots=True)
class Told:
    """A relation that was told: the later item first."""

    item: str
    other: str
    kind: Kind
    score: float
    contained: str | None = None
    """In a containment: the id of the contained one."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A pair that was planted: the later item first."""

    item: str
    source: str
    kind: str
    relation: Literal["duplicate", "contains", "contained", "reuse"]
    expected: bool = True

    @property
    def told_as(self) -> Kind:
        """How a relation of this pair is told."""
        return "containment" if self.relation in ("contains", "contained") else self.relation  # type: ignore[return-value]

    def is_found_by(self, told: Told | None) -> bool:
        """Whether this was told with the right relation and the right container."""
        if told is None or told.kind != self.told_as:
            return False
        if self.relation == "contains":
            return told.contained == self.source
        return self.relation != "contained" or told.contained == self.item


@dataclass(frozen=True)
class Truth:
    """What is known about a corpus."""

    planted: Sequence[Planted]
    lineage: Mapping[str, Sequence[Sentence]]
    hours: Mapping[str, int]
    """For every item the hour of its event time."""
    window: int = 24

    def coverage(self, one: str, two: str) -> tuple[float, float]:
        """The share of each item's sentences that the other one has.

        >>> truth = Truth([], {"a": [(1, 0), (1, 1)], "b": [(1, 1), (2, 0), (2, 1), (2, 2)]}, {})
        >>> truth.coverage("a", "b")
        (0.5, 0.25)
        """
        first, second = self.lineage[one], self.lineage[two]
        shared = set(first) & set(second)
        return _share(first, shared), _share(second, shared)

    def half(self, item: str, other: str) -> Half:
        """The half that a pair belongs to."""
        mine = {article for article, _ in self.lineage[item]}
        theirs = {article for article, _ in self.lineage[other]}
        shared = {article for article, _ in set(self.lineage[item]) & set(self.lineage[other])}
        article = min(shared or theirs or mine, default=0)
        return "second" if mmh3.hash(str(article), _SEED, signed=False) & 1 else "first"

    def fits(self, told: Told) -> bool:
        """Whether the lineage bears the relation out."""
        item, other = self.coverage(told.item, told.other)
        if not item:
            return False
        if told.kind == "duplicate":
            return min(item, other) >= LEAST
        if told.kind == "reuse":
            return max(item, other) <= MOST
        contained, container = (item, other) if told.contained == told.item else (other, item)
        return contained >= LEAST and container <= MOST


@dataclass(frozen=True, slots=True)
class Part:
    """How many of how many; no share of nothing."""

    count: int
    total: int

    @property
    def share(self) -> float | None:
        """The count as a share of the total."""
        return self.count / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class Score:
    """What came of one method."""

    recall: dict[str, Part] = field(default_factory=dict)
    """For every kind of edit the planted pairs found with the right relation."""
    relation_recall: dict[Kind, Part] = field(default_factory=dict)
    relation_precision: dict[Kind, Part] = field(default_factory=dict)
    wrong: Part = field(default=Part(0, 0))
    """Told pairs without a shared sentence."""
    strict: Part = field(default=Part(0, 0))
    """Told pairs whose relation fits the lineage."""
    direction: Part = field(default=Part(0, 0))
    """Told containments of items that do share sentences, unequal shares of them: right container."""
    outside: int = 0
    """Told pairs that lie outside of the window."""

    def f1(self, relation: Kind) -> float | None:
        """The harmonic mean of a relation's precision and recall; none where it was never told."""
        precision, recall = self.relation_precision[relation].share, self.relation_recall[relation].share
        if precision is None or recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def score(told: Iterable[Told], truth: Truth, half: Half = "both") -> Score:
    """The score of what was told, over the pairs of a half."""
    judged = [pair for pair in told if half in ("both", truth.half(pair.item, pair.other))]
    asked = [
        pair
        for pair in truth.planted
        if pair.expected and half in ("both", truth.half(pair.item, pair.source))
    ]
    known = {_ends(pair.item, pair.other): pair for pair in judged}
    found = [pair for pair in asked if pair.is_found_by(known.get(_ends(pair.item, pair.source)))]
    fitting = [pair for pair in judged if truth.fits(pair)]
    coverages = {_ends(pair.item, pair.other): truth.coverage(pair.item, pair.other) for pair in judged}
    directed = [
        (pair, item > other)
        for pair in judged
        if pair.kind == "containment"
        for item, other in [coverages[_ends(pair.item, pair.other)]]
        if item != other
    ]
    return Score(
        recall={
            kind: Part(sum(p.kind == kind for p in found), sum(p.kind == kind for p in asked))
            for kind in KINDS
        },
        relation_recall={
            name: Part(sum(p.told_as == name for p in found), sum(p.told_as == name for p in asked))
            for name in RELATIONS
        },
        relation_precision={
            name: Part(sum(p.kind == name for p in fitting), sum(p.kind == name for p in judged))
            for name in RELATIONS
        },
        wrong=Part(sum(item == 0 for item, _ in coverages.values()), len(judged)),
        strict=Part(len(fitting), len(judged)),
        direction=Part(
            sum((pair.contained == pair.item) == inside for pair, inside in directed), len(directed)
        ),
        outside=sum(abs(truth.hours[p.item] - truth.hours[p.other]) > truth.window for p in judged),
    )


def curve(
    told: Sequence[Told], truth: Truth, thresholds: Sequence[float], half: Half = "both"
) -> list[tuple[float, float | None, float | None]]:
    """Threshold, strict precision and recall if only what scores at least the threshold is told."""
    points: list[tuple[float, float | None, float | None]] = []
    for threshold in thresholds:
        result = score([pair for pair in told if pair.score >= threshold], truth, half)
        found = Part(
            sum(part.count for part in result.relation_recall.values()),
            sum(part.total for part in result.relation_recall.values()),
        )
        points.append((threshold, result.strict.share, found.share))
    return points


def _ends(one: str, two: str) -> tuple[str, str]:
    return (one, two) if one < two else (two, one)


def _share(sentences: Sequence[Sentence], shared: set[Sentence]) -> float:
    return sum(sentence in shared for sentence in sentences) / len(sentences) if sentences else 0.0
