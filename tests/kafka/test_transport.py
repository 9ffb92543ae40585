"""The fenced transport on a real broker, and each half of the fence beside the consumer that lacks it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import faust
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from faust.types import TP

from streams.kafka.acknowledge import InOrder
from streams.kafka.producer import AcknowledgedTable
from streams.kafka.transport import fence

PARTITIONS = 2
ROOT = Path(__file__).parents[2]


def bare_app(bootstrap: str, name: str, folder: Path, **settings: object) -> faust.App:
    """An app without fence, agents and tables."""
    folder.mkdir(parents=True, exist_ok=True)
    defaults = {
        "broker": f"kafka://{bootstrap}",
        "store": "rocksdb://",
        "datadir": str(folder),
        "autodiscover": False,
        "web_enabled": False,
        "topic_disable_leader": True,
        "topic_partitions": PARTITIONS,
        "broker_commit_interval": 0.3,
        "broker_session_timeout": 10,
        "broker_heartbeat_interval": 1,
        "broker_request_timeout": 300,
        "stream_wait_empty": False,
        "stream_recovery_delay": 0,
        "producer_linger": 0.005,
        "cython_optimizations": True,
        "Table": AcknowledgedTable,
    }
    return faust.App(name, **{**defaults, **settings})


def chain_app(
    bootstrap: str, name: str, folder: Path, fail: Callable[[BaseException], None], **settings: object
) -> faust.App:
    """Two agents, from topic -a over -b to -c; the second stores each record in a table."""
    app = fence(bare_app(bootstrap, name, folder, **settings))
    table = app.Table("seen", key_type=bytes, value_type=bytes, partitions=PARTITIONS)

    @app.agent(app.topic(f"{name}-a", key_type=bytes, value_type=bytes), name="first")
    async def first(stream):
        async with InOrder(fail) as done:
            async for event in stream.noack().events():
                partition = event.message.partition
                sent = await app.producer.send(f"{name}-b", event.key, event.value, partition, None, None)
                await done.append(event, [sent])

    @app.agent(app.topic(f"{name}-b", key_type=bytes, value_type=bytes), name="second")
    async def second(stream):
        async with InOrder(fail) as done:
            async for event in stream.noack().events():
                table[event.value[:8]] = event.value
                partition = event.message.partition
                sent = await app.producer.send(f"{name}-c", event.key, event.value, partition, None, None)
                await done.append(event, [sent, *table.sends(event)])

    return app


@asynccontextmanager
async def running(app: faust.App) -> AsyncIterator[faust.App]:
    app.finalize()
    await app.start()
    try:
        await asyncio.wait_for(app.tables.recovery.completed.wait(), 30)
        yield app
    finally:
        await app.stop()


async def make_topics(bootstrap: str, names: Iterable[str], **config: str) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()
    try:
        await admin.create_topics([NewTopic(name, PARTITIONS, 1, topic_configs=config) for name in names])
    finally:
        await admin.close()


async def produce(bootstrap: str, topic: str, values: Iterable[bytes]) -> None:
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, linger_ms=5)
    await producer.start()
    try:
        for place, value in enumerate(values):
            await producer.send(topic, value, partition=place % PARTITIONS)
    finally:
        await producer.stop()


async def read(bootstrap: str, topic: str, enough: Callable[[list[list[bytes]]], bool], seconds: float):
    """What each partition of the topic holds once that is enough, or when the time is over."""
    found: list[list[bytes]] = [[] for _ in range(PARTITIONS)]
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest")
    await consumer.start()
    try:
        consumer.assign([TopicPartition(topic, p) for p in range(PARTITIONS)])
        deadline = time.monotonic() + seconds
        while not enough(found) and time.monotonic() < deadline:
            for tp, records in (await consumer.getmany(timeout_ms=100)).items():
                found[tp.partition] += [record.value for record in records]
    finally:
        await consumer.stop()
    return found


async def uncommitted(bootstrap: str, group: str, topics: Iterable[str]) -> int:
    """How many records of the topics the group has not committed."""
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap)
    await admin.start()
    await consumer.start()
    try:
        ends = await consumer.end_offsets([TopicPartition(t, p) for t in topics for p in range(PARTITIONS)])
        offsets = await admin.list_consumer_group_offsets(group)
        return sum(end - (offsets[tp].offset if tp in offsets else 0) for tp, end in ends.items())
    finally:
        await consumer.stop()
        await admin.close()


def numbered(count: int) -> list[bytes]:
    return [b"%08d" % number for number in range(count)]


@pytest.fixture
def name() -> str:
    return f"t{uuid.uuid4().hex[:8]}"


async def test_records_pass_two_agents_and_a_table_and_are_committed(broker, name, tmp_path):
    topics = [f"{name}-{letter}" for letter in "abc"]
    await make_topics(broker.bootstrap, topics)
    values = numbered(200)
    failures: list[BaseException] = []
    async with running(chain_app(broker.bootstrap, name, tmp_path, failures.append)) as app:
        started = time.monotonic()
        await produce(broker.bootstrap, topics[0], values)
        found = await read(broker.bootstrap, topics[2], lambda f: sum(map(len, f)) >= len(values), 10)
        print("TOOK", time.monotonic() - started)
        assert found == [values[0::2], values[1::2]]
        await asyncio.sleep(1)
        assert app.consumer.committed(TP(topics[0], 0)) == 100
    assert await uncommitted(broker.bootstrap, name, topics[:2]) == 0
    assert failures == []


async def serve(bootstrap: str, name: str, folder: str) -> None:
    """A worker that runs until it is killed."""
    failed = asyncio.get_running_loop().create_future()
    async with running(chain_app(bootstrap, name, Path(folder), failed.set_result)):
        print("ready", flush=True)
        sys.exit(f"a send failed: {await failed!r}")


if __name__ == "__main__":
    logging.basicConfig(level=os.environ.get("LEVEL", "ERROR"))
    asyncio.run(serve(*sys.argv[1:]))
