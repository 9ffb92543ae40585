"""The items that are to be explained, out of the raw records of a file, and what the stream had learned by then."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import orjson

from streams.errors import InputError, Unusable
from streams.records import HOUR_MS, Item, RawRecord, Registration
from streams.settings import Settings
from streams.signature import Signatures
from streams.stages.fingerprint import fingerprint
from streams.stages.isolate import isolate
from streams.stages.normalize import RawClock, normalize, read_item
from streams.stages.split import split
from streams.text.dates import arrival
from streams.window.register import Register

_VERSION = re.compile(r"(.+)@([0-9]+)")
_NEAR = 5


@dataclass(frozen=True, slots=True)
class Version:
    """An item as it stands in a file, where the same id may come back with another text."""

    item: Item
    number: int
    """Of the versions of this id: 1 for the first."""
    versions: int


def find(records: Sequence[RawRecord], wanted: Sequence[str], settings: Settings, now: int) -> list[Version]:
    """For each wanted id its last version; `ID@2` is the second one, where no item has that as its id.

    Raises a `LookupError` that names near ids where there is none, and an `InputError` where it cannot be judged.
    """
    bases = {match[1] for name in wanted if (match := _VERSION.fullmatch(name))}
    found: dict[str, list[Item]] = {}
    unusable: dict[str, Unusable] = {}
    ids: dict[str, None] = {}
    for record, arrived in _arrivals(records, settings, now):
        id_ = _id_of(record)
        if id_ is None:
            continue
        ids[id_] = None
        if id_ not in wanted and id_ not in bases:
            continue
        try:
            item = read_item(record, arrived, settings)
        except Unusable as error:
            unusable[id_] = error
            continue
        versions = found.setdefault(id_, [])
        if item.digest not in {known.digest for known in versions}:  # else it was only delivered again
            versions.append(item)
    return [_choose(name, found, unusable, list(ids)) for name in wanted]


def _choose(
    name: str, found: dict[str, list[Item]], unusable: dict[str, Unusable], ids: list[str]
) -> Version:
    match = _VERSION.fullmatch(name)
    if name in found:
        return Version(found[name][-1], len(found[name]), len(found[name]))
    if name in unusable:
        raise InputError(f"{name} cannot be judged: {unusable[name]}")
    if match and match[1] in found:
        versions, number = found[match[1]], int(match[2])
        if 1 <= number <= len(versions):
            return Version(versions[number - 1], number, len(versions))
        raise LookupError(
            f"{match[1]} has {len(versions)} version{'s' * (len(versions) > 1)}, no number {number}"
        )
    near = difflib.get_close_matches(name, ids, _NEAR, 0.5)
    hint = (
        f"near are {', '.join(near)}" if near else f"the first of {len(ids)} ids are {', '.join(ids[:_NEAR])}"
    )
    raise LookupError(f"no item {name}; {hint if ids else 'there are no items at all'}")


def learned(records: Sequence[RawRecord], item: Item, settings: Settings, now: int) -> Registration:
    """What detect partition 0 noted of the item: which of its sentences are common passages, and everywhere.

    Passages are counted in the records before it whose hours would still be kept.
    """
    kept = (settings.window_hours + settings.grace_hours) * HOUR_MS
    before = [
        (record, arrived)
        for record, arrived in _arrivals(records, settings, now)
        if record.offset <= item.offset and arrived >= item.arrived - kept
    ]
    register = Register(_Nowhere(), settings.window_hours, settings.grace_hours, settings.silence_seconds)
    clock = RawClock(before[0][1])
    for first in range(0, len(before), settings.pack_items):
        run = [record for record, _ in before[first : first + settings.pack_items]]
        normalized, _ = normalize(run, clock, settings, partitions=1, now=now)
        if normalized is None:
            continue
        sentences, _ = isolate("split", split, normalized)
        pack, _ = isolate("fingerprint", lambda found: fingerprint(found, ()), sentences)
        pack = register.register(pack, Signatures.from_bytes(pack.signatures))
        for entry, known in zip(pack.items, pack.registered, strict=True):
            if entry.offset == item.offset:
                return known
    raise InputError(f"{item.id} cannot be judged: a stage fails on it")


class _Nowhere:
    """A store that keeps nothing: what is learned here is needed only once."""

    def get(self, key: bytes) -> bytes | None:
        return None

    def put(self, key: bytes, value: bytes) -> None:
        pass

    def scan(self) -> Iterator[tuple[bytes, bytes]]:
        return iter(())

    def drop_before(self, hour: int) -> None:
        pass


def _arrivals(records: Sequence[RawRecord], settings: Settings, now: int) -> Iterator[tuple[RawRecord, int]]:
    arrived: int | None = None
    for record in records:
        arrived = arrival(arrived, record.timestamp, now, settings.ahead_minutes * 60_000)
        yield record, arrived


def _id_of(record: RawRecord) -> str | None:
    try:
        fields = orjson.loads(record.value or b"")
    except orjson.JSONDecodeError:
        return None
    id_ = fields.get("id") if isinstance(fields, dict) else None
    return id_ if isinstance(id_, str) else None
