"""The Kafka way, command by command, as in the README."""

from __future__ import annotations

import asyncio
import json
import signal
import uuid
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from streams.codec import decode_relation, decode_verdict
from streams.kafka.topics import Admin, topics
from streams.settings import load
from tests.broker import Broker, NamedBroker
from tests.commands import copydesk, running
from tests.texts import item, story


@pytest.fixture
def bus(broker: Broker | NamedBroker, tmp_path: Path) -> dict[str, str]:
    """Variables under which nothing is shared with another test."""
    own = f"cli-{uuid.uuid4().hex[:8]}"
    return {
        "COPYDESK_BROKER": broker.bootstrap,
        "COPYDESK_RAW_TOPICS": f"{own}.news",
        "COPYDESK_TOPIC_PREFIX": f"{own}.",
        "COPYDESK_GROUP_PREFIX": f"{own}-",
        "COPYDESK_STATE_DIR": str(tmp_path / "state"),
        "COPYDESK_STAGE_PARTITIONS": "2",
        "COPYDESK_PARTITIONS": "3",
    }


async def partitions(bus: dict[str, str]) -> dict[str, int]:
    """What is on the broker of the topics that the settings name."""
    settings, _ = load(None, bus)
    async with Admin(settings) as admin:
        return await admin.partitions([*settings.raw_topics, *(t.full_name for t in topics(settings))])


async def test_topics_shows_what_is_missing_and_makes_nothing(bus: dict[str, str], tmp_path: Path) -> None:
    done = await asyncio.to_thread(copydesk, "topics", folder=tmp_path, **bus)
    assert done.returncode == 1
    assert done.stdout.count("missing") == 10
    assert "--create" in done.stderr
    assert await partitions(bus) == {}


async def test_create_makes_all_but_the_raw_topic(bus: dict[str, str], tmp_path: Path) -> None:
    done = await asyncio.to_thread(copydesk, "topics", "--create", folder=tmp_path, **bus)
    there = await partitions(bus)
    assert bus["COPYDESK_RAW_TOPICS"] not in there
    assert len(there) == 9
    assert done.returncode == 1
    assert done.stdout.count("missing") == 1
    raw = await asyncio.to_thread(copydesk, "topics", "--create", "--raw", folder=tmp_path, **bus)
    assert raw.returncode == 0
    assert bus["COPYDESK_RAW_TOPICS"] in await partitions(bus)
    again = await asyncio.to_thread(copydesk, "topics", folder=tmp_path, **bus)
    assert again.returncode == 0
    assert "missing" not in again.stdout


async def test_topics_have_the_partitions_and_the_configuration_of_the_settings(
    bus: dict[str, str], tmp_path: Path
) -> None:
    await asyncio.to_thread(copydesk, "topics", "--create", "--raw", folder=tmp_path, **bus)
    settings, _ = load(None, bus)
    there = await partitions(bus)
    async with Admin(settings) as admin:
        for topic in topics(settings):
            assert there[topic.full_name] == topic.partitions
            config = await admin.config(topic.full_name)
            assert {name: config[name] for name in topic.config} == topic.config


async def test_a_topic_of_the_wrong_shape_is_told(bus: dict[str, str], tmp_path: Path) -> None:
    await asyncio.to_thread(copydesk, "topics", "--create", "--raw", folder=tmp_path, **bus)
    other = {**bus, "COPYDESK_PARTITIONS": "5"}
    done = await asyncio.to_thread(copydesk, "topics", "--create", folder=tmp_path, **other)
    assert done.returncode == 1
    assert "has 3 partitions" in done.stdout
    worker = await asyncio.to_thread(copydesk, "worker", folder=tmp_path, **other)
    assert worker.returncode == 1
    assert "has 3 partitions" in worker.stderr


async def test_publish_keeps_bytes_and_dates(bus: dict[str, str], tmp_path: Path) -> None:
    await asyncio.to_thread(copydesk, "topics", "--create", "--raw", folder=tmp_path, **bus)
    lines = [
        b'{"id": "a", "text": "A b c.", "published_at": "2026-03-02T06:00:00Z"}',
        b"not an item",
        b'{"id": "b", "text": "D e f.", "published_at": "2026-03-02T07:00:00+01:00"}',
        b'{"id": "c", "text": "G h i.", "published_at": "2026-03-02T08:30:00Z"}',
    ]
    (tmp_path / "news.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    done = await asyncio.to_thread(copydesk, "publish", "news.jsonl", folder=tmp_path, **bus)
    assert done.returncode == 0
    assert "4 items published" in done.stdout
    topic = bus["COPYDESK_RAW_TOPICS"]
    consumer = AIOKafkaConsumer(bootstrap_servers=bus["COPYDESK_BROKER"])
    async with consumer:
        consumer.assign([TopicPartition(topic, p) for p in range(2)])
        await consumer.seek_to_beginning()
        found = [await asyncio.wait_for(consumer.getone(), 20) for _ in lines]
    assert sorted(m.value for m in found) == sorted(lines)
    times = {m.value: m.timestamp for m in found}
    six = 1_772_431_200_000
    assert times[lines[0]] == times[lines[1]] == times[lines[2]] == six
    assert times[lines[3]] == six + 2.5 * 3_600_000


async def test_the_kafka_way_in_five_commands(bus: dict[str, str], tmp_path: Path) -> None:
    made = await asyncio.to_thread(copydesk, "topics", "--create", "--raw", folder=tmp_path, **bus)
    assert made.returncode == 0
    items = [item("a", story("a"), 0), item("b", story("a"), 1), item("c", story("c"), 2)]
    lines = [json.dumps(fields).encode() for fields in items]
    with (
        running("watch", "--json", "--all", "--count", "4", folder=tmp_path, **bus) as watch,
        running("worker", folder=tmp_path, **bus) as worker,
    ):
        worker.wait_until(lambda w: any("ready" in line for line in w.errors), 40)
        text = b"\n".join([*lines, b"broken"])
        done = await asyncio.to_thread(copydesk, "publish", "-", folder=tmp_path, text=text, **bus)
        assert done.returncode == 0
        assert await asyncio.to_thread(watch.process.wait, 40) == 0
        words = await asyncio.to_thread(copydesk, "watch", "--all", "--count", "4", folder=tmp_path, **bus)
        assert await asyncio.to_thread(worker.end, signal.SIGTERM) == 0
    records = [json.loads(line) for line in watch.out]
    verdicts = [decode_verdict(json.dumps(r["value"]).encode()) for r in records if r["topic"] == "verdicts"]
    assert sorted(v.item for v in verdicts) == ["a", "b", "c"]
    assert sorted(v.decision for v in verdicts) == ["duplicate", "unique", "unique"]
    for record in records:
        if record["topic"] == "duplicates":
            assert {decode_relation(json.dumps(record["value"]).encode()).item} <= {"a", "b"}
    (letter,) = [r["value"] for r in records if r["topic"] == "dead-letters"]
    assert letter["exception"] == "not-json"
    assert words.returncode == 0
    assert "dead letter" in words.stdout
    assert "not-json" in words.stdout
    assert "unique" in words.stdout


async def test_stages_can_run_in_workers_of_their_own(bus: dict[str, str], tmp_path: Path) -> None:
    await asyncio.to_thread(copydesk, "topics", "--create", "--raw", folder=tmp_path, **bus)
    text = b"\n".join(json.dumps(item(name, story("a"), n)).encode() for n, name in enumerate("ab"))
    await asyncio.to_thread(copydesk, "publish", "-", folder=tmp_path, text=text, **bus)
    apart = {**bus, "COPYDESK_STATE_DIR": str(tmp_path / "other")}
    with (
        running("worker", "--stages", "normalize,split", folder=tmp_path, **bus) as first,
        running("worker", "--stages", "fingerprint,detect", folder=tmp_path, **apart) as second,
    ):
        watch = await asyncio.to_thread(
            copydesk, "watch", "--json", "--all", "--count", "2", folder=tmp_path, timeout=60, **bus
        )
        codes = [await asyncio.to_thread(w.end, signal.SIGTERM) for w in (first, second)]
    assert codes == [0, 0]
    decisions = [json.loads(line)["value"].get("decision") for line in watch.stdout.splitlines()]
    assert sorted(d for d in decisions if d) == ["duplicate", "unique"]


async def test_ctrl_c_ends_watching(bus: dict[str, str], tmp_path: Path) -> None:
    await asyncio.to_thread(copydesk, "topics", "--create", "--raw", folder=tmp_path, **bus)
    with running("watch", folder=tmp_path, **bus) as watch:
        await asyncio.sleep(2.5)
        assert await asyncio.to_thread(watch.end, signal.SIGINT) == 130
    assert "Traceback" not in "".join(watch.errors)
