"""Stage 1: raw records become items: fields read, markup and furniture stripped, text repaired, time settled."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from streams.errors import Unusable
from streams.records import DeadLetter, Item, Normalized, Origin, RawRecord
from streams.settings import Settings
from streams.stages.split import split_text
from streams.text.dates import arrival, event_time, read_date
from streams.text.markup import has_markup, text_of_html, unescape
from streams.text.repair import repair

_LONG = 20_000  # characters; only longer texts can be over the limits for sentences


@dataclass(slots=True)
class RawClock:
    """How far time has moved in one raw partition."""

    arrived: int | None = None


def normalize(
    records: Sequence[RawRecord], clock: RawClock, settings: Settings, *, partitions: int, now: int
) -> tuple[Normalized | None, list[DeadLetter]]:
    """A pack of the usable ones among the records of one raw partition, and dead letters for the others."""
    items: list[Item] = []
    dead: list[DeadLetter] = []
    ahead = settings.ahead_minutes * 60_000
    for record in records:
        clock.arrived = arrival(clock.arrived, record.timestamp, now, ahead)
        try:
            items.append(read_item(record, clock.arrived, settings))
        except Unusable as error:
            dead.append(_dead_letter(record, error.reason, error.detail))
        except Exception as error:  # what nobody thought of must not stop the stream
            dead.append(_dead_letter(record, "stage-failed", f"{type(error).__name__}: {error}"))
    if not items:
        return None, dead
    first, last = records[0], records[-1]
    origin = Origin(first.topic, first.partition, first.offset, last.offset, partitions, now)
    return Normalized(origin, items), dead


def _dead_letter(record: RawRecord, reason: str, message: str) -> DeadLetter:
    return DeadLetter(
        record.topic,
        record.partition,
        record.offset,
        record.key,
        record.value,
        "normalize",
        reason,
        message,
    )


def read_item(record: RawRecord, arrived: int, settings: Settings) -> Item:
    """The item in a raw record; raises `Unusable`."""
    if not record.value:
        return _withdrawal(record, arrived)
    fields = _read_object(record.value, settings.max_message_bytes)
    id_ = _read_id(fields)
    text = _read_text(fields, settings)
    published = read_date(fields.get("published_at"))
    return Item(
        id=id_,
        text=text,
        digest=hashlib.blake2b(text.encode(), digest_size=12).hexdigest(),
        time=event_time(published, arrived, settings.window_hours, settings.ahead_minutes * 60_000),
        arrived=arrived,
        offset=record.offset,
        title=_optional(fields, "title"),
        source=_optional(fields, "source"),
        lang=_optional(fields, "lang"),
        url=_optional(fields, "url"),
    )


def _withdrawal(record: RawRecord, arrived: int) -> Item:
    """An empty message with a key takes the item of that id out of the window."""
    if not record.key:
        raise Unusable("no-key", "an empty message without a key")
    try:
        id_ = record.key.decode()
    except UnicodeDecodeError:
        raise Unusable("not-utf8", "the key of an empty message") from None
    _check_id(id_)
    return Item(
        id=id_, text="", digest="", time=arrived, arrived=arrived, offset=record.offset, withdrawn=True
    )


def _read_object(value: bytes, most: int) -> dict[str, Any]:
    if len(value) > most:
        raise Unusable("too-large", f"{len(value)} bytes; max_message_bytes is {most}")
    try:
        fields = orjson.loads(value)
    except orjson.JSONDecodeError as error:
        try:
            value.decode()
        except UnicodeDecodeError as not_text:
            raise Unusable("not-utf8", f"byte {not_text.start} of {len(value)}") from None
        raise Unusable("not-json", str(error)) from None
    if not isinstance(fields, dict):
        raise Unusable("not-an-object", f"a JSON {type(fields).__name__}")
    return fields


def _read_id(fields: dict[str, Any]) -> str:
    id_ = fields.get("id")
    if id_ is None:
        raise Unusable("no-id", f"fields are {', '.join(list(fields)[:12])[:200] or 'none'}")
    return _check_id(id_)


def _check_id(id_: object) -> str:
    if not isinstance(id_, str) or not 1 <= len(id_) <= 1024 or not id_.isprintable():
        raise Unusable("bad-id", f"{type(id_).__name__} {str(id_)[:80]!r}")
    return id_


def _read_text(fields: dict[str, Any], settings: Settings) -> str:
    name = "html" if fields.get("html") and not fields.get("text") else "text"
    raw = fields.get(name)
    if raw is None:
        raise Unusable("no-text", f"fields are {', '.join(list(fields)[:12])[:200]}")
    if not isinstance(raw, str):
        raise Unusable("bad-text", f"{name} is {type(raw).__name__}")
    if len(raw) > settings.max_text_characters:
        raise Unusable(
            "too-long", f"{len(raw)} characters; max_text_characters is {settings.max_text_characters}"
        )
    text = repair(text_of_html(raw) if name == "html" or has_markup(raw) else unescape(raw))
    if not text:
        raise Unusable("empty-text", f"{name} has {len(raw)} characters, none of them readable")
    if len(text) > min(_LONG, settings.max_sentence_characters):
        _check_sentences(text, _optional(fields, "lang"), settings)
    return text


def _check_sentences(text: str, lang: str | None, settings: Settings) -> None:
    """Whether the text can be split; asked here, where the raw bytes are at hand for a dead letter."""
    spans = split_text(text, lang)
    if len(spans) > 2 * settings.max_sentences:
        raise Unusable("too-many-sentences", f"{len(spans) // 2}; max_sentences is {settings.max_sentences}")
    longest = max((end - start for start, end in zip(spans[::2], spans[1::2], strict=True)), default=0)
    if longest > settings.max_sentence_characters:
        raise Unusable(
            "sentence-too-long",
            f"{longest} characters; max_sentence_characters is {settings.max_sentence_characters}",
        )


def _optional(fields: dict[str, Any], name: str) -> str | None:
    """A field that helps but is not needed: anything but a string counts as missing."""
    value = fields.get(name)
    return value[:1024] if isinstance(value, str) and value else None
