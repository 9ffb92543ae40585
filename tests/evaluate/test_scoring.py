"""Scores on hand-made cases small enough to count by hand."""

from __future__ import annotations

import pytest

from streams.evaluate.scoring import Part, Planted, Told, Truth, curve, score


def sentences(article: int, *numbers: int) -> list[tuple[int, int]]:
    return [(article, number) for number in numbers]


LINEAGE = {
    "original": sentences(1, *range(10)),
    "copy": sentences(1, *range(10)),
    "part": sentences(1, 0, 1, 2, 3),
    "whole": sentences(1, *range(10)) + sentences(2, *range(10)),
    "quoting": sentences(3, *range(10)) + sentences(1, 4),
    "stranger": sentences(4, *range(10)),
}
PLANTED = [
    Planted("copy", "original", "exact", "duplicate"),
    Planted("part", "original", "abridge", "contained"),
    Planted("whole", "original", "append", "contains"),
    Planted("quoting", "original", "quote", "reuse"),
]
TRUTH = Truth(PLANTED, LINEAGE, dict.fromkeys(LINEAGE, 0))
RIGHT = [
    Told("copy", "original", "duplicate", 1.0),
    Told("part", "original", "containment", 0.9, contained="part"),
    Told("whole", "original", "containment", 0.8, contained="original"),
    Told("quoting", "original", "reuse", 0.1),
]


def test_everything_told_rightly_scores_one():
    result = score(RIGHT, TRUTH)
    assert [result.f1(relation) for relation in ("duplicate", "containment", "reuse")] == [1, 1, 1]
    assert result.recall["append"] == Part(1, 1)
    assert result.recall["minor"] == Part(0, 0)
    assert result.wrong == Part(0, 4)
    assert result.strict == Part(4, 4)
    assert result.direction == Part(2, 2)


def test_nothing_told_has_recall_zero_and_no_precision():
    result = score([], TRUTH)
    assert result.recall["exact"] == Part(0, 1)
    assert result.strict.share is None
    assert result.f1("duplicate") is None


def test_another_relation_than_the_planted_one_does_not_find_the_pair():
    result = score([Told("quoting", "original", "duplicate", 1.0)], TRUTH)
    assert result.recall["quote"].count == 0
    assert result.strict.count == 0
    assert result.wrong.count == 0
    assert result.f1("duplicate") == 0


def test_the_wrong_container_does_not_find_the_pair():
    result = score([Told("part", "original", "containment", 0.9, contained="original")], TRUTH)
    assert result.recall["abridge"].count == 0
    assert result.direction == Part(0, 1)
    assert result.strict.count == 0


def test_a_pair_told_the_other_way_round_is_the_same_pair():
    result = score([Told("original", "part", "containment", 0.9, contained="part")], TRUTH)
    assert result.recall["abridge"] == Part(1, 1)
    assert result.direction == Part(1, 1)


def test_items_without_a_shared_sentence_are_wrong_whatever_is_told():
    result = score([Told("stranger", "original", kind, 1.0) for kind in ("reuse",)], TRUTH)
    assert result.wrong == Part(1, 1)
    assert result.strict.count == 0


def test_a_pair_that_nobody_planted_is_right_if_the_lineage_says_so():
    result = score([Told("part", "copy", "containment", 0.9, contained="part")], TRUTH)
    assert result.strict == Part(1, 1)
    assert sum(part.count for part in result.recall.values()) == 0


@pytest.mark.parametrize(
    ("shared", "duplicate", "containment", "reuse"),
    [
        (10, True, False, False),
        (9, True, True, True),
        (8, True, True, True),
        (7, True, True, True),
        (6, False, False, True),
    ],
)
def test_near_the_border_either_relation_fits(shared, duplicate, containment, reuse):
    lineage = {
        "a": sentences(1, *range(10)),
        "b": sentences(1, *range(shared)) + sentences(2, *range(10 - shared)),
    }
    truth = Truth([], lineage, {})
    assert truth.coverage("a", "b") == (shared / 10, shared / 10)
    assert truth.fits(Told("b", "a", "duplicate", 1.0)) is duplicate
    assert truth.fits(Told("b", "a", "containment", 1.0, contained="b")) is containment
    assert truth.fits(Told("b", "a", "reuse", 1.0)) is reuse


def test_pairs_that_are_not_expected_are_neither_asked_for_nor_wrong():
    late = Planted("copy", "original", "exact", "duplicate", expected=False)
    truth = Truth([late], LINEAGE, {"original": 0, "copy": 24})
    assert score([], truth).recall["exact"].total == 0
    result = score([Told("copy", "original", "duplicate", 1.0)], truth)
    assert result.outside == 0
    assert result.strict == Part(1, 1)


def test_a_pair_more_hours_apart_than_the_window_is_outside():
    truth = Truth([], LINEAGE, {"original": 0, "copy": 25}, window=24)
    assert score([Told("copy", "original", "duplicate", 1.0)], truth).outside == 1


def test_the_halves_share_no_pair_and_together_are_the_whole():
    lineage = {f"{role}{n}": sentences(n, *range(5)) for n in range(200) for role in ("original", "copy")}
    planted = [Planted(f"copy{n}", f"original{n}", "exact", "duplicate") for n in range(200)]
    told = [Told(pair.item, pair.source, "duplicate", 1.0) for pair in planted]
    told += [Told(f"copy{n}", f"original{n - 1}", "reuse", 0.1) for n in range(1, 200)]
    truth = Truth(planted, lineage, dict.fromkeys(lineage, 0))
    first, second, both = (score(told, truth, half) for half in ("first", "second", "both"))
    for part in (lambda s: s.recall["exact"].total, lambda s: s.wrong.count, lambda s: s.strict.total):
        assert part(first) + part(second) == part(both)
    assert 70 <= first.recall["exact"].total <= 130


def test_all_pairs_around_one_article_lie_in_one_half():
    pairs = [("copy", "original"), ("whole", "original"), ("quoting", "copy"), ("whole", "part")]
    assert len({TRUTH.half(*pair) for pair in pairs}) == 1


def test_a_higher_threshold_tells_less():
    points = curve(RIGHT, TRUTH, [0.0, 0.85, 1.0])
    assert points == [(0.0, 1.0, 1.0), (0.85, 1.0, 0.5), (1.0, 1.0, 0.25)]
