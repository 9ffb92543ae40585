"""The register, in detect partition 0: every item's stamp, its place in the total order.

All packs pass partition 0 first, in one order. It gives each item the next stamp, knows a re-delivery (same
id, same text: it gets the stamp and the time that it had) and a new version (same id, other text), and settles
how far time has moved. Everything that could come out differently a second time is decided here and
remembered, so that whatever happens after a crash, the rest of the chain does the same again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import orjson

from streams import columns
from streams.errors import StateError
from streams.records import HOUR_MS, Entry, Fingerprints, Origin, Registration
from streams.signature import Ragged, Signatures
from streams.window.keys import REGISTER, hour_key, read_key
from streams.window.passages import (
    COMMON,
    EVERYWHERE,
    Passages,
    Sightings,
    passage_keys,
    seen_in_more_than,
    story_sketches,
)
from streams.window.store import Store

VERSION = 1
"""Of what is stored."""
_FAR = 1 << 62


class Version(NamedTuple):
    """A text that was seen under an id."""

    digest: str
    """Empty for a withdrawal."""
    time: int
    place: str
    """The raw partition in which it came first, ..."""
    offset: int
    """... and where in it."""
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
        self._window = window_hours
        self._keep = window_hours + grace_hours
        self._silence = silence_seconds * 1000
        self._versions: dict[str, list[Version]] = {}
        self._ids_by_hour: dict[int, list[str]] = {}
        self._watermarks: dict[tuple[str, int], Watermark] = {}
        self._first_heard: int | None = None
        self._passages = Passages()
        self.next_stamp = 1
        self.last_offset = -1
        self._floor = -(1 << 31)
        self._dropped = -(1 << 31)
        stored = []
        for key, value in store.scan():
            hour, kind, _ = read_key(key)
            if kind == REGISTER:
                rows, sightings = _decode(value)
                stored.append((rows[0][1].registration.stamp, hour, rows, sightings))
        for _, hour, rows, sightings in sorted(stored, key=lambda entry: entry[0]):
            for id_, version in rows:
                self._remember(hour, id_, version)
            self._passages.restore(hour, sightings)
        for versions in self._versions.values():
            versions.sort(key=lambda version: version.registration.stamp)

    def register(self, pack: Fingerprints, signatures: Signatures) -> Fingerprints:
        """The pack with a registration for each item, and with the event times that count."""
        others, place = self._slowest_other(pack.origin), _place(pack.origin)
        versions: list[Version] = []
        new: list[int] = []
        for number, item in enumerate(pack.items):
            self._move_time(item.arrived, others)
            version = self._known(item, place)
            if version is None:
                version = self._new_version(item, place)
                new.append(number)
            versions.append(version)
        flagged = self._flag_common(pack, signatures, versions, new) if new else {}
        self._heard(pack)
        items = [replace(item, time=v.time) for item, v in zip(pack.items, versions, strict=True)]
        registered = [flagged.get(v.registration.stamp, v.registration) for v in versions]
        return replace(pack, items=items, registered=registered)

    def _flag_common(
        self, pack: Fingerprints, signatures: Signatures, versions: list[Version], new: list[int]
    ) -> dict[int, Registration]:
        """The registrations of the new items by stamp, with their common passages; stores them."""
        hour = max(pack.items[number].hour for number in new)
        chosen = signatures.take(np.array(new))
        sightings = self._passages.see(hour, passage_keys(chosen), story_sketches(chosen))
        common, everywhere = (seen_in_more_than(sightings, stories) for stories in (COMMON, EVERYWHERE))
        rows: list[tuple[str, Version]] = []
        for row, number in enumerate(new):
            version = versions[number]
            registration = replace(version.registration, common=common[row], everywhere=everywhere[row])
            rows.append((pack.items[number].id, version._replace(registration=registration)))
            known = self._versions[pack.items[number].id]
            known[known.index(version)] = rows[-1][1]
        name = f"{pack.origin.pack}:{rows[0][1].registration.stamp}".encode()
        self._store.put(hour_key(hour, REGISTER, name), _encode(rows, sightings))
        self._ids_by_hour.setdefault(hour, []).extend(id_ for id_, _ in rows)
        return {version.registration.stamp: version.registration for _, version in rows}

    def answered(self, pack: Fingerprints) -> list[int]:
        """The numbers of re-delivered items that were answered long ago, and cannot be judged again.

        What they were compared with has left. It leaves only after a commit of what came later than they,
        so the answer has surely gone out; one that was late already is judged by what there is.
        """
        place = _place(pack.origin)
        numbers = []
        for number, item in enumerate(pack.items):
            version = self._known(item, place)
            if version is not None:
                needed = version.time // HOUR_MS - self._window
                if version.registration.floor <= needed < self._dropped:
                    numbers.append(number)
        return numbers

    def drop_before(self, hour: int) -> None:
        """Forgets the items of earlier hours."""
        if hour <= self._dropped:
            return
        self._dropped = hour
        self._passages.drop_before(hour)
        for old in [known for known in self._ids_by_hour if known < hour]:
            for id_ in self._ids_by_hour.pop(old):
                kept = [v for v in self._versions.get(id_, ()) if v.time // HOUR_MS >= hour]
                if kept:
                    self._versions[id_] = kept
                else:
                    self._versions.pop(id_, None)

    def _known(self, item: Entry, place: str) -> Version | None:
        """The version that this is a re-delivery of.

        What comes after a withdrawal in the same raw partition is no re-delivery of what came before it.
        """
        versions = self._versions.get(item.id, [])
        for version in versions:
            if (version.place, version.offset, version.digest) == (place, item.offset, item.digest):
                return version
        versions = self._kept(versions)
        same = [version for version in versions if version.digest == item.digest]
        if not same:
            return None
        latest = versions[-1]
        withdrawn = not latest.digest or item.withdrawn
        if latest is not same[-1] and withdrawn and latest.place == place and item.offset > latest.offset:
            return None
        return same[-1]

    def _kept(self, versions: list[Version]) -> list[Version]:
        """Those whose hours are still looked at, whether or not the others were dropped by now."""
        return [version for version in versions if version.time // HOUR_MS >= self._floor]

    def _new_version(self, item: Entry, place: str) -> Version:
        registration = Registration(self.next_stamp, self._floor)
        earlier = self._kept(self._versions.get(item.id, []))
        if earlier and earlier[-1].digest:
            old = earlier[-1]
            registration = replace(
                registration,
                supersedes=old.registration.stamp,
                supersedes_hour=old.time // HOUR_MS,
                supersedes_digest=old.digest,
            )
        version = Version(item.digest, item.time, place, item.offset, registration)
        self.last_offset = max(self.last_offset, item.offset)
        self.next_stamp += 1
        self._versions.setdefault(item.id, []).append(version)
        return version

    def _remember(self, hour: int, id_: str, version: Version) -> None:
        self._versions.setdefault(id_, []).append(version)
        self._ids_by_hour.setdefault(hour, []).append(id_)
        self.next_stamp = max(self.next_stamp, version.registration.stamp + 1)
        self.last_offset = max(self.last_offset, version.offset)
        self._floor = max(self._floor, version.registration.floor)

    def _slowest_other(self, origin: Origin) -> int | None:
        """How far the slowest of the other raw partitions is; None while one was never heard of.

        A raw partition that was silent for long no longer counts; one that was never heard of counts until
        then. The pack's own clock tells how long, so that a second pass comes out the same.
        """
        if self._first_heard is None:
            self._first_heard = origin.formed_at
        where = (origin.topic, origin.partition)
        others = {raw: mark for raw, mark in self._watermarks.items() if raw != where}
        waiting = origin.formed_at - self._first_heard < self._silence
        if len(others) + 1 < origin.partitions and waiting:
            return None
        heard = [mark.time for mark in others.values() if origin.formed_at - mark.heard < self._silence]
        return min(heard, default=_FAR)

    def _move_time(self, arrived: int, others: int | None) -> None:
        """Moves the hour before which nothing is looked at any more, with the slowest raw partition."""
        if others is not None:
            self._floor = max(self._floor, min(arrived, others) // HOUR_MS - self._keep)

    def _heard(self, pack: Fingerprints) -> None:
        """Notes how far the pack's raw partition is."""
        where = (pack.origin.topic, pack.origin.partition)
        arrived = max((item.arrived for item in pack.items), default=None)
        if arrived is None:
            return
        mark = self._watermarks.setdefault(where, Watermark(arrived, pack.origin.formed_at))
        mark.time = max(mark.time, arrived)
        mark.heard = max(mark.heard, pack.origin.formed_at)


def _place(origin: Origin) -> str:
    return f"{origin.topic}:{origin.partition}"


def _encode(rows: list[tuple[str, Version]], sightings: Sightings) -> bytes:
    header = orjson.dumps([[id_, *version] for id_, version in rows])
    arrays = {
        "sentences": sightings.passages.counts().astype(np.uint32),
        "passages": sightings.passages.values,
        "stories": sightings.stories,
        "counts": sightings.counts,
        "firsts": sightings.firsts,
    }
    return bytes([VERSION]) + len(header).to_bytes(4, "little") + header + columns.to_bytes(arrays)


def _decode(value: bytes) -> tuple[list[tuple[str, Version]], Sightings]:
    if value[:1] != bytes([VERSION]):
        raise StateError(f"a register of version {value[0]}; this release reads {VERSION}")
    end = 5 + int.from_bytes(value[1:5], "little")
    rows = []
    for id_, digest, time, place, offset, fields in orjson.loads(value[5:end]):
        fields |= {name: tuple(fields[name]) for name in ("common", "everywhere")}
        rows.append((id_, Version(digest, time, place, offset, Registration(**fields))))
    arrays = columns.from_bytes(value[end:])
    passages = Ragged.of(arrays["sentences"], arrays["passages"])
    return rows, Sightings(passages, arrays["stories"], arrays["counts"], arrays["firsts"])
