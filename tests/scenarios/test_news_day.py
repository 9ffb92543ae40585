"""The sample day against what its writers say of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.buses import EmbeddedBus, Outcome
from tests.scenarios.test_same_everywhere import sample

TRUTH: dict[str, Any] = json.loads(Path(__file__).with_name("news-day-truth.json").read_text())


@pytest.fixture(scope="module")
async def outcome() -> Outcome:
    return await EmbeddedBus().judge(sample())


def named(relation: dict[str, str]) -> str:
    return f"{relation['item']}-{relation['kind']}-{relation['other']}"


@pytest.mark.parametrize("truth", TRUTH["relations"], ids=named)
def test_what_stands_in_two_items_is_told(outcome: Outcome, truth: dict[str, str]) -> None:
    relation = outcome.relation(truth["item"], truth["other"])
    assert relation is not None
    assert relation.kind == truth["kind"]
    assert relation.container == truth.get("container")


def test_nothing_else_is_told(outcome: Outcome) -> None:
    true = {(r["item"], r["other"]) for r in TRUTH["relations"] + TRUTH["may"]}
    # a new version comes after the copies of the old one, and may be told as related to them
    true |= {(other, item) for item, other in true if other in TRUTH["revised"]}
    false = sorted((r.item, r.other, r.kind) for r in outcome.relations if (r.item, r.other) not in true)
    assert false == []


@pytest.mark.parametrize("pair", TRUTH["unrelated"], ids="-".join)
def test_nothing_is_told_of_unrelated_items(outcome: Outcome, pair: list[str]) -> None:
    assert [(r.item, r.kind, r.other) for r in outcome.relations if {r.item, r.other} == set(pair)] == []


@pytest.mark.parametrize("pair", TRUTH["outside_window"], ids="-".join)
def test_a_copy_from_outside_of_the_window_is_not_told(outcome: Outcome, pair: list[str]) -> None:
    assert [(r.item, r.kind, r.other) for r in outcome.relations if {r.item, r.other} == set(pair)] == []


@pytest.mark.parametrize("pair", TRUTH["not_duplicate"], ids="-".join)
def test_the_same_notice_with_other_figures_is_no_duplicate(outcome: Outcome, pair: list[str]) -> None:
    assert [
        r.kind for r in outcome.relations if {r.item, r.other} == set(pair) and r.kind == "duplicate"
    ] == []


@pytest.mark.parametrize("item", TRUTH["revised"])
def test_a_corrected_version_is_revised(outcome: Outcome, item: str) -> None:
    assert outcome.verdicts_of(item)[-1].decision == "revised"


@pytest.mark.parametrize("item", TRUTH["redelivered"])
def test_what_comes_twice_has_one_verdict_id(outcome: Outcome, item: str) -> None:
    verdicts = outcome.verdicts_of(item)
    assert len(verdicts) == 2
    assert len({v.id for v in verdicts}) == 1


def test_the_day_has_every_decision_that_a_newcomer_should_see(outcome: Outcome) -> None:
    seen = {v.decision for v in outcome.verdicts}
    assert {"unique", "duplicate", "contained", "contains", "reuses", "revised"} <= seen
