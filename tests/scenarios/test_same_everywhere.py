"""The same relations and verdicts on both buses, whatever the number of partitions and the cuts of packs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from streams.inputs.lines import Numbering
from tests.buses import EmbeddedBus, KafkaBus, Raw, at
from tests.texts import day, item, story

Bus = EmbeddedBus | KafkaBus
SAMPLE = Path(__file__).parents[2] / "streams" / "sample" / "news-day.jsonl"


def sample() -> list[Raw]:
    """The lines of the sample, with the dates of the items."""
    lines = SAMPLE.read_bytes().splitlines()
    return [Raw(record.value, None, record.timestamp) for record in Numbering(0, at(0)).records(lines)]


@pytest.mark.parametrize("pack", [1, 7, 32])
async def test_cuts_of_packs_change_nothing(pack: int) -> None:
    bus, records = EmbeddedBus(), day(150)
    one, other = await bus.judge(records, pack_items=150), await bus.judge(records, pack_items=pack)
    assert one.relation_ids == other.relation_ids
    assert one.verdict_ids == other.verdict_ids


@pytest.mark.parametrize("pack", [1, 2])
async def test_cuts_of_packs_change_nothing_when_items_come_back_after_days(pack: int) -> None:
    records = [
        item("version", story("first"), 0),
        item("again", story("again"), 1),
        *(item(f"fill-{n}", story(("fill", n)), 10 * n) for n in range(1, 6)),
        item("version", story("second"), 53),
        item("again", story("again"), 54),
    ]
    bus = EmbeddedBus()
    one, other = await bus.judge(records, pack_items=32), await bus.judge(records, pack_items=pack)
    assert [v.decision for v in one.verdicts] == [v.decision for v in other.verdicts]
    assert one.verdict_ids == other.verdict_ids


async def test_one_three_and_eight_detect_partitions_tell_the_same(bus: Bus) -> None:
    records = day(60)
    one, three, eight = [await bus.judge(records, partitions=n) for n in (1, 3, 8)]
    assert one.told
    assert one.relation_ids == three.relation_ids == eight.relation_ids
    assert one.verdict_ids == three.verdict_ids == eight.verdict_ids


async def test_the_sample_day_is_judged_alike_on_both_buses(broker) -> None:
    embedded = await EmbeddedBus().judge(sample())
    kafka = await KafkaBus(broker.bootstrap).judge(sample())
    assert len(kafka.verdicts) == len(sample())
    assert embedded.relation_ids == kafka.relation_ids
    assert embedded.verdict_ids == kafka.verdict_ids
    by_id = {r.id: r for r in kafka.relations}
    assert all(by_id[r.id] == r for r in embedded.relations)
    assert sorted(map(repr, embedded.verdicts)) == sorted(map(repr, kafka.verdicts))


async def test_items_of_two_raw_partitions_find_each_other(bus: Bus) -> None:
    records = [
        Raw(json.dumps(item(f"{name}-{n}", story(n), n / 10)).encode(), None, at(n / 10), partition)
        for n in range(12)
        for partition, name in enumerate(("left", "right"))
    ]
    outcome = await bus.judge(records, raw_partitions=2, stage_partitions=2)
    assert sorted(v.item for v in outcome.verdicts) == sorted(
        f"{s}-{n}" for s in ("left", "right") for n in range(12)
    )
    # which of the two comes first is open where they come at the same moment, but one of them is the copy
    assert {frozenset((r.item, r.other)) for r in outcome.relations} == {
        frozenset((f"left-{n}", f"right-{n}")) for n in range(12)
    }
    for n in range(12):
        decisions = {outcome.verdict(f"{side}-{n}").decision for side in ("left", "right")}
        assert decisions == {"unique", "duplicate"}


async def test_a_raw_partition_that_runs_days_ahead_does_not_expire_what_the_other_needs(bus: Bus) -> None:
    ahead = [
        Raw(json.dumps(item(f"a-{n}", story(n), 20 * n)).encode(), None, at(20 * n), 0) for n in range(6)
    ]
    behind = [
        Raw(json.dumps(item(f"b-{n}", story(n), 20 * n)).encode(), None, at(20 * n), 1) for n in range(6)
    ]
    outcome = await bus.judge([*ahead, *behind], raw_partitions=2, stage_partitions=2)
    assert {frozenset((r.item, r.other)) for r in outcome.relations} == {
        frozenset((f"a-{n}", f"b-{n}")) for n in range(6)
    }
