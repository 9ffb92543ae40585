"""What is in the window, and what no longer or not yet: copies, versions and withdrawals over days."""

from __future__ import annotations

import json

import pytest

from tests.buses import EmbeddedBus, KafkaBus, Outcome, Raw, at
from tests.texts import item, sentences, story

Bus = EmbeddedBus | KafkaBus


def withdrawal(id_: str, hours: float, value: bytes | None = None) -> Raw:
    return Raw(value, id_.encode(), at(hours))


def delivered(fields: dict[str, object], hours: float) -> Raw:
    """The item, brought so many hours after START, whenever it was published."""
    return Raw(json.dumps(fields).encode(), None, at(hours))


# One stream over three days; every story has words of its own.
STREAM = [
    item("old", story("window"), 0),
    item("again", story("again"), 0.1),
    item("again", story("again"), 0.1),
    item("version", story("first text"), 0.2),
    item("version", story("second text"), 0.4),
    item("of-first", story("first text"), 0.5),
    item("of-second", story("second text"), 0.6),
    item("gone", story("gone"), 0.7),
    withdrawal("gone", 0.8),
    withdrawal("never-seen", 0.8),
    item("of-gone", story("gone"), 0.9),
    item("kept", story("kept"), 1.0),
    item("of-kept", story("kept"), 1.1),
    item("kept", f"{story('kept')} {sentences('correction', 1)[0]}", 1.2),
    item("gone-empty", story("gone empty"), 1.3),
    withdrawal("gone-empty", 1.4, b""),
    item("of-gone-empty", story("gone empty"), 1.5),
    item("early", story("late"), 3),
    item("inside", story("window"), 23),
    delivered(item("again", story("again"), 0.1), 23.5),
    item("outside", story("window"), 25),
    # published 22 hours after `early`, brought when that is out of the window, but not of the grace
    item("meanwhile", story("meanwhile"), 46),
    delivered(item("late", story("late"), 25.5), 47),
    item("after-days", story("late"), 75),
]


@pytest.fixture(scope="module")
async def outcome(bus: Bus) -> Outcome:
    return await bus.judge(STREAM)


def test_every_message_has_a_verdict(outcome: Outcome) -> None:
    assert len(outcome.verdicts) == len(STREAM)
    assert outcome.dead_letters == []


def test_a_copy_after_23_hours_is_found(outcome: Outcome) -> None:
    assert outcome.relation("inside", "old") is not None
    assert outcome.verdict("inside").original == "old"


def test_a_copy_after_25_hours_is_not_compared_with_the_original(outcome: Outcome) -> None:
    assert outcome.relation("outside", "old") is None
    assert outcome.verdict("outside").original == "inside"


def test_a_copy_after_days_is_unique(outcome: Outcome) -> None:
    assert outcome.verdict("after-days").decision == "unique"


def test_a_late_item_is_judged_as_if_it_had_come_in_time(outcome: Outcome) -> None:
    verdict = outcome.verdict("late")
    assert (verdict.decision, verdict.original, verdict.late) == ("duplicate", "early", False)


def test_a_re_delivery_has_the_same_verdict_id_and_no_relation_of_its_own(outcome: Outcome) -> None:
    verdicts = outcome.verdicts_of("again")
    assert len(verdicts) == 3
    assert len({verdict.id for verdict in verdicts}) == 1
    assert {verdict.decision for verdict in verdicts} == {"unique"}
    assert [r for r in outcome.relations if "again" in (r.item, r.other)] == []


async def test_a_re_delivery_in_the_same_pack_is_not_kept_twice(bus: Bus) -> None:
    original = item("original", story("wire"), 0)
    outcome = await bus.judge([original, original, item("copy", story("wire"), 0.1)])
    (relation,) = outcome.verdict("copy").relations
    assert [r.id for r in outcome.relations] == [relation]


def test_a_re_delivery_has_the_time_that_it_had(outcome: Outcome) -> None:
    assert len({verdict.time for verdict in outcome.verdicts_of("again")}) == 1


def test_a_new_version_is_told_as_revised(outcome: Outcome) -> None:
    first, second = outcome.verdicts_of("version")
    assert (first.decision, second.decision) == ("unique", "revised")
    assert second.revises == first.digest != second.digest


def test_later_items_are_compared_with_the_new_version(outcome: Outcome) -> None:
    assert outcome.verdict("of-second").original == "version"
    relation = outcome.relation("of-second", "version")
    assert relation is not None
    assert relation.other_digest == outcome.verdicts_of("version")[1].digest


def test_later_items_are_not_compared_with_the_replaced_version(outcome: Outcome) -> None:
    assert outcome.verdict("of-first").decision == "unique"


def test_a_new_version_is_never_a_copy_of_itself_nor_of_its_copies(outcome: Outcome) -> None:
    assert all(r.item != r.other for r in outcome.relations)
    assert [v.decision for v in outcome.verdicts_of("kept")] == ["unique", "revised"]
    assert outcome.verdict("of-kept").original == "kept"


@pytest.mark.parametrize("id_", ["gone", "gone-empty"])
def test_an_empty_message_withdraws_the_item_of_its_key(outcome: Outcome, id_: str) -> None:
    assert [v.decision for v in outcome.verdicts_of(id_)] == ["unique", "withdrawn"]
    assert outcome.verdict(f"of-{id_}").decision == "unique"


def test_what_was_never_seen_can_be_withdrawn(outcome: Outcome) -> None:
    assert outcome.verdict("never-seen").decision == "withdrawn"


async def test_an_item_that_comes_again_after_its_withdrawal_can_be_withdrawn_again(bus: Bus) -> None:
    outcome = await bus.judge(
        [
            item("gone", story("gone"), 0),
            withdrawal("gone", 0.1),
            item("gone", story("back"), 0.2),
            item("copy", story("back"), 0.3),
            withdrawal("gone", 0.4),
            item("later", story("back"), 0.5),
        ]
    )
    assert outcome.verdict("copy").original == "gone"
    assert outcome.verdict("later").original == "copy"
    assert outcome.relation("later", "gone") is None


async def test_an_item_that_is_published_again_after_its_withdrawal_is_compared_again(bus: Bus) -> None:
    outcome = await bus.judge(
        [
            item("gone", story("gone"), 0),
            withdrawal("gone", 0.1),
            item("between", story("gone"), 0.2),
            withdrawal("between", 0.3),
            item("gone", story("gone"), 0.4),
            item("copy", story("gone"), 0.5),
        ]
    )
    assert outcome.verdicts_of("between")[0].decision == "unique"
    assert outcome.verdict("copy").original == "gone"


async def test_the_sixth_version_within_an_hour_is_found_by_what_it_shares_with_the_earlier_ones(
    bus: Bus,
) -> None:
    lasting = story("live", 8)
    versions = [item("live", f"{lasting} {sentences(('update', n), 1)[0]}", n / 10) for n in range(5)]
    versions.append(item("live", lasting, 0.5))
    outcome = await bus.judge([*versions, item("near-copy", f"{lasting} {sentences('own', 1)[0]}", 0.8)])
    assert [v.decision for v in outcome.verdicts_of("live")] == ["unique", *["revised"] * 5]
    relation = outcome.relation("near-copy", "live")
    assert relation is not None
    assert relation.other_digest == outcome.verdicts_of("live")[-1].digest


async def test_a_copy_of_the_fifth_copy_within_an_hour_knows_the_original(bus: Bus) -> None:
    outcome = await bus.judge([item(f"copy-{n}", story("wire"), n / 20) for n in range(9)])
    assert outcome.verdict("copy-0").decision == "unique"
    assert {outcome.verdict(f"copy-{n}").original for n in range(1, 9)} == {"copy-0"}


async def test_a_re_delivered_copy_stays_a_copy_when_its_original_has_left_the_window(bus: Bus) -> None:
    copy = item("copy", story("wire"), 20)
    outcome = await bus.judge(
        [
            item("original", story("wire"), 0),
            copy,
            *(item(f"fill-{n}", story(("fill", n)), 10 * n) for n in range(3, 6)),
            delivered(copy, 52),  # the original left after 48 hours, the copy is still kept
        ],
        pack_items=1,
    )
    assert len({verdict.id for verdict in outcome.verdicts_of("copy")}) == 1


async def test_a_smaller_window_and_no_grace_let_items_leave_sooner(bus: Bus) -> None:
    records = [
        item("a", story("a"), 0),
        item("in", story("a"), 2),
        item("b", story("b"), 3),
        item("out", story("b"), 6),
    ]
    outcome = await bus.judge(records, window_hours=2, grace_hours=0)
    assert outcome.told == {("duplicate", "in", "a")}


async def test_a_wrong_date_neither_ends_nor_leaves_the_window(bus: Bus) -> None:
    outcome = await bus.judge(
        [
            item("a", story("a"), 0),
            delivered(
                {"id": "next-century", "text": story("b"), "published_at": "2126-03-02T06:30:00Z"}, 0.5
            ),
            delivered(
                {"id": "last-century", "text": story("b"), "published_at": "1926-03-02T06:30:00Z"}, 0.6
            ),
            item("copy", story("a"), 1),
        ]
    )
    assert outcome.verdict("copy").original == "a"
    assert outcome.verdict("last-century").original == "next-century"


async def test_a_timestamp_that_jumps_back_neither_ends_nor_leaves_the_window(bus: Bus) -> None:
    outcome = await bus.judge(
        [
            item("a", story("a"), 0),
            Raw(json.dumps({"id": "jump", "text": story("b")}).encode(), None, at(-24 * 365)),
            Raw(json.dumps({"id": "copy", "text": story("b")}).encode(), None, at(1)),
            item("copy-of-a", story("a"), 1.1),
        ]
    )
    assert outcome.verdict("copy").original == "jump"
    assert outcome.verdict("copy-of-a").original == "a"
