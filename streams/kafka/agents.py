"""The Faust agents: each decodes a pack, calls its stage, and sends; nothing is decided here.

An event is acknowledged when the broker has acknowledged all that was sent and stored for it, in order.
A stage is a Faust app of its own, with its own consumer group, so that stages scale apart.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import faust
from faust.types import TP

from streams.codec import decode_fingerprints, decode_normalized, decode_sentences, encode
from streams.kafka.acknowledge import InOrder
from streams.kafka.handed_on import HandedOn
from streams.kafka.producer import AcknowledgedTable
from streams.kafka.table import TableStore
from streams.kafka.topics import TABLE, group, topic_name
from streams.kafka.transport import fence
from streams.records import RELATION_TOPICS, DeadLetter, Fingerprints, Normalized, Relation, Sentences
from streams.settings import Settings
from streams.stages.detect import Detector
from streams.stages.fingerprint import fingerprint
from streams.stages.isolate import isolate
from streams.stages.split import split
from streams.stages.verdict import judge

OnFailure = Callable[[BaseException], None]
Sends = list["asyncio.Future[Any]"]
Stream = Any
"""A Faust stream: its own types do not know `noack`."""


def make_app(settings: Settings, stage: str) -> faust.App:
    """A fenced Faust app for a stage, without agents."""
    folder = settings.state_dir / stage
    folder.mkdir(parents=True, exist_ok=True)
    largest = 2 * settings.max_message_bytes + 1_048_576
    return fence(
        faust.App(
            group(settings, stage),
            broker=[f"kafka://{address.strip()}" for address in settings.broker.split(",")],
            store="rocksdb://",
            datadir=str(folder),
            Table=AcknowledgedTable,
            autodiscover=False,
            web_enabled=False,
            topic_allow_declare=False,  # `copydesk topics` makes them, with the right configuration
            topic_disable_leader=True,
            table_standby_replicas=0,
            processing_guarantee="at_least_once",
            value_serializer="raw",
            consumer_auto_offset_reset="earliest",
            broker_commit_interval=settings.commit_seconds,
            broker_session_timeout=settings.session_seconds,
            broker_heartbeat_interval=settings.session_seconds * 0.3,
            broker_request_timeout=300.0,
            producer_acks=-1,
            producer_linger=0.005,
            producer_max_batch_size=1_048_576,
            producer_max_request_size=largest,
            stream_buffer_maxsize=256,  # packs of tens of kilobytes
            stream_wait_empty=False,
            stream_recovery_delay=0.0,
        )
    )


class Sender:
    """Sends records through an app's producer; each send gives a future of the broker's acknowledgement."""

    def __init__(self, app: faust.App, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def pack(self, name: str, pack: Normalized | Sentences | Fingerprints, partition: int) -> Sends:
        """Sends a pack to a partition."""
        return [await self._send(name, None, encode(pack), partition)]

    async def relations(self, relations: list[Relation]) -> Sends:
        """Sends each relation, keyed by its id."""
        return [
            await self._send(RELATION_TOPICS[relation.kind], relation.id.encode(), encode(relation))
            for relation in relations
        ]

    async def verdicts(self, pack: Fingerprints) -> Sends:
        """Sends a verdict for each item, keyed by the item."""
        return [
            await self._send("verdicts", verdict.item.encode(), encode(verdict))
            for verdict in judge(pack, self._settings.window_hours)
        ]

    async def dead_letters(self, letters: list[DeadLetter]) -> Sends:
        """Sends dead letters as they came, with the reason in headers."""
        return [
            await self._send("dead-letters", letter.key, letter.value, headers=dict(letter.headers()))
            for letter in letters
        ]

    async def _send(
        self,
        name: str,
        key: bytes | None,
        value: bytes | None,
        partition: int | None = None,
        headers: dict[str, bytes] | None = None,
    ) -> asyncio.Future[Any]:
        topic = topic_name(self._settings, name)
        producer: Any = self._app.producer  # ours, which gives futures
        sent: asyncio.Future[Any] = await producer.send(topic, key, value, partition, None, headers)
        return sent


def split_app(settings: Settings, on_failure: OnFailure) -> faust.App:
    """The app of stage `split`."""
    return _relay(settings, on_failure, "split", "normalized", decode_normalized, split, "sentences")


def fingerprint_app(settings: Settings, on_failure: OnFailure) -> faust.App:
    """The app of stage `fingerprint`: all its packs go to partition 0, where the chain begins."""
    stage = partial(fingerprint, methods=settings.methods)
    return _relay(
        settings, on_failure, "fingerprint", "sentences", decode_sentences, stage, "fingerprints", partition=0
    )


def _relay(
    settings: Settings,
    on_failure: OnFailure,
    name: str,
    source: str,
    decode: Callable[[bytes], Any],
    stage: Callable[[Any], Any],
    target: str,
    partition: int | None = None,
) -> faust.App:
    """The app of a stage that keeps nothing: packs go to this partition, or to that from which they came."""
    app = make_app(settings, name)
    sender, handed_on = Sender(app, settings), HandedOn()

    async def work(stream: Stream) -> None:
        async with InOrder(on_failure, settings.in_flight) as done:
            async for event in stream.noack().events():
                came_from = event.message.partition
                pack = handed_on.fresh(came_from, decode(event.value))
                sends: Sends = []
                if pack is not None:
                    result, dead = isolate(name, stage, pack)
                    if result.items:
                        sends += await sender.pack(
                            target, result, came_from if partition is None else partition
                        )
                    sends += await sender.dead_letters(dead)
                    handed_on.note(came_from, pack)
                await done.append(event, sends)

    _agent(app, settings, source, work)
    return app


def detect_app(settings: Settings, on_failure: OnFailure) -> faust.App:
    """The app of stage `detect`: the chain of partitions, each with its hours in the table."""
    app = make_app(settings, "detect")
    table: Any = app.Table(
        TABLE,
        key_type=bytes,
        value_type=bytes,
        partitions=settings.partitions,
        options={
            "block_cache_size": 16 * 1024 * 1024,
            "write_buffer_size": 16 * 1024 * 1024,
            "max_open_files": 256,
            "bloom_filter_size": 10,
        },
    )
    sender, handed_on = Sender(app, settings), HandedOn()
    detectors: dict[int, Detector] = {}
    expiring: dict[int, deque[tuple[int, int]]] = {}

    def detector_of(number: int) -> Detector:
        """The detector of a partition, rebuilt from the table after the partition came to this worker."""
        if number not in detectors:
            detectors[number] = Detector(number, settings, TableStore(table, number))
            expiring[number] = deque()
        return detectors[number]

    def expire(detector: Detector, tp: TP) -> None:
        """Drops the hours that no pack needs which could come again after a crash: all that is committed."""
        consumer: Any = app.consumer  # the fenced one
        waiting, committed = expiring[detector.partition], consumer.committed(tp)
        while waiting and committed is not None and waiting[0][0] < committed:
            detector.drop_before(waiting.popleft()[1])

    async def work(stream: Stream) -> None:
        async with InOrder(on_failure, settings.in_flight) as done:
            async for event in stream.noack().events():
                message = event.message
                pack = handed_on.fresh(message.partition, decode_fingerprints(event.value))
                sends: Sends = []
                if pack is not None:
                    detector = detector_of(message.partition)
                    expire(detector, message.tp)
                    relations, result = detector.detect(pack)
                    sends += await sender.relations(relations)
                    if not result.items:  # all were answered long ago
                        pass
                    elif detector.last:
                        sends += await sender.verdicts(result)
                    else:
                        sends += await sender.pack("fingerprints", result, detector.partition + 1)
                    handed_on.note(message.partition, pack)
                    floor = max((known.floor for known in result.registered), default=-(1 << 31))
                    waiting = expiring[message.partition]
                    if not waiting or waiting[-1][1] < floor:
                        waiting.append((message.offset, floor))
                await done.append(event, [*sends, *table.sends(event)])

    async def keep_what_is_ours(app: Any, assigned: set[TP], **_: Any) -> None:
        ours = {tp.partition for tp in assigned if tp.topic == topic_name(settings, "fingerprints")}
        for number in [known for known in detectors if known not in ours]:
            del detectors[number]

    _agent(app, settings, "fingerprints", work)
    signal: Any = app.on_partitions_assigned
    signal.connect(keep_what_is_ours)
    return app


STAGES: dict[str, Callable[[Settings, OnFailure], faust.App]] = {
    "split": split_app,
    "fingerprint": fingerprint_app,
    "detect": detect_app,
}


def _agent(app: faust.App, settings: Settings, name: str, work: Callable[[Stream], Any]) -> None:
    topic = app.topic(topic_name(settings, name), key_type=bytes, value_type=bytes)
    app.agent(topic, name=f"{app.conf.id}.{name}", concurrency=1)(work)
