"""The same flow in one process: no broker, the same stages and the same store, a loop over the partitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from streams.errors import StateError
from streams.records import DeadLetter, Item, RawRecord, Relation, Verdict
from streams.settings import Settings
from streams.stages.detect import Detector
from streams.stages.fingerprint import fingerprint, sign
from streams.stages.isolate import isolate
from streams.stages.normalize import RawClock, normalize
from streams.stages.split import split
from streams.stages.verdict import judge
from streams.window.rocks import RocksStore

_PARTITIONS_FILE = "partitions"


@dataclass(slots=True)
class Outcome:
    """What came out of a run of records."""

    items: list[Item] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    dead_letters: list[DeadLetter] = field(default_factory=list)


class Embedded:
    """The whole flow over state in a folder."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._settings = settings
        _check_partitions(folder, settings.partitions)
        self._stores = [RocksStore(folder / f"partition-{p}") for p in range(settings.partitions)]
        self.detectors = [Detector(p, settings, store) for p, store in enumerate(self._stores)]
        self._fingerprint = partial(fingerprint, methods=settings.methods)
        sign(["."], [[0, 1]], settings.methods)  # what is read once is read now, not with the first item
        self._clocks: dict[tuple[str, int], RawClock] = {}

    @property
    def next_offset(self) -> int:
        """Where the numbering of raw records goes on."""
        register = self.detectors[0].register
        assert register is not None
        return register.last_offset + 1

    def feed(self, records: Sequence[RawRecord], now: int, partitions: int = 1) -> Outcome:
        """What comes of these records, all of one raw partition."""
        outcome = Outcome()
        clock = self._clocks.setdefault((records[0].topic, records[0].partition), RawClock())
        normalized, dead = normalize(records, clock, self._settings, partitions=partitions, now=now)
        outcome.dead_letters += dead
        if normalized is None:
            return outcome
        outcome.items += normalized.items
        sentences, dead = isolate("split", split, normalized)
        outcome.dead_letters += dead
        pack, dead = isolate("fingerprint", self._fingerprint, sentences)
        outcome.dead_letters += dead
        for detector in self.detectors:
            relations, pack = detector.detect(pack)
            outcome.relations += relations
        order = {item.id: number for number, item in enumerate(pack.items)}
        outcome.relations.sort(key=lambda relation: order[relation.item])
        outcome.verdicts += judge(pack, self._settings.window_hours)
        floor = max((known.floor for known in pack.registered), default=None)
        if floor is not None:
            for detector in self.detectors:
                detector.drop_before(floor)
        return outcome

    def close(self) -> None:
        """Lets go of the folder."""
        for store in self._stores:
            store.close()


def _check_partitions(folder: Path, partitions: int) -> None:
    """State that was kept for another number of partitions has its hours in other places."""
    folder.mkdir(parents=True, exist_ok=True)
    marker = folder / _PARTITIONS_FILE
    if not marker.exists():
        marker.write_text(f"{partitions}\n")
    elif marker.read_text().strip() != str(partitions):
        raise StateError(
            f"{folder} has state for {marker.read_text().strip()} partitions, not {partitions}: "
            "run with that number, or with another folder"
        )
