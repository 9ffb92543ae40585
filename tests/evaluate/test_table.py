"""The table that `evaluate` prints."""

from __future__ import annotations

from streams.evaluate.runner import Run
from streams.evaluate.scoring import Planted, Told, Truth, score
from streams.evaluate.table import table, values

TRUTH = Truth(
    [Planted("b", "a", "exact", "duplicate"), Planted("c", "a", "append", "contains")],
    {"a": [(1, 0)], "b": [(1, 0)], "c": [(1, 0), (2, 0)]},
    {"a": 0, "b": 0, "c": 0},
)
TOLD = [Told("b", "a", "duplicate", 1.0)]
RUN = Run(TOLD, items=3, cpu_seconds=0.0009)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_every_line_is_as_wide_as_the_others():
    lines = table([("one", RUN, score(TOLD, TRUTH)), ("another method", RUN, score([], TRUTH))]).splitlines()
    assert len({len(line) for line in lines}) == 1


def test_a_relation_that_a_method_never_tells_is_a_dash_not_a_zero():
    head, _, row = table([("one", RUN, score(TOLD, TRUTH))]).splitlines()
    shown = dict(zip(cells(head), cells(row), strict=True))
    assert (shown["exact"], shown["append"], shown["F1 dup"], shown["F1 cont"]) == ("1", "-", "1", "-")
    assert (shown["wrong/told"], shown["µs"]) == ("0/1", "300")


def test_values_have_counts_with_their_totals():
    found = values(RUN, score(TOLD, TRUTH))
    assert found["recall"]["append"] == {"count": 0, "total": 1, "share": 0.0}
    assert found["relations"]["duplicate"]["f1"] == 1.0
    assert found["cpu_microseconds"] == 300.0
