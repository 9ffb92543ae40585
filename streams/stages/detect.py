"""Stage 4: one detect partition: looks a pack up in its hours, tells the relations, keeps the items of its hours.

Partition p of n owns the hours h with h mod n = p. Every pack passes every partition, in the same order, so
whoever comes second finds whoever came first, in the one partition that holds it.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from streams.methods import METHODS
from streams.methods.comparison import Comparison, Pairs
from streams.records import (
    METHODS_VERSION,
    SCHEMA_VERSION,
    Coverage,
    Entry,
    Fingerprints,
    Found,
    Passage,
    Registration,
    Relation,
    content_id,
    iso,
)
from streams.settings import Settings
from streams.signature import Ragged, Signature, Signatures, offsets_of
from streams.window.hours import Batch, Hours
from streams.window.register import Register
from streams.window.store import Store


class Detector:
    """One detect partition."""

    def __init__(self, partition: int, settings: Settings, store: Store) -> None:
        self.partition = partition
        self._settings = settings
        self._methods = [(name, METHODS[name]) for name in settings.methods]
        self.hours = Hours(store, self._features)
        self.register = (
            Register(store, settings.window_hours, settings.grace_hours, settings.silence_seconds)
            if partition == 0
            else None
        )

    @property
    def last(self) -> bool:
        """Whether the verdict follows this partition."""
        return self.partition == self._settings.partitions - 1

    def detect(self, pack: Fingerprints) -> tuple[list[Relation], Fingerprints]:
        """The relations with items of this partition's hours, and the pack to hand on."""
        if self.register is not None:
            pack = pack.without(self.register.answered(pack))
        signatures = Signatures.from_bytes(pack.signatures)
        if self.register is not None:
            pack = self.register.register(pack, signatures)
        features = self._features(signatures)
        self._supersede(pack)
        self._keep(pack, signatures, features)
        relations, found = self._relate(pack, signatures, self._telling(pack, signatures, features))
        if pack.found:
            found = [earlier + now for earlier, now in zip(pack.found, found, strict=True)]
        return relations, replace(pack, found=found)

    def drop_before(self, hour: int) -> None:
        """Forgets all earlier hours; only once what is being judged again after a crash needs them no more."""
        self.hours.drop_before(hour)
        if self.register is not None:
            self.register.drop_before(hour)

    def _features(self, signatures: Signatures) -> Ragged:
        parts = [method.features(signatures) for _, method in self._methods]
        if len(parts) == 1:
            return parts[0]
        owners = np.concatenate([np.repeat(np.arange(len(part)), part.counts()) for part in parts])
        order = np.argsort(owners, kind="stable")
        values = np.concatenate([part.values for part in parts])[order]
        return Ragged(values, offsets_of(np.bincount(owners, minlength=len(signatures))))

    def _telling(self, pack: Fingerprints, signatures: Signatures, features: Ragged) -> Ragged:
        """The features to look up: without those of passages that are everywhere."""
        first = signatures.sentences
        common = [int(first[n]) + s for n, known in enumerate(pack.registered) for s in known.everywhere]
        if not common:
            return features
        flagged = np.zeros(len(signatures.words), dtype=bool)
        flagged[common] = True
        theirs = self._features(signatures.with_sentences(flagged))
        owners = np.repeat(np.arange(len(features)), features.counts())
        kept = np.ones(len(features.values), dtype=bool)
        for number in np.flatnonzero(theirs.counts()).tolist():
            mine = owners == number
            kept[mine] = ~np.isin(features[number], theirs[number])
        return Ragged(features.values[kept], offsets_of(np.bincount(owners[kept], minlength=len(features))))

    def _mine(self, hour: int) -> bool:
        return hour % self._settings.partitions == self.partition

    def _supersede(self, pack: Fingerprints) -> None:
        for known in pack.registered:
            if known.supersedes is not None and self._mine(known.supersedes_hour):
                self.hours.supersede(known.supersedes_hour, known.supersedes, known.stamp)

    def _keep(self, pack: Fingerprints, signatures: Signatures, features: Ragged) -> None:
        by_hour: dict[int, list[int]] = {}
        for number, (entry, known) in enumerate(zip(pack.items, pack.registered, strict=True)):
            if self._mine(entry.hour) and entry.hour >= known.floor and not entry.withdrawn:
                by_hour.setdefault(entry.hour, []).append(number)
        for hour, numbers in by_hour.items():
            numbers.sort(key=lambda number: pack.registered[number].stamp)
            chosen = np.array(numbers)
            batch = Batch(
                [pack.items[n] for n in numbers],
                [pack.registered[n].stamp for n in numbers],
                signatures.take(chosen),
            )
            self.hours.add(hour, pack.origin.pack, batch, features.take(chosen))

    def _relate(
        self, pack: Fingerprints, signatures: Signatures, features: Ragged
    ) -> tuple[list[Relation], list[list[Found]]]:
        relations: list[Relation] = []
        found: list[list[Found]] = [[] for _ in pack.items]
        owners = np.repeat(np.arange(len(pack.items)), features.counts())
        stamps = np.array([known.stamp for known in pack.registered], dtype=np.int64)
        hours = np.array([entry.hour for entry in pack.items], dtype=np.int64)
        floors = np.array([known.floor for known in pack.registered], dtype=np.int64)
        pairs = self.hours.find(features.values, owners, stamps, hours, floors, self._settings.window_hours)
        for who, number in zip(*(column.tolist() for column in pairs), strict=True):
            other, stamp, batch, place = self.hours.entry(number)
            if other.id == pack.items[who].id:
                continue
            signature = replace(signatures[who], common=pack.registered[who].common)
            told = self._judge(pack.items[who], signature, other, batch.signatures[place])
            if told is not None:
                relation, contained = told
                relations.append(relation)
                found[who].append(
                    Found(relation.id, relation.kind, other.id, stamp, relation.score, contained)
                )
        return relations, found

    def _judge(
        self, item: Entry, item_signature: Signature, other: Entry, other_signature: Signature
    ) -> tuple[Relation, bool] | None:
        first, *more = [method.compare(item_signature, other_signature) for _, method in self._methods]
        if first.kind is None:
            return None
        scores = {
            name: round(result.score, 4)
            for (name, _), result in zip(self._methods, (first, *more), strict=True)
        }
        return tell(item, item_signature, other, other_signature, first, scores)


def is_late(entry: Entry, known: Registration, window_hours: int) -> bool:
    """Whether some of what the item should be compared with is no longer kept."""
    return entry.hour < known.floor + window_hours


def tell(
    item: Entry,
    item_signature: Signature,
    other: Entry,
    other_signature: Signature,
    comparison: Comparison,
    evidence: dict[str, float],
) -> tuple[Relation, bool]:
    """The relation of two items, and whether the item is the contained one."""
    assert comparison.kind is not None
    contained = comparison.kind == "containment" and comparison.item_is_contained
    container = None
    if comparison.kind == "containment":
        container = other.id if contained else item.id
    ends = sorted([(item.id, item.digest), (other.id, other.digest)])
    return (
        Relation(
            id=content_id(comparison.kind, *ends, METHODS_VERSION),
            kind=comparison.kind,
            item=item.id,
            other=other.id,
            published_first=item.id if item.time < other.time else other.id,
            item_time=iso(item.time),
            other_time=iso(other.time),
            item_source=item.source,
            other_source=other.source,
            item_digest=item.digest,
            other_digest=other.digest,
            score=round(comparison.score, 4),
            coverage=Coverage(round(comparison.coverage_item, 4), round(comparison.coverage_other, 4)),
            container=container,
            contained=None if container is None else (item.id if contained else other.id),
            passages=passages(item_signature, other_signature, comparison.pairs),
            differs=list(comparison.differs),
            evidence=evidence,
            versions={"schema": str(SCHEMA_VERSION), "methods": METHODS_VERSION},
        ),
        contained,
    )


def passages(item: Signature, other: Signature, pairs: Pairs) -> list[Passage]:
    """Matching sentences, where they follow one another in both items as one passage."""
    runs: list[Passage] = []
    if not len(pairs.item):
        return runs
    breaks = np.flatnonzero((np.diff(pairs.item) != 1) | (np.diff(pairs.other) != 1)) + 1
    edges = [0, *breaks.tolist(), len(pairs.item)]
    weights = np.maximum(item.words.counts()[pairs.item], 1)
    for first, end in itertools.pairwise(edges):
        mine, theirs = pairs.item[[first, end - 1]], pairs.other[[first, end - 1]]
        same = float(np.average(pairs.same[first:end], weights=weights[first:end]))
        runs.append(
            Passage(
                (int(item.starts[mine[0]]), int(item.ends[mine[1]])),
                (int(other.starts[theirs[0]]), int(other.ends[theirs[1]])),
                round(same, 4),
            )
        )
    return runs
