"""Two buses with one interface: a list of records in; relations, verdicts and dead letters out."""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from streams.codec import decode_relation, decode_verdict
from streams.embedded import Embedded
from streams.kafka.topics import Admin, topic_name, topics
from streams.kafka.worker import Worker
from streams.records import HOUR_MS, RELATION_TOPICS, RawRecord, Relation, Verdict
from streams.settings import Settings

START = int(datetime(2026, 3, 2, 6, tzinfo=timezone.utc).timestamp() * 1000)
"""The time of a record that has none: the beginning of an hour, long before any clock on which tests run."""
WAIT = 40.0
"""Seconds after which a stream that has not come to its end is given up."""
MIB = 1024 * 1024


@dataclass(frozen=True)
class Raw:
    """A message for the raw topic."""

    value: bytes | None
    key: bytes | None = None
    timestamp: int | None = None
    """Milliseconds; None: the `published_at` of the item, else that of the record before."""
    partition: int = 0


@dataclass(frozen=True)
class Letter:
    """A dead letter as it lies on the topic."""

    key: bytes | None
    value: bytes | None
    headers: dict[str, str]

    @property
    def reason(self) -> str:
        """One of `records.REASONS`."""
        return self.headers["__streams.errors.exception"]


@dataclass
class Outcome:
    """All that came out, each in the order in which it came (on Kafka: in a partition)."""

    relations: list[Relation] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    dead_letters: list[Letter] = field(default_factory=list)

    def verdict(self, item: str) -> Verdict:
        """The only verdict of an item."""
        (only,) = self.verdicts_of(item)
        return only

    def verdicts_of(self, item: str) -> list[Verdict]:
        """The verdicts of an item, in order."""
        return [verdict for verdict in self.verdicts if verdict.item == item]

    def relation(self, item: str, other: str) -> Relation | None:
        """The relation between two items, with `item` as the later one."""
        found = {r.id: r for r in self.relations if (r.item, r.other) == (item, other)}
        assert len(found) < 2, f"{item} and {other} are told as {sorted(r.kind for r in found.values())}"
        return next(iter(found.values()), None)

    @property
    def told(self) -> set[tuple[str, str, str]]:
        """Kind, item and other of all relations."""
        return {(r.kind, r.item, r.other) for r in self.relations}

    @property
    def relation_ids(self) -> set[str]:
        """The ids of all relations."""
        return {r.id for r in self.relations}

    @property
    def verdict_ids(self) -> dict[str, set[str]]:
        """For every item the ids of its verdicts."""
        ids: dict[str, set[str]] = {}
        for verdict in self.verdicts:
            ids.setdefault(verdict.item, set()).add(verdict.id)
        return ids


Records = Sequence["dict[str, Any] | bytes | Raw"]


def at(hours: float, minutes: float = 0) -> int:
    """So many hours and minutes after START, as a timestamp."""
    return START + round(hours * HOUR_MS + minutes * 60_000)


def iso_at(hours: float, minutes: float = 0) -> str:
    """The same for `published_at`."""
    return datetime.fromtimestamp(at(hours, minutes) / 1000, timezone.utc).isoformat()


def settings_of(**changes: object) -> Settings:
    """The settings with these changes, whatever the environment says."""
    return Settings.model_validate(changes)


def raw(records: Records) -> list[Raw]:
    """The records as messages, each with a timestamp."""
    messages: list[Raw] = []
    clock = START
    for record in records:
        if isinstance(record, dict):
            record = Raw(json.dumps(record, ensure_ascii=False).encode(), timestamp=_published(record))
        elif isinstance(record, bytes):
            record = Raw(record)
        if record.timestamp is not None:
            clock = record.timestamp
        messages.append(replace(record, timestamp=clock))
    return messages


def _published(fields: dict[str, Any]) -> int | None:
    if "published_at" not in fields:
        return None
    moment = datetime.fromisoformat(str(fields["published_at"]).replace("Z", "+00:00"))
    return round(moment.timestamp() * 1000)


class EmbeddedBus:
    """The flow in this process."""

    name = "embedded"

    async def judge(
        self, records: Records, *, pack: int = 32, raw_partitions: int = 1, **changes: object
    ) -> Outcome:
        """What comes of the records; with several raw partitions, merged in the order of the list."""
        settings = settings_of(**changes)
        outcome = Outcome()
        with tempfile.TemporaryDirectory(prefix="copydesk-test-") as folder:
            flow = Embedded(settings, Path(folder))
            try:
                for run in _runs(_numbered(raw(records)), settings.pack_items):
                    came = flow.feed(run, int(time.time() * 1000), raw_partitions)
                    outcome.relations += came.relations
                    outcome.verdicts += came.verdicts
                    outcome.dead_letters += [
                        Letter(d.key, d.value, {name: text.decode() for name, text in d.headers()})
                        for d in came.dead_letters
                    ]
            finally:
                flow.close()
        return outcome


def _numbered(messages: Iterable[Raw]) -> list[RawRecord]:
    offsets: dict[int, int] = {}
    numbered = []
    for message in messages:
        assert message.timestamp is not None
        offset = offsets.get(message.partition, 0)
        offsets[message.partition] = offset + 1
        where = ("news", message.partition, offset, message.timestamp)
        numbered.append(RawRecord(*where, message.key, message.value))
    return numbered


def _runs(records: list[RawRecord], size: int) -> Iterable[list[RawRecord]]:
    run: list[RawRecord] = []
    for record in records:
        if run and (len(run) == size or run[0].partition != record.partition):
            yield run
            run = []
        run.append(record)
    if run:
        yield run


class KafkaBus:
    """The flow on a broker: the real worker, in this process, on topics and state of its own for each call."""

    name = "kafka"

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap

    def settings(self, folder: str | Path, **changes: object) -> Settings:
        """Settings under which nothing is shared with another call."""
        own = f"test-{uuid.uuid4().hex[:10]}"
        defaults: dict[str, object] = {
            "broker": self._bootstrap,
            "raw_topics": [f"{own}.news"],
            "topic_prefix": f"{own}.",
            "group_prefix": f"{own}-",
            "state_dir": Path(folder),
            "stage_partitions": 1,
            "log_level": "warning",
        }
        return settings_of(**{**defaults, **changes})

    async def judge(self, records: Records, *, raw_partitions: int = 1, **changes: object) -> Outcome:
        """What comes of the records, which are all on the raw topic before the worker starts."""
        with tempfile.TemporaryDirectory(prefix="copydesk-test-") as folder:
            settings = self.settings(folder, **changes)
            await make_topics(settings, raw_partitions)
            await produce(settings, raw(records))
            worker = Worker(settings)
            running = asyncio.create_task(worker.run())
            try:
                await wait_for_ends(settings, len(records), running)
            finally:
                worker.stop()
                await asyncio.wait_for(running, WAIT)
            return await read_all(settings)


async def make_topics(settings: Settings, raw_partitions: int = 1) -> None:
    """Returns when the topics of the settings are there, the raw ones with so many partitions."""
    async with Admin(settings) as admin:
        for topic in topics(settings):
            await admin.create(topic)
    client = AIOKafkaAdminClient(bootstrap_servers=settings.broker)
    await client.start()
    try:
        config = {"retention.ms": "-1", "max.message.bytes": str(32 * MIB)}
        wanted = [NewTopic(name, raw_partitions, 1, topic_configs=config) for name in settings.raw_topics]
        answer = await client.create_topics(wanted)
        assert not any(code for _, code, *_ in answer.topic_errors), answer
    finally:
        await client.close()


async def produce(settings: Settings, messages: Iterable[Raw]) -> None:
    """Returns when the messages are on the first raw topic."""
    producer = AIOKafkaProducer(
        bootstrap_servers=settings.broker, acks="all", enable_idempotence=True, max_request_size=32 * MIB
    )
    topic = settings.raw_topics[0]
    async with producer:
        sends = []
        for message in messages:
            if message.key is None and message.value is None:
                # other clients can send this; aiokafka only in a batch made by hand
                await asyncio.gather(*sends)
                batch = producer.create_batch()
                batch.append(key=None, value=None, timestamp=message.timestamp)
                batch.close()
                sends = [await producer.send_batch(batch, topic, partition=message.partition)]
                continue
            sends.append(
                await producer.send(
                    topic, message.value, message.key, message.partition, timestamp_ms=message.timestamp
                )
            )
        await asyncio.gather(*sends)


@contextlib.asynccontextmanager
async def reader(
    settings: Settings, names: Iterable[str]
) -> AsyncIterator[tuple[AIOKafkaConsumer, Mapping[Any, str]]]:
    """A consumer at the beginning of copydesk's topics of these names, and which partition is of which."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=settings.broker, max_partition_fetch_bytes=32 * MIB, fetch_max_wait_ms=50
    )
    await consumer.start()
    try:
        count = settings.stage_partitions
        tps = {TopicPartition(topic_name(settings, name), p): name for name in names for p in range(count)}
        consumer.assign(list(tps))
        await consumer.seek_to_beginning()
        yield consumer, tps
    finally:
        await consumer.stop()


async def wait_for_ends(
    settings: Settings,
    count: int,
    running: asyncio.Task[Any] | None = None,
    wait: float = WAIT,
    done: Callable[[set[str], int], bool] | None = None,
) -> None:
    """Returns when there are `count` verdicts and dead letters, or what `done` says of items and letters."""
    deadline = time.monotonic() + wait
    items: set[str] = set()
    verdicts = letters = 0
    async with reader(settings, ["verdicts", "dead-letters"]) as (consumer, names):
        while not (done(items, letters) if done else verdicts + letters >= count):
            if running is not None and running.done():
                running.result()
                raise AssertionError("the worker has ended by itself")
            assert time.monotonic() < deadline, (
                f"{verdicts} verdicts, {letters} dead letters of {count} in {wait} s"
            )
            for tp, messages in (await consumer.getmany(timeout_ms=200)).items():
                if names[tp] == "verdicts":
                    verdicts += len(messages)
                    items.update(message.key.decode() for message in messages)
                else:
                    letters += len(messages)


async def read_all(settings: Settings) -> Outcome:
    """All relations, verdicts and dead letters that are on the topics now."""
    outcome = Outcome()
    async with reader(settings, [*RELATION_TOPICS.values(), "verdicts", "dead-letters"]) as (consumer, names):
        ends = await consumer.end_offsets(list(names))
        while any([await consumer.position(tp) < end for tp, end in ends.items()]):
            for tp, messages in (await asyncio.wait_for(consumer.getmany(timeout_ms=500), WAIT)).items():
                for message in messages:
                    _take(outcome, names[tp], message)
    return outcome


def _take(outcome: Outcome, name: str, message: Any) -> None:
    if name == "verdicts":
        verdict = decode_verdict(message.value)
        assert message.key == verdict.item.encode()
        outcome.verdicts.append(verdict)
    elif name == "dead-letters":
        headers = {key: text.decode() for key, text in message.headers}
        outcome.dead_letters.append(Letter(message.key, message.value, headers))
    else:
        relation = decode_relation(message.value)
        assert message.key == relation.id.encode()
        assert RELATION_TOPICS[relation.kind] == name
        outcome.relations.append(relation)
