"""The register, in detect partition 0: every item's stamp, its place in the total order.

All packs pass partition 0 first, in one order. It gives each item the next stamp, knows a re-delivery (same
id, same text: it gets the stamp and the time that it had) and a new version (same id, other text), and settles
how far time has moved. Everything that could come out differently a second time is decided here and
remembered, so that whatever happens after a crash, the rest of the chain does the same again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import orjson

from streams.errors import StateError
from streams.records import HOUR_MS, Entry, Fingerprints, Origin, Registration
from streams.window.keys import REGISTER, hour_key, read_key
from streams.window.store import Store

VERSION = 1
"""Of what is stored."""


class Version(NamedTuple):
    """A text that was seen under an id."""

    digest: str
    time: int
    registration: Registration


@dataclass(slots=True)
class Watermark:
    """How far time has moved in one raw partition, and when that was last heard."""

    time: int
    heard: int


class Register:
    """Stamps, versions and time."""

    def __init__(self, store: Store, window_hours: int, grace_hours: int, silence_seconds: int) -> None:
        self._store = store
        self._keep = window_hours + grace_hours
        self._silence = silence_seconds * 1000
        self._versions: dict[str, list[Version]] = {}
        self._ids_by_hour: dict[int, list[str]] = {}
        self._watermarks: dict[tuple[str, int], Watermark] = {}
        self._first_heard: int | None = None
        self.next_stamp = 1
        self._floor = -(1 << 31)
        for key, value in store.scan():
            hour, kind, _ = read_key(key)
            if kind == REGISTER:
                version_of_rows, rows = orjson.loads(value)
                if version_of_rows != VERSION:
                    raise StateError(f"a register of version {version_of_rows}; this release reads {VERSION}")
                for id_, digest, time, stamp, floor, supersedes, old_hour, old_digest in rows:
                    known = Registration(stamp, floor, supersedes, old_hour, old_digest)
                    self._remember(hour, id_, Version(digest, time, known))
        for versions in self._versions.values():
            versions.sort(key=lambda version: version.registration.stamp)

    def register(self, pack: Fingerprints) -> Fingerprints:
        """The pack with a registration for each item, and with the event times that count."""
        floor = self._move_time(pack.origin)
        items: list[Entry] = []
        registered: list[Registration] = []
        new: list[tuple[str, Version]] = []
        for item in pack.items:
            version = self._known(item)
            if version is None:
                version = self._new_version(item, floor)
                new.append((item.id, version))
            items.append(item if version.time == item.time else replace(item, time=version.time))
            registered.append(version.registration)
        if new:
            hour = max(version.time for _, version in new) // HOUR_MS
            name = f"{pack.origin.pack}:{new[0][1].registration.stamp}".encode()
            self._store.put(hour_key(hour, REGISTER, name), _encode(new))
            for id_, version in new:
                self._ids_by_hour.setdefault(hour, []).append(id_)
        return replace(pack, items=items, registered=registered)

    def drop_before(self, hour: int) -> None:
        """Forgets the items of earlier hours."""
        for old in [known for known in self._ids_by_hour if known < hour]:
            for id_ in self._ids_by_hour.pop(old):
                kept = [v for v in self._versions.get(id_, ()) if v.time // HOUR_MS >= hour]
                if kept:
                    self._versions[id_] = kept
                else:
                    self._versions.pop(id_, None)

    def _known(self, item: Entry) -> Version | None:
        return next((v for v in self._versions.get(item.id, ()) if v.digest == item.digest), None)

    def _new_version(self, item: Entry, floor: int) -> Version:
        earlier = self._versions.get(item.id)
        if earlier:
            old = earlier[-1]
            registration = Registration(
                self.next_stamp, floor, old.registration.stamp, old.time // HOUR_MS, old.digest
            )
        else:
            registration = Registration(self.next_stamp, floor)
        version = Version(item.digest, item.time, registration)
        self.next_stamp += 1
        self._versions.setdefault(item.id, []).append(version)
        return version

    def _remember(self, hour: int, id_: str, version: Version) -> None:
        self._versions.setdefault(id_, []).append(version)
        self._ids_by_hour.setdefault(hour, []).append(id_)
        self.next_stamp = max(self.next_stamp, version.registration.stamp + 1)
        self._floor = max(self._floor, version.registration.floor)

    def _move_time(self, origin: Origin) -> int:
        """The hour before which nothing is looked at any more: time moves with the slowest raw partition.

        A raw partition that was silent for long no longer counts; one that was never heard of counts until
        then. The pack's own clock tells how long, so that a second pass comes out the same.
        """
        where = (origin.topic, origin.partition)
        known = self._watermarks.setdefault(where, Watermark(origin.watermark, origin.formed_at))
        known.time = max(known.time, origin.watermark)
        known.heard = max(known.heard, origin.formed_at)
        if self._first_heard is None:
            self._first_heard = origin.formed_at
        waiting = origin.formed_at - self._first_heard < self._silence
        if len(self._watermarks) >= origin.partitions or not waiting:
            heard = [w.time for w in self._watermarks.values() if origin.formed_at - w.heard < self._silence]
            self._floor = max(self._floor, min(heard) // HOUR_MS - self._keep)
        return self._floor


def _encode(new: list[tuple[str, Version]]) -> bytes:
    return orjson.dumps([VERSION, [_row(id_, version) for id_, version in new]])


def _row(id_: str, version: Version) -> list[object]:
    known = version.registration
    return [
        id_,
        version.digest,
        version.time,
        known.stamp,
        known.floor,
        known.supersedes,
        known.supersedes_hour,
        known.supersedes_digest,
    ]
