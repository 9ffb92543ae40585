"""What travels: raw records, items, packs of them, relations, verdicts and dead letters.

Times inside the flow are milliseconds since 1970; in relations and verdicts they are ISO 8601 in UTC.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, Literal

import numpy as np
import orjson

from streams.signature import Signatures

SCHEMA_VERSION = 1
METHODS_VERSION = "1"
"""Goes into the ids: another version of the methods tells other relations."""

HOUR_MS = 3_600_000

REASONS = {
    "not-utf8": "The bytes are not UTF-8.",
    "not-json": "The bytes are not JSON (raw control characters and lone surrogates are not either).",
    "not-an-object": "The JSON is not an object.",
    "no-id": "The item has no `id`.",
    "bad-id": "The `id` is not a string of 1 to 1,024 printable characters.",
    "no-text": "The item has neither `text` nor `html`.",
    "bad-text": "The `text` or `html` is not a string.",
    "empty-text": "Nothing is left of the text once markup and white space are gone.",
    "too-large": "The message has more bytes than `max_message_bytes`.",
    "too-long": "The text has more characters than `max_text_characters`.",
    "too-many-sentences": "The text has more sentences than `max_sentences`.",
    "sentence-too-long": "A sentence has more characters than `max_sentence_characters`.",
    "control-characters": "More than one in a hundred characters is a control character: this is no text.",
    "no-key": "The message is empty and has no key that would say which item is withdrawn.",
    "stage-failed": "A stage could not work on the item; the message says which and why.",
}

Kind = Literal["duplicate", "containment", "reuse"]
RELATION_TOPICS: dict[Kind, str] = {
    "duplicate": "duplicates",
    "containment": "containments",
    "reuse": "reuse-links",
}
"""On which topic, or in which file, each kind is told."""

Decision = Literal["unique", "duplicate", "contained", "contains", "reuses", "revised", "withdrawn"]


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A message of the bus as it came."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a pack comes from: a run of offsets of one raw partition."""

    topic: str
    partition: int
    first: int
    last: int
    partitions: int
    """How many raw partitions there are; hours expire with the slowest."""
    formed_at: int

    @property
    def pack(self) -> str:
        """The pack's id."""
        return f"{self.topic}:{self.partition}:{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class Item:
    """An item as the methods see it."""

    id: str
    text: str
    digest: str
    """Of the normalized text: the same id with another digest is a new version."""
    time: int
    """Event time."""
    arrived: int
    """How far time had moved in the raw partition when it came."""
    offset: int
    """In the raw partition."""
    title: str | None = None
    source: str | None = None
    lang: str | None = None
    url: str | None = None
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Normalized:
    """A pack of items, on `normalized`."""

    origin: Origin
    items: list[Item]

    def only(self, numbers: list[int]) -> Normalized:
        """The pack with these of its items only."""
        return Normalized(self.origin, [self.items[n] for n in numbers])


@dataclass(frozen=True, slots=True)
class Sentences:
    """A pack of items with the spans of their sentences, on `sentences`."""

    origin: Origin
    items: list[Item]
    spans: list[list[int]]
    """For every item start and end of its sentences in the text, one after the other."""

    def only(self, numbers: list[int]) -> Sentences:
        """The pack with these of its items only."""
        return Sentences(self.origin, [self.items[n] for n in numbers], [self.spans[n] for n in numbers])


@dataclass(frozen=True, slots=True)
class Entry:
    """What is kept of an item beside its signature."""

    id: str
    digest: str
    time: int
    arrived: int
    source: str | None
    offset: int
    withdrawn: bool = False

    @property
    def hour(self) -> int:
        """The hour that owns the item."""
        return self.time // HOUR_MS


@dataclass(frozen=True, slots=True)
class Registration:
    """An item's place in the total order, given by detect partition 0."""

    stamp: int
    floor: int
    """Hours before this one are no longer looked at for it."""
    supersedes: int | None = None
    """Stamp of the version that this one replaces."""
    supersedes_hour: int = 0
    supersedes_digest: str | None = None
    common: tuple[int, ...] = ()
    """Numbers of its sentences that are common passages: no reason for a link."""
    everywhere: tuple[int, ...] = ()
    """Those that are so common that nothing is looked up under them."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the verdict needs of a relation."""

    relation: str
    kind: Kind
    other: str
    stamp: int
    score: float
    contained: bool
    """In a containment: whether the item is the contained one."""


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """A pack of signatures on its way through the detect partitions, on `fingerprints`."""

    origin: Origin
    items: list[Entry]
    signatures: bytes
    registered: list[Registration] = field(default_factory=list)
    """For every item; empty until partition 0 has seen the pack."""
    found: list[list[Found]] = field(default_factory=list)

    def without(self, numbers: list[int]) -> Fingerprints:
        """The pack without these of its items."""
        left = [n for n in range(len(self.items)) if n not in numbers]
        return self.only(left) if numbers else self

    def only(self, numbers: list[int]) -> Fingerprints:
        """The pack with these of its items only."""
        signatures = Signatures.from_bytes(self.signatures).take(np.array(numbers, dtype=np.int64))
        return Fingerprints(
            self.origin,
            [self.items[n] for n in numbers],
            signatures.to_bytes(),
            [self.registered[n] for n in numbers] if self.registered else [],
            [self.found[n] for n in numbers] if self.found else [],
        )


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of sentences that stands in both items."""

    item: tuple[int, int]
    """Start and end in the item's normalized text."""
    other: tuple[int, int]
    same: float
    """Share of the words that is the same."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of each one is found in the other."""

    item: float
    other: float


@dataclass(frozen=True, slots=True)
class Relation:
    """Two items have text in common: on `duplicates`, `containments` or `reuse-links`."""

    id: str
    kind: Kind
    item: str
    """The one that came later."""
    other: str
    published_first: str
    """The one with the earlier event time."""
    item_time: str
    other_time: str
    item_source: str | None
    other_source: str | None
    item_digest: str
    other_digest: str
    score: float
    coverage: Coverage
    container: str | None
    contained: str | None
    passages: list[Passage]
    differs: list[Literal["numbers", "names"]]
    """What differs inside the common text: then it is rather an update, or another story, than a copy."""
    evidence: dict[str, float]
    """The score of every method that ran."""
    versions: dict[str, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of an item: exactly one for every item, on `verdicts`."""

    id: str
    item: str
    digest: str
    time: str
    source: str | None
    decision: Decision
    original: str | None
    """The earliest of the items that it copies."""
    relations: list[str]
    """Ids, strongest first."""
    late: bool
    revises: str | None
    """Digest of the version that this one replaces."""
    versions: dict[str, str]


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that cannot be judged, its bytes unchanged, with the reason."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    stage: str
    reason: str
    message: str

    def headers(self) -> list[tuple[str, bytes]]:
        """The reason as Kafka headers, named as Kafka Streams names them."""
        named = {
            "exception": self.reason,
            "message": self.message,
            "stacktrace": self.stage,
            "topic": self.topic,
            "partition": str(self.partition),
            "offset": str(self.offset),
        }
        return [(f"__streams.errors.{name}", text.encode()) for name, text in named.items()]

    def as_json(self) -> dict[str, Any]:
        """The dead letter as a JSON object, for files: bytes as text where they are UTF-8, else as base64."""
        shown: dict[str, Any] = {
            "reason": self.reason,
            "message": self.message,
            "stage": self.stage,
            "topic": self.topic,
            "partition": self.partition,
            "offset": self.offset,
        }
        for name, content in (("key", self.key), ("value", self.value)):
            try:
                shown[name] = None if content is None else content.decode()
            except UnicodeDecodeError:
                shown[f"{name}_base64"] = base64.b64encode(content or b"").decode()
        return shown


def content_id(*parts: object) -> str:
    """An id that follows from the content: 32 hexadecimal digits.

    >>> content_id("a", 1) == content_id("a", 1) != content_id("a1")
    True
    """
    return hashlib.blake2b(orjson.dumps(parts), digest_size=16).hexdigest()


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def iso(milliseconds: int) -> str:
    """The time as ISO 8601 in UTC.

    >>> iso(0)
    '1970-01-01T00:00:00.000Z'
    """
    moment = _EPOCH + timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
