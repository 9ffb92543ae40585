"""The topics: which there are, who writes and reads them, and how they are made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, for_code

from streams.errors import BusError
from streams.records import HOUR_MS
from streams.settings import Settings

TABLE = "window"


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic that the settings ask for."""

    name: str
    """Without the prefix."""
    full_name: str
    partitions: int
    config: dict[str, str]
    written_by: str
    read_by: str
    content: str


def group(settings: Settings, stage: str) -> str:
    """The consumer group of a stage: stages scale apart."""
    return f"{settings.group_prefix}{stage}"


def topic_name(settings: Settings, name: str) -> str:
    """The full name of one of copydesk's own topics."""
    return f"{settings.topic_prefix}{name}"


def topics(settings: Settings) -> list[Topic]:
    """copydesk's own topics, in the order of the flow."""
    largest = str(2 * settings.max_message_bytes + 1_048_576)
    kept = {"cleanup.policy": "delete", "retention.ms": str(settings.retention_hours * HOUR_MS)}
    # by the time of writing, not of the event: a backfill of old items must not be deleted as it is written
    kept |= {"message.timestamp.type": "LogAppendTime", "max.message.bytes": largest}
    # state lives for window and grace, and the hour that is under way; no entry needs a tombstone
    state_hours = settings.window_hours + settings.grace_hours + 2
    state = kept | {
        "cleanup.policy": "compact,delete",
        "retention.ms": str(state_hours * HOUR_MS),
        "segment.ms": str(HOUR_MS),
    }
    flow = settings.stage_partitions

    def topic(name: str, partitions: int, config: dict[str, str], *words: str) -> Topic:
        return Topic(name, topic_name(settings, name), partitions, config, *words)

    changelog = f"{group(settings, 'detect')}-{TABLE}-changelog"
    return [
        topic("normalized", flow, kept, "normalize", "split", "packs of items with clean text"),
        topic("sentences", flow, kept, "split", "fingerprint", "packs of items with sentence spans"),
        topic(
            "fingerprints", settings.partitions, kept, "fingerprint, detect", "detect", "packs of signatures"
        ),
        topic("duplicates", flow, kept, "detect", "consumers", "relations: the same text"),
        topic("containments", flow, kept, "detect", "consumers", "relations: one text inside another"),
        topic("reuse-links", flow, kept, "detect", "consumers", "relations: some sentences in common"),
        topic("verdicts", flow, kept, "detect", "consumers", "one decision for every item"),
        topic(
            "dead-letters",
            flow,
            kept,
            "normalize, split, fingerprint",
            "operators",
            "what could not be judged, unchanged",
        ),
        Topic(
            changelog, changelog, settings.partitions, state, "detect", "detect", "the table, for recovery"
        ),
    ]


def raw_topic(settings: Settings, name: str) -> Topic:
    """A raw topic, for trials: on a real bus it is there."""
    # published with the dates of its items, an old sample must not be deleted for its age at once
    config = {"max.message.bytes": str(settings.max_message_bytes + 1_048_576), "retention.ms": "-1"}
    return Topic(name, name, settings.stage_partitions, config, "the bus", "normalize", "items as they come")


@dataclass(frozen=True, slots=True)
class Found:
    """What is on the broker for a topic that is asked for."""

    topic: Topic
    partitions: int | None
    """None where it is missing."""

    @property
    def state(self) -> str:
        """`missing`, `ok`, or what is wrong."""
        if self.partitions is None:
            return "missing"
        if self.partitions != self.topic.partitions:
            return f"has {self.partitions} partitions"
        return "ok"


class Admin:
    """A connection to the broker for looking at topics and making them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client = AIOKafkaAdminClient(bootstrap_servers=settings.broker, client_id="copydesk-admin")

    async def __aenter__(self) -> Admin:
        try:
            await self._client.start()
        except KafkaError as error:
            raise BusError(f"cannot reach the broker at {self._settings.broker}: {error}") from None
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def partitions(self, names: Iterable[str]) -> dict[str, int]:
        """How many partitions each of these topics has; those that do not exist are left out."""
        described = await self._client.describe_topics(list(names))
        return {t["topic"]: len(t["partitions"]) for t in described if t["error_code"] == 0}

    async def look(self) -> list[Found]:
        """What is there of the topics that are asked for."""
        wanted = topics(self._settings)
        there = await self.partitions(topic.full_name for topic in wanted)
        return [Found(topic, there.get(topic.full_name)) for topic in wanted]

    async def create(self, topic: Topic) -> None:
        """Makes the topic."""
        name, replication = topic.full_name, self._settings.replication
        wanted = NewTopic(name, topic.partitions, replication, topic_configs=topic.config)
        try:
            answer = await self._client.create_topics([wanted])
        except KafkaError as error:
            raise BusError(f"cannot make topic {name}: {error}") from None
        for _, code, *message in answer.topic_errors:
            refusal = for_code(code)
            if code and refusal is not TopicAlreadyExistsError:
                raise BusError(
                    f"cannot make topic {name}: {refusal.__name__} {message[0] if message else ''}"
                )

    async def config(self, name: str) -> dict[str, str]:
        """The configuration of a topic."""
        found = await self._client.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name)])
        entries: list[Any] = found[0].resources[0][4]
        return {entry[0]: entry[1] for entry in entries}


async def check_topics(settings: Settings) -> dict[str, int]:
    """The partitions of the raw topics; raises where topics are missing or of the wrong shape."""
    async with Admin(settings) as admin:
        wrong = [found for found in await admin.look() if found.state != "ok"]
        raw = await admin.partitions(settings.raw_topics)
    if wrong:
        listed = ", ".join(f"{found.topic.full_name} ({found.state})" for found in wrong)
        raise BusError(
            f"topics are not as they should be: {listed}. `copydesk topics --create` makes missing ones."
        )
    if missing := [name for name in settings.raw_topics if name not in raw]:
        raise BusError(
            f"no raw topic {', '.join(missing)} at {settings.broker}; set raw_topics to the bus's own, "
            "or make it for a trial with `copydesk topics --create --raw`"
        )
    return raw
