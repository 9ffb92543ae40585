"""Who copies, contains and quotes whom: a list of items in, relations and verdicts out."""

from __future__ import annotations

import pytest

from tests.buses import EmbeddedBus, KafkaBus, Outcome
from tests.texts import item, sentences, story

Bus = EmbeddedBus | KafkaBus

WHOLE, PART = story("whole", 8), " ".join(sentences("whole", 8)[2:5])
QUOTED = sentences("quoted", 8)


# One stream, in which every story has words of its own: the scenarios do not meet.
STREAM = [
    item("exact-1", story("exact"), 0.0, source="Wire"),
    item("exact-2", story("exact"), 0.5, source="Paper"),
    item("late-1", story("order"), 2.0, source="Wire"),
    item("whole-1", WHOLE, 2.1),
    item("part-1", PART, 2.2),
    item("part-2", " ".join(sentences("other", 8)[2:5]), 2.3),
    item("whole-2", story("other", 8), 2.4),
    item("quoted", " ".join(QUOTED), 2.5),
    item("quoting", " ".join([*sentences("quoting", 4), QUOTED[5], *sentences("more", 3)]), 2.6),
    item("quoting-two", " ".join([*sentences("two", 4), *QUOTED[1:3], *sentences("three", 3)]), 2.7),
    item("chain-1", story("chain"), 3.0),
    item("chain-2", story("chain"), 3.1),
    item("chain-3", story("chain"), 3.2),
    item("shuffled-1", " ".join(sentences("shuffled", 8)), 3.3),
    item("shuffled-2", " ".join(sentences("shuffled", 8)[::-1]), 3.4),
    item("alone", story("alone"), 3.5),
    item("alone-too", story("alone too"), 3.6),
]


@pytest.fixture(scope="module")
async def outcome(bus: Bus) -> Outcome:
    return await bus.judge(STREAM)


def test_every_item_has_exactly_one_verdict(outcome: Outcome) -> None:
    assert sorted(v.item for v in outcome.verdicts) == sorted(i["id"] for i in STREAM)
    assert outcome.dead_letters == []


def test_nothing_is_told_of_items_that_have_nothing_in_common(outcome: Outcome) -> None:
    assert outcome.told == {
        ("duplicate", "exact-2", "exact-1"),
        ("containment", "part-1", "whole-1"),
        ("containment", "whole-2", "part-2"),
        ("reuse", "quoting", "quoted"),
        ("reuse", "quoting-two", "quoted"),
        ("duplicate", "chain-2", "chain-1"),
        ("duplicate", "chain-3", "chain-1"),
        ("duplicate", "chain-3", "chain-2"),
        ("duplicate", "shuffled-2", "shuffled-1"),
    }
    assert outcome.verdict("alone").decision == outcome.verdict("alone-too").decision == "unique"
    assert outcome.verdict("alone").original is None
    assert outcome.verdict("alone").relations == []


def test_no_relation_is_told_twice(outcome: Outcome) -> None:
    assert len(outcome.relations) == len(outcome.relation_ids)


def test_an_exact_copy_is_a_duplicate_of_the_original(outcome: Outcome) -> None:
    relation = outcome.relation("exact-2", "exact-1")
    assert relation is not None
    assert relation.published_first == "exact-1"
    assert (relation.item_source, relation.other_source) == ("Paper", "Wire")
    assert (relation.coverage.item, relation.coverage.other, relation.score) == (1, 1, 1)
    assert (relation.container, relation.contained, relation.differs) == (None, None, [])
    verdict = outcome.verdict("exact-2")
    assert (verdict.decision, verdict.original, verdict.relations) == ("duplicate", "exact-1", [relation.id])
    assert outcome.verdict("exact-1").decision == "unique"


def test_the_passage_of_an_exact_copy_is_all_of_it(outcome: Outcome) -> None:
    relation = outcome.relation("exact-2", "exact-1")
    assert relation is not None
    (passage,) = relation.passages
    assert passage.item == passage.other == (0, len(story("exact")))
    assert passage.same == 1


def test_what_comes_out_of_a_larger_item_is_contained(outcome: Outcome) -> None:
    relation = outcome.relation("part-1", "whole-1")
    assert relation is not None
    assert (relation.container, relation.contained) == ("whole-1", "part-1")
    assert relation.coverage.item == 1 > relation.coverage.other > 0
    (passage,) = relation.passages
    assert PART[slice(*passage.item)] == WHOLE[slice(*passage.other)] == PART
    verdict = outcome.verdict("part-1")
    assert (verdict.decision, verdict.original) == ("contained", "whole-1")


def test_what_takes_a_smaller_item_in_contains_it(outcome: Outcome) -> None:
    relation = outcome.relation("whole-2", "part-2")
    assert relation is not None
    assert (relation.container, relation.contained) == ("whole-2", "part-2")
    verdict = outcome.verdict("whole-2")
    assert (verdict.decision, verdict.original) == ("contains", None)


@pytest.mark.parametrize(("who", "quote"), [("quoting", QUOTED[5]), ("quoting-two", " ".join(QUOTED[1:3]))])
def test_a_quote_is_a_reuse_with_its_passage(outcome: Outcome, who: str, quote: str) -> None:
    relation = outcome.relation(who, "quoted")
    assert relation is not None
    (passage,) = relation.passages
    texts = {i["id"]: i["text"] for i in STREAM}
    assert texts[who][slice(*passage.item)] == texts["quoted"][slice(*passage.other)] == quote
    assert outcome.verdict(who).decision == "reuses"
    assert outcome.verdict(who).original is None


def test_the_original_of_a_copy_of_a_copy_is_the_earliest(outcome: Outcome) -> None:
    verdict = outcome.verdict("chain-3")
    assert (verdict.decision, verdict.original) == ("duplicate", "chain-1")
    assert len(verdict.relations) == 2


def test_sentences_in_another_order_are_a_duplicate(outcome: Outcome) -> None:
    assert outcome.verdict("shuffled-2").original == "shuffled-1"


async def test_whoever_comes_second_is_the_copy_under_the_same_relation_id(bus: Bus) -> None:
    first, second = item("a", story("order"), 0), item("b", story("order"), 0.5)
    one = await bus.judge([first, second])
    # the earlier publication comes an hour late
    other = await bus.judge([item("ahead", story("ahead"), 0.6), second, first])
    assert one.told == {("duplicate", "b", "a")}
    assert other.told == {("duplicate", "a", "b")}
    assert one.relation_ids == other.relation_ids
    assert {r.published_first for r in one.relations + other.relations} == {"a"}
    assert (one.verdict("b").decision, one.verdict("a").decision) == ("duplicate", "unique")
    assert (other.verdict("a").decision, other.verdict("b").decision) == ("duplicate", "unique")
