"""The chain of detect partitions comes to the same whatever crashes, comes again or overtakes.

The pure stages run over logs in memory, as on Kafka: a partition reads its log, keeps state, hands on to the
next log and commits now and then; after a crash it reads again from the last commit.
"""

from __future__ import annotations

import json
import random
from collections import deque

import pytest

from streams.codec import decode_fingerprints, encode
from streams.kafka.handed_on import HandedOn
from streams.records import Fingerprints, Item, Normalized, Origin, RawRecord, Relation
from streams.settings import Settings
from streams.stages.detect import Detector
from streams.stages.fingerprint import fingerprint
from streams.stages.normalize import RawClock, normalize
from streams.stages.split import split
from streams.stages.verdict import judge
from tests.buses import START, at, settings_of
from tests.stores import DictStore
from tests.texts import sentences, story

NOW = START + 10**10


class Told:
    """What was told: relations by id, and for every item and text the ids of its verdicts."""

    def __init__(self) -> None:
        self.relations: dict[str, tuple[str, str, str]] = {}
        self.verdicts: dict[tuple[str, str], set[str]] = {}

    def tell(self, relations: list[Relation]) -> None:
        for r in relations:
            self.relations[r.id] = (r.kind, r.item, r.other)

    def judge(self, pack: Fingerprints, window: int) -> None:
        for verdict in judge(pack, window):
            self.verdicts.setdefault((verdict.item, verdict.digest), set()).add(verdict.id)


class Link:
    """One detect partition with its log, its state and its commits."""

    def __init__(self, number: int, settings: Settings, passing_over: bool) -> None:
        self.number, self.settings, self.passing_over = number, settings, passing_over
        self.log: list[bytes] = []
        self.position = self.committed = 0
        self.store = DictStore()
        self.states: list[dict[bytes, bytes]] = [{}]  # since the last commit, one after each pack
        self.start()

    def start(self) -> None:
        self.detector = Detector(self.number, self.settings, self.store)
        self.handed_on = HandedOn()
        self.expiring: deque[tuple[int, int]] = deque()

    def step(self, told: Told, following: Link | None, *, sends: bool = True) -> None:
        """Works on the next pack; without `sends` the process dies before anything goes out."""
        pack: Fingerprints | None = decode_fingerprints(self.log[self.position])
        assert pack is not None
        if self.passing_over:
            pack = self.handed_on.fresh(self.number, pack)
        if pack is not None:
            while self.expiring and self.expiring[0][0] < self.committed:
                self.detector.drop_before(self.expiring.popleft()[1])
            relations, result = self.detector.detect(pack)
            if sends:
                told.tell(relations)
                if following is None:
                    told.judge(result, self.settings.window_hours)
                else:
                    following.log.append(encode(result))
                self.handed_on.note(self.number, pack)
            self.expiring.append((self.position, max(known.floor for known in result.registered)))
        self.position += 1
        self.states.append(dict(self.store.values))

    def commit(self) -> None:
        self.committed = self.position
        self.states = [dict(self.store.values)]

    def crash(self, random_: random.Random) -> None:
        """Starts again from the last commit, with the state kept or set back to some time since then."""
        if random_.random() < 0.5:
            self.store = DictStore(random_.choice(self.states))
        self.position = self.committed
        self.states = [dict(self.store.values)]
        self.start()


def stories(
    random_: random.Random, size: int, hours: float, partitions: int, reach: int = 12
) -> list[list[dict[str, object]]]:
    """Items for some raw partitions: originals, copies, quotes, re-deliveries, versions, withdrawals."""
    raw: list[list[dict[str, object]]] = [[] for _ in range(partitions)]
    known: list[tuple[str, str]] = []
    for number in range(size):
        id_, turn = f"item-{number}", random_.random()
        earlier = random_.choice(known[-reach:]) if known else None
        if earlier is None or turn < 0.35:
            text = story((size, number), random_.randint(2, 5))
        elif turn < 0.65:
            text = earlier[1]
        elif turn < 0.75:
            text = f"{earlier[1]} {story((size, number), 6)}"
        elif turn < 0.85:
            id_, text = earlier
        elif turn < 0.95:
            id_, text = earlier[0], f"{earlier[1]} {sentences(('more', number), 1)[0]}"
        else:
            id_, text = earlier[0], ""
        if text:
            known.append((id_, text))
        raw[random_.randrange(partitions)].append({"id": id_, "text": text, "hours": hours * number / size})
    return raw


def items_of(partition: int, rows: list[dict[str, object]], settings: Settings) -> list[Item]:
    """The items of a raw partition, each normalized once."""
    records = []
    for offset, row in enumerate(rows):
        value = json.dumps({"id": row["id"], "text": row["text"]}).encode() if row["text"] else None
        key = str(row["id"]).encode()
        records.append(RawRecord("news", partition, offset, at(float(str(row["hours"]))), key, value))
    if not records:
        return []
    pack, dead = normalize(records, RawClock(), settings, partitions=1, now=NOW)
    assert pack is not None
    assert not dead
    return pack.items


def packed(partition: int, items: list[Item], partitions: int, settings: Settings) -> bytes:
    origin = Origin("news", partition, items[0].offset, items[-1].offset, partitions, NOW)
    return encode(fingerprint(split(Normalized(origin, items)), settings.methods))


def first_log(
    random_: random.Random, raw: list[list[Item]], settings: Settings, back: int, most: int = 6
) -> tuple[list[bytes], list[bytes]]:
    """What comes to partition 0, with packs sent again and cut otherwise; and only what is new, one by one."""
    log, new = [], []
    positions, furthest = [0] * len(raw), [0] * len(raw)
    while any(position < len(items) for position, items in zip(positions, raw, strict=True)):
        # partitions go forward together, more or less, as a bus does
        open_ = [p for p, items in enumerate(raw) if positions[p] < len(items)]
        partition = random_.choice(open_)
        items, first = raw[partition], positions[partition]
        end = min(len(items), first + random_.randint(1, most))
        log.append(packed(partition, items[first:end], len(raw), settings))
        new += [packed(partition, [item], len(raw), settings) for item in items[furthest[partition] : end]]
        furthest[partition] = max(furthest[partition], end)
        positions[partition] = end
        if random_.random() < 0.25:
            partition = random_.randrange(len(raw))
            positions[partition] = max(0, positions[partition] - random_.randint(1, back))
    return log, new


def undisturbed(log: list[bytes], settings: Settings) -> Told:
    """The same items, one a pack, in one partition after the other, without a crash."""
    told = Told()
    detectors = [Detector(n, settings, DictStore()) for n in range(settings.partitions)]
    for data in log:
        pack = decode_fingerprints(data)
        for detector in detectors:
            relations, pack = detector.detect(pack)
            told.tell(relations)
        told.judge(pack, settings.window_hours)
        for detector in detectors:
            detector.drop_before(max(known.floor for known in pack.registered))
    return told


def disturbed(
    random_: random.Random, log: list[bytes], settings: Settings, crashes: float, behind: int = 1000
) -> Told:
    """The log with packs under way between the partitions, commits now and then, and crashes.

    `behind` is the most packs that wait for a commit: what comes again must not be older than the grace.
    """
    told = Told()
    passing_over = random_.random() < 0.7
    chain = [Link(n, settings, passing_over) for n in range(settings.partitions)]
    chain[0].log = list(log)
    left = round(crashes * len(log))
    while waiting := [link for link in chain if link.position < len(link.log)]:
        link = random_.choice(waiting)
        following = chain[link.number + 1] if link.number + 1 < len(chain) else None
        turn = random_.random()
        if left and turn < 0.10:
            left -= 1
            if random_.random() < 0.5:
                link.step(told, following, sends=False)
            for crashing in random_.choice([[link], chain]):
                crashing.crash(random_)
        elif turn < 0.35 or link.position - link.committed >= behind:
            link.commit()
        else:
            link.step(told, following)
    return told


def same(one: Told, other: Told) -> None:
    assert set(other.relations.items()) == set(one.relations.items())
    assert other.verdicts == one.verdicts


@pytest.mark.parametrize("seed", range(25))
def test_crashes_and_re_deliveries_change_nothing(seed: int) -> None:
    random_ = random.Random(seed)
    settings = settings_of(partitions=random_.choice([1, 2, 3, 5]))
    partitions = random_.choice([1, 2, 3])
    raw = [items_of(p, rows, settings) for p, rows in enumerate(stories(random_, 40, 20, partitions))]
    log, new = first_log(random_, raw, settings, back=10)
    one = undisturbed(new, settings)
    assert one.relations
    same(one, disturbed(random_, log, settings, crashes=0.4))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("partitions", [1, 2])
def test_crashes_and_re_deliveries_change_nothing_while_hours_expire(seed: int, partitions: int) -> None:
    random_ = random.Random(f"{seed} {partitions}")
    settings = settings_of(partitions=random_.choice([1, 2, 3]), window_hours=5, grace_hours=20)
    raw = [
        items_of(p, rows, settings) for p, rows in enumerate(stories(random_, 60, 60, partitions, reach=4))
    ]
    log, new = first_log(random_, raw, settings, back=3, most=3)
    same(undisturbed(new, settings), disturbed(random_, log, settings, crashes=0.4, behind=2))


def test_the_number_of_partitions_changes_nothing() -> None:
    random_ = random.Random(7)
    settings = settings_of(partitions=1)
    raw = [items_of(p, rows, settings) for p, rows in enumerate(stories(random_, 60, 30, 2))]
    _, new = first_log(random_, raw, settings, back=3)
    one = undisturbed(new, settings)
    for partitions in (2, 3, 8, 25):
        same(one, undisturbed(new, settings_of(partitions=partitions)))


def test_every_item_has_a_verdict_and_no_pair_is_told_twice() -> None:
    random_ = random.Random(8)
    settings = settings_of(partitions=3)
    raw = [items_of(0, stories(random_, 60, 20, 1)[0], settings)]
    log, _ = first_log(random_, raw, settings, back=5)
    told = disturbed(random_, log, settings, crashes=0.3)
    assert set(told.verdicts) == {(item.id, item.digest) for item in raw[0]}
    assert all(len(ids) == 1 for ids in told.verdicts.values())
    pairs = [tuple(sorted(ends)) for _, *ends in told.relations.values()]
    assert pairs
