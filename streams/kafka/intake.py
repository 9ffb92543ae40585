"""The intake: reads the bus, normalizes, and sends packs; stage `normalize` on Kafka.

A plain consumer, not a Faust stream: read item by item, Faust costs twice as much. An offset is committed
when everything that was sent for it, and for all before it, is acknowledged. How far time has moved in a
partition is committed with its offset, so that it goes on from there after a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from aiokafka import (
    AIOKafkaConsumer,
    AIOKafkaProducer,
    ConsumerRebalanceListener,
    OffsetAndMetadata,
    TopicPartition,
)
from aiokafka.errors import CommitFailedError, IllegalStateError, KafkaError, RebalanceInProgressError

from streams.codec import encode
from streams.kafka.producer import halt
from streams.kafka.topics import group, topic_name
from streams.records import DeadLetter, RawRecord
from streams.settings import Settings
from streams.stages.normalize import RawClock, normalize

logger = logging.getLogger(__name__)

PACK_BYTES = 1_048_576
"""A pack takes no further item once it has this much raw text."""


@dataclass(slots=True)
class _Assigned:
    """A raw partition that is ours."""

    clock: RawClock
    next: int
    """The offset that is to be sent next; what was fetched before a rebalance may come again after it."""
    sent: deque[tuple[int, int, list[asyncio.Future[Any]]]] = field(default_factory=deque)
    """Next offset, time, and the sends that must be acknowledged before it is committed."""
    ready: tuple[int, int] | None = None
    """Offset and time to commit."""


class Intake:
    """Reads raw topics into packs until it is stopped."""

    def __init__(self, settings: Settings, raw_partitions: dict[str, int]) -> None:
        self._settings = settings
        self._first = {}  # every raw partition has a number, so that its packs keep to one partition
        count = 0
        for name in settings.raw_topics:
            self._first[name] = count
            count += raw_partitions[name]
        self._raw_partitions = count
        self._assigned: dict[TopicPartition, _Assigned] = {}
        self._in_flight = asyncio.Semaphore(settings.in_flight)
        self._stopping = asyncio.Event()
        self._taken = asyncio.Event()
        self._failure: BaseException | None = None
        self.ready = asyncio.Event()

    async def run(self) -> None:
        """Works until `stop`; raises if anything could not be delivered."""
        settings = self._settings
        limit = 2 * settings.max_message_bytes + 1_048_576
        self._producer = AIOKafkaProducer(
            bootstrap_servers=settings.broker,
            client_id="copydesk-normalize",
            acks="all",
            enable_idempotence=True,
            linger_ms=5,
            max_batch_size=1_048_576,
            max_request_size=limit,
        )
        self._consumer = AIOKafkaConsumer(
            bootstrap_servers=settings.broker,
            client_id="copydesk-normalize",
            group_id=group(settings, "normalize"),
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            fetch_max_wait_ms=20,
            max_partition_fetch_bytes=4_194_304,
            session_timeout_ms=int(settings.session_seconds * 1000),
            heartbeat_interval_ms=int(settings.session_seconds * 300),
        )
        await self._producer.start()
        try:
            self._consumer.subscribe(list(settings.raw_topics), listener=_Listener(self))
            await self._consumer.start()
            try:
                await self._work()
            finally:
                await self._consumer.stop()
        finally:
            with contextlib.suppress(Exception):  # one that was halted cannot flush
                await self._producer.stop()

    def stop(self) -> None:
        """Ends `run` after what is under way was delivered and committed."""
        self._stopping.set()

    async def _work(self) -> None:
        tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._commit_often())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            await self.settle(list(self._assigned))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self) -> None:
        linger = self._settings.pack_linger_ms / 1000
        size = self._settings.pack_items
        while not self._stopping.is_set():
            batches = await self._consumer.getmany(timeout_ms=200, max_records=64 * size)
            if batches and sum(map(len, batches.values())) < size and linger:
                await asyncio.sleep(linger)
                for tp, more in (await self._consumer.getmany(timeout_ms=0, max_records=64 * size)).items():
                    batches.setdefault(tp, []).extend(more)
            for tp, messages in batches.items():
                for run in _runs(messages, size):
                    await self._send(tp, run)

    async def _send(self, tp: TopicPartition, run: list[RawRecord]) -> None:
        await self._taken.wait()  # records may be there before all is known about their partition
        await self._in_flight.acquire()
        assigned = self._assigned.get(tp)
        run = [record for record in run if assigned is not None and record.offset >= assigned.next]
        if assigned is None or not run:  # revoked since it was fetched: its owner reads it again
            self._in_flight.release()
            return
        assigned.next = run[-1].offset + 1
        now = int(time.time() * 1000)
        pack, dead = normalize(run, assigned.clock, self._settings, partitions=self._raw_partitions, now=now)
        sends = []
        if pack is not None:
            number = (self._first[tp.topic] + tp.partition) % self._settings.stage_partitions
            name = topic_name(self._settings, "normalized")
            sends.append(await self._producer.send(name, encode(pack), partition=number))
        for letter in dead:
            logger.warning("dead letter: %s %s", letter.reason, letter.message[:200])
            sends.append(await self._send_dead(letter))
        for sent in sends:
            sent.add_done_callback(self._on_sent)
        asyncio.gather(*sends, return_exceptions=True).add_done_callback(lambda _: self._in_flight.release())
        assigned.sent.append((run[-1].offset + 1, assigned.clock.arrived or now, sends))

    async def _send_dead(self, letter: DeadLetter) -> asyncio.Future[Any]:
        name = topic_name(self._settings, "dead-letters")
        if letter.key is not None or letter.value is not None:
            sent = await self._producer.send(name, letter.value, letter.key, headers=letter.headers())
        else:  # aiokafka refuses to send what has neither, though it can come; a batch of its own may have it
            batch = self._producer.create_batch()
            batch.append(key=None, value=None, timestamp=None, headers=letter.headers())
            sent = await self._producer.send_batch(batch, name, partition=0)
        return sent  # type: ignore[no-any-return]  # aiokafka has no types

    def _on_sent(self, sent: asyncio.Future[Any]) -> None:
        if not sent.cancelled() and (failure := sent.exception()) is not None and self._failure is None:
            self._failure = failure
            halt(self._producer, failure)

    async def _commit_often(self) -> None:
        while True:
            await asyncio.sleep(self._settings.commit_seconds)
            await self._commit(list(self._assigned))

    async def _commit(self, tps: list[TopicPartition]) -> None:
        """Commits what is acknowledged, in order; raises if a send failed."""
        if self._failure is not None:
            raise self._failure
        offsets = {}
        for tp in tps:
            assigned = self._assigned.get(tp)
            if assigned is None:
                continue
            while assigned.sent and all(sent.done() for sent in assigned.sent[0][2]):
                for sent in assigned.sent[0][2]:
                    sent.result()
                offset, arrived, _ = assigned.sent.popleft()
                assigned.ready = (offset, arrived)
            if assigned.ready:
                offsets[tp] = OffsetAndMetadata(assigned.ready[0], str(assigned.ready[1]))
        if not offsets:
            return
        try:
            await self._consumer.commit(offsets)
        except (CommitFailedError, IllegalStateError, RebalanceInProgressError):
            return  # the partitions are another's by now, who reads from the last commit
        except KafkaError as error:
            logger.warning("commit: %s; it is tried again", error)
            return
        for tp, committed in offsets.items():
            assigned = self._assigned.get(tp)
            if assigned and assigned.ready and assigned.ready[0] == committed.offset:
                assigned.ready = None

    async def settle(self, tps: list[TopicPartition]) -> None:
        """Waits for what was sent for these partitions, and commits it."""
        sends = [
            s for tp in tps if tp in self._assigned for _, _, many in self._assigned[tp].sent for s in many
        ]
        if sends:
            await asyncio.wait(sends)
        await self._commit(tps)

    @contextlib.contextmanager
    def failing(self) -> Iterator[None]:
        """Ends the intake at an exception, which aiokafka would only log."""
        try:
            yield
        except Exception as error:
            self._failure = self._failure or error

    async def take(self, tps: list[TopicPartition]) -> None:
        """Takes partitions over, with the time that was committed with their offsets."""
        # the consumer's own request, which tries again; `committed` would leave the metadata out
        committed = await self._consumer._coordinator.fetch_committed_offsets(tps)
        for tp in tps:
            known = committed.get(tp)
            arrived = int(known.metadata) if known and known.metadata.lstrip("-").isdigit() else None
            self._assigned[tp] = _Assigned(RawClock(arrived), known.offset if known else 0)
        self._taken.set()
        self.ready.set()

    async def give_up(self, tps: list[TopicPartition]) -> None:
        """Lets partitions go, once all that was sent for them is delivered and committed."""
        self._taken.clear()
        await self.settle(tps)
        for tp in tps:
            self._assigned.pop(tp, None)


class _Listener(ConsumerRebalanceListener):  # type: ignore[misc]  # aiokafka has no types
    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    async def on_partitions_revoked(self, revoked: Any) -> None:
        with self._intake.failing():
            await self._intake.give_up(list(revoked))

    async def on_partitions_assigned(self, assigned: Any) -> None:
        with self._intake.failing():
            await self._intake.take(list(assigned))


def _runs(messages: list[Any], size: int) -> Iterator[list[RawRecord]]:
    """The messages as raw records, in runs of a pack each."""
    run: list[RawRecord] = []
    weight = 0
    for message in messages:
        run.append(
            RawRecord(
                message.topic,
                message.partition,
                message.offset,
                message.timestamp,
                message.key,
                message.value,
            )
        )
        weight += len(message.value or b"")
        if len(run) == size or weight >= PACK_BYTES:
            yield run
            run, weight = [], 0
    if run:
        yield run
