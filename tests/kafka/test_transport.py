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
from faust.exceptions import ImproperlyConfigured
from faust.types import TP
from faust.types.tuples import ConsumerMessage, RecordMetadata
from mode import Service

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
        "key_serializer": "raw",
        "value_serializer": "raw",
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

    @app.agent(app.topic(f"{name}-a"), name="first")
    async def first(stream):
        async with InOrder(fail) as done:
            async for event in stream.noack().events():
                partition = event.message.partition
                sent = await app.producer.send(f"{name}-b", event.key, event.value, partition, None, None)
                await done.append(event, [sent])

    @app.agent(app.topic(f"{name}-b"), name="second")
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


async def produce(bootstrap: str, topic: str, values: Iterable[bytes], pause: float = 0) -> None:
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, linger_ms=5)
    await producer.start()
    try:
        for place, value in enumerate(values):
            await producer.send(topic, value, partition=place % PARTITIONS)
            if pause:
                await asyncio.sleep(pause)
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


async def wait_until(reached: Callable[[], object], seconds: float, is_zero: bool = False) -> None:
    deadline = time.monotonic() + seconds
    while True:
        value = reached()
        value = await value if asyncio.iscoroutine(value) else value
        if value == 0 if is_zero else value:
            return
        assert time.monotonic() < deadline, f"still {value!r} after {seconds} s"
        await asyncio.sleep(0.1)


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
        await produce(broker.bootstrap, topics[0], values)
        found = await read(broker.bootstrap, topics[2], lambda f: sum(map(len, f)) >= len(values), 10)
        assert found == [values[0::2], values[1::2]]
        await wait_until(lambda: app.consumer.committed(TP(topics[1], 1)) == 100, 5)
    assert await uncommitted(broker.bootstrap, name, topics[:2]) == 0
    assert failures == []


async def test_a_worker_that_is_killed_loses_nothing_and_leaves_nothing_uncommitted(broker, name, tmp_path):
    topics = [f"{name}-{letter}" for letter in "abc"]
    await make_topics(broker.bootstrap, topics)
    values = numbered(6000)
    produced = 0
    for kills in range(4):
        async with worker(broker.bootstrap, name, tmp_path) as process:
            share = values[produced : produced + 1500]
            produced += len(share)
            writing = asyncio.create_task(produce(broker.bootstrap, topics[0], share))
            seen = set(values[: produced - 700] if kills < 3 else values)  # killed in the middle of its work
            found = await read(broker.bootstrap, topics[2], lambda f, seen=seen: seen <= {*f[0], *f[1]}, 30)
            if kills < 3:
                process.send_signal(signal.SIGKILL)
            await writing
            if kills == 3:
                assert {*found[0], *found[1]} == set(values)
                await wait_until(lambda: uncommitted(broker.bootstrap, name, topics[:2]), 5, is_zero=True)
    for partition, records in enumerate(found):
        assert list(dict.fromkeys(records)) == values[partition::2], "first occurrences are not in order"


async def test_a_second_worker_takes_over_and_hands_back_without_loss(broker, name, tmp_path):
    topics = [f"{name}-{letter}" for letter in "abc"]
    await make_topics(broker.bootstrap, topics)
    values = numbered(3000)
    failures: list[BaseException] = []
    writing = asyncio.create_task(produce(broker.bootstrap, topics[0], values, pause=0.001))
    async with running(chain_app(broker.bootstrap, name, tmp_path / "one", failures.append)):
        async with running(chain_app(broker.bootstrap, name, tmp_path / "two", failures.append)):
            await asyncio.sleep(1)
        found = await read(broker.bootstrap, topics[2], lambda f: {*f[0], *f[1]} == set(values), 30)
        await writing
        assert {*found[0], *found[1]} == set(values)
        await wait_until(lambda: uncommitted(broker.bootstrap, name, topics[:2]), 5, is_zero=True)
    assert failures == []


async def test_a_send_that_is_refused_ends_in_failure_and_nothing_past_it_is_sent_or_committed(
    broker, name, tmp_path
):
    topics = [f"{name}-{letter}" for letter in "abc"]
    await make_topics(broker.bootstrap, topics[:1])
    await make_topics(broker.bootstrap, topics[1:], **{"max.message.bytes": "20000"})
    values = [*numbered(20), b"x" * 100_000, *numbered(20)]
    await produce(broker.bootstrap, topics[0], [value for value in values for _ in range(PARTITIONS)])
    failures: list[BaseException] = []
    async with running(chain_app(broker.bootstrap, name, tmp_path, failures.append)) as app:
        await wait_until(lambda: bool(failures), 10)
        await asyncio.sleep(1)
        assert all(app.consumer.committed(TP(topics[0], p)) <= 20 for p in range(PARTITIONS))
    assert "MessageSizeTooLarge" in repr(failures[0])
    assert await uncommitted(broker.bootstrap, name, topics[:1]) >= 2 * 21
    found = await read(broker.bootstrap, topics[1], lambda _: False, 0.5)
    assert all(records == values[: len(records)] and len(records) <= 20 for records in found)


async def test_a_table_write_that_is_refused_ends_in_failure_and_its_source_is_not_committed(
    broker, name, tmp_path
):
    topics = [f"{name}-{letter}" for letter in "abc"]
    await make_topics(broker.bootstrap, topics)
    await make_topics(broker.bootstrap, [f"{name}-seen-changelog"], **{"max.message.bytes": "20000"})
    await produce(broker.bootstrap, topics[0], [b"x" * 100_000] * PARTITIONS)
    failures: list[BaseException] = []
    async with running(chain_app(broker.bootstrap, name, tmp_path, failures.append)) as app:
        await wait_until(lambda: bool(failures), 10)
        await asyncio.sleep(1)
        assert [app.consumer.committed(TP(topics[1], p)) for p in range(PARTITIONS)] == [0, 0]
    assert "MessageSizeTooLarge" in repr(failures[0])


@pytest.mark.parametrize("halts", [False, True])
async def test_a_send_does_not_overtake_a_refused_one_because_the_producer_halts(
    broker, name, tmp_path, halts
):
    await make_topics(broker.bootstrap, [name], **{"max.message.bytes": "20000"})
    producer = fence(bare_app(broker.bootstrap, name, tmp_path)).producer
    if not halts:
        producer._on_sent = lambda sent: None
    async with producer:
        values = [b"x" * 100_000, b"later"]
        sends = [await producer.send(name, None, value, 0, None, None) for value in values]
        refused, later = await asyncio.gather(*sends, return_exceptions=True)
    assert "MessageSizeTooLarge" in repr(refused)
    assert isinstance(later, Exception) is halts
    found = await read(broker.bootstrap, name, lambda f: bool(f[0]), 0.5)
    assert found[0] == ([] if halts else [b"later"])


# Without a broker: the same steps on Faust's own consumer and on the fenced one.


@pytest.fixture(params=["plain", "fenced"])
async def consumer(request, tmp_path):
    """A consumer of partition 0 of topic `t`, ten records long, whose fetches and seeks are played."""
    app = bare_app("127.0.0.1:1", "app", tmp_path)
    app = app if request.param == "plain" else fence(app)
    app.topics._acking_topics.add("t")
    consumer = app.consumer
    consumer.fenced = request.param == "fenced"
    consumer.at = consumer.commits = None  # position and committed offset

    async def seek_to_committed():
        await asyncio.sleep(0.1)
        consumer.at = consumer.commits or 0
        return {T0: consumer.commits}

    async def seek_wait(start):
        consumer.at = start[T0]

    async def earliest_offsets(*tps):
        return dict.fromkeys(tps, 0)

    async def getmany(active_partitions, timeout):
        await asyncio.sleep(0.01)
        first, consumer.at = consumer.at or 0, 10
        return {T0: [record(offset) for offset in range(first, 10)]} if first < 10 else {}

    consumer.seek_to_committed, consumer.seek_wait = seek_to_committed, seek_wait
    consumer.earliest_offsets, consumer._getmany = earliest_offsets, getmany
    consumer.assignment, consumer.highwater = lambda: {T0}, lambda tp: 10
    consumer._to_message = lambda tp, message: message
    return consumer


T0 = TP("t", 0)


def record(offset: int, generation: int = 0) -> ConsumerMessage:
    return ConsumerMessage("t", 0, offset, 0.0, 0, [], None, b"", None, tp=T0, generation_id=generation)


async def acknowledge(consumer, offsets: Iterable[int]) -> int | None:
    """What the consumer would commit after these offsets were acknowledged."""
    for offset in offsets:
        consumer.ack(record(offset, consumer.app.consumer_generation_id))
    return consumer._new_offset(T0)


async def test_a_missing_offset_at_the_head_is_not_committed_over(consumer):
    consumer.commits = 5
    await consumer.perform_seek()
    assert await acknowledge(consumer, [6, 7]) == (None if consumer.fenced else 8)
    if consumer.fenced:
        assert await acknowledge(consumer, [5]) == 8


async def test_without_a_commit_the_first_is_not_made_in_the_middle(consumer):
    await consumer.perform_seek()
    assert await acknowledge(consumer, [3, 4]) == (None if consumer.fenced else 5)


async def test_a_jump_in_what_was_delivered_is_not_taken_for_acknowledged(consumer):
    consumer.commits = 5
    await consumer.perform_seek()
    await consumer._add_gap(T0, 6, 8)  # 5 and then 8 were delivered; 8 is being worked on, and 9 is done
    assert await acknowledge(consumer, [5, 9]) == (6 if consumer.fenced else 10)


async def test_an_acknowledgement_of_an_earlier_generation_is_not_counted(consumer):
    consumer.commits = 5
    await consumer.perform_seek()
    consumer.app.consumer_generation_id = 2
    consumer.ack(record(5, generation=1))
    assert consumer._new_offset(T0) == (None if consumer.fenced else 6)


async def test_records_delivered_around_the_seek_of_a_recovery_reach_the_agent(consumer):
    """The fetcher runs for the changelogs while Faust's own code ends the recovery."""
    app, delivered, resumed = consumer.app, [], asyncio.Event()
    queue = app.FlowControlQueue(maxsize=0, clear_on_resume=True)

    async def deliver(message):  # as the conductor does, and slow at the fourth record
        if message.offset == 4:
            await resumed.wait()
        queue.put_nowait(message.offset)

    consumer.callback = deliver
    app.flow_control.resume()
    consumer.resume_flow()
    fetcher = Service()
    draining = asyncio.create_task(consumer._drain_messages(fetcher))
    app._fetcher.maybe_start = lambda: asyncio.sleep(0)
    await app.tables.recovery.on_recovery_completed(app.consumer_generation_id)
    resumed.set()
    await wait_until(lambda: not queue.empty() and queue._queue[-1] == 9, 5)
    await asyncio.sleep(0.2)
    while not queue.empty():
        delivered.append(queue.get_nowait())
    draining.cancel()
    await asyncio.wait([draining])
    if consumer.fenced:
        assert delivered == list(range(10))
    else:
        assert set(delivered) == {4, 5, 6, 7, 8, 9}  # four records are lost


@pytest.mark.parametrize("consumer", ["fenced"], indirect=True)
@pytest.mark.parametrize("flow", ["running", "stopped"])
async def test_the_gate_does_not_lock_the_seek_out(consumer, flow):
    if flow == "stopped":
        consumer.stop_flow()
    draining = asyncio.create_task(consumer._drain_messages(Service()))
    await asyncio.sleep(0.05)
    await asyncio.wait_for(consumer.perform_seek(), 2)
    assert consumer._gate.locked()
    consumer.resume_flow()
    assert not consumer._gate.locked()
    draining.cancel()
    await asyncio.wait([draining])
    assert not consumer._gate.locked()


async def test_a_changelog_write_of_an_earlier_generation_does_not_move_the_stored_offset(tmp_path):
    app = fence(bare_app("127.0.0.1:1", "app", tmp_path, store="memory://"))
    table = app.Table("seen", key_type=bytes, value_type=bytes, partitions=PARTITIONS)
    stored = []
    table.data.set_persisted_offset = lambda tp, offset: stored.append(offset)
    tp = TP("app-seen-changelog", 0)
    for offset, generation in ((1, 1), (2, 2)):
        app.consumer_generation_id = 1
        sent = table.send_changelog(0, b"key", b"value")
        app.consumer_generation_id = generation
        sent.set_result(RecordMetadata("app-seen-changelog", 0, tp, offset))
        table._on_changelog_sent(sent)
    assert stored == [1]


@pytest.mark.parametrize(
    "setting",
    [
        {"processing_guarantee": "exactly_once"},
        {"producer_threaded": True},
        {"consumer_auto_offset_reset": "latest"},
        {"value_serializer": "json"},
    ],
)
def test_settings_that_would_lose_records_are_refused(tmp_path, setting):
    with pytest.raises(ImproperlyConfigured, match=next(iter(setting))):
        fence(bare_app("127.0.0.1:1", "app", tmp_path, **setting))


@asynccontextmanager
async def worker(bootstrap: str, name: str, folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """A worker process; it leaves no one behind."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        __file__,
        bootstrap,
        name,
        str(folder),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def serve(bootstrap: str, name: str, folder: str) -> None:
    """Work until killed; as a static member it takes the place of the one before without a timeout."""
    failed = asyncio.get_running_loop().create_future()
    app = chain_app(bootstrap, name, Path(folder), failed.set_result, consumer_group_instance_id="only")
    async with running(app):
        sys.exit(f"a send failed: {await failed!r}")


if __name__ == "__main__":
    logging.basicConfig(level=os.environ.get("LEVEL", "ERROR"))
    asyncio.run(serve(*sys.argv[1:]))
