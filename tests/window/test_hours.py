"""The hours of a partition: what is found, what is superseded, what leaves, and the same from the store."""

from __future__ import annotations

import random

import numpy as np
import pytest

from streams.records import Entry
from streams.signature import Ragged, Signatures
from streams.stages.fingerprint import sign
from streams.window.hours import Batch, Hours
from tests.stores import DictStore

WORDS = [f"wordling{n:03}" for n in range(60)]


def features_of(signatures: Signatures) -> Ragged:
    """A feature a word."""
    values, counts = [], []
    for number in range(len(signatures)):
        words = signatures[number].words.values.astype(np.uint64)
        values.append(np.unique(words * np.uint64(0x9E3779B97F4A7C15)))
        counts.append(len(values[-1]))
    return Ragged.of(np.array(counts), np.concatenate(values))


def batch(stamps: list[int], texts: list[str], hour: int) -> Batch:
    signatures = sign(texts, [[0, len(text)] for text in texts])
    entries = [Entry(f"item-{s}", "d", hour * 3_600_000, 0, None, s) for s in stamps]
    return Batch(entries, stamps, signatures)


def add(hours: Hours, hour: int, stamps: list[int], texts: list[str]) -> None:
    made = batch(stamps, texts, hour)
    hours.add(hour, "pack", made, features_of(made.signatures))


def find(hours: Hours, text: str, stamp: int, hour: int, floor: int = -1000, window: int = 24) -> list[int]:
    """The stamps of what is found."""
    features = features_of(batch([stamp], [text], hour).signatures)
    columns = ([0] * len(features.values), [stamp], [hour], [floor])
    owners, stamps, at, floors = (np.array(column, dtype=np.int64) for column in columns)
    _, numbers = hours.find(features.values, owners, stamps, at, floors, window)
    return sorted(hours.entry(number)[1] for number in numbers.tolist())


def test_only_what_came_before_is_found() -> None:
    hours = Hours(DictStore(), features_of)
    add(hours, 5, [3, 7], ["wordling001 wordling002", "wordling001 wordling003"])
    assert find(hours, "wordling001", 3, 5) == []
    assert find(hours, "wordling001", 5, 5) == [3]
    assert find(hours, "wordling001", 9, 5) == [3, 7]
    assert find(hours, "wordling004", 9, 5) == []


def test_only_what_is_in_the_window_on_either_side_is_found() -> None:
    hours = Hours(DictStore(), features_of)
    add(hours, 50, [1], ["wordling001"])
    assert [h for h in range(100) if find(hours, "wordling001", 9, h, window=24)] == list(range(26, 75))
    assert find(hours, "wordling001", 9, 50, floor=51) == []


def test_what_was_superseded_is_not_found_from_then_on() -> None:
    store = DictStore()
    hours = Hours(store, features_of)
    add(hours, 5, [1], ["wordling001"])
    hours.supersede(5, 1, 4)
    for known in (hours, Hours(store, features_of)):
        assert find(known, "wordling001", 3, 5) == [1]
        assert find(known, "wordling001", 4, 5) == []
        assert find(known, "wordling001", 5, 5) == []


def test_what_is_there_already_is_not_kept_twice() -> None:
    hours = Hours(DictStore(), features_of)
    add(hours, 5, [1, 2], ["wordling001", "wordling002"])
    add(hours, 5, [1, 2, 3], ["wordling001", "wordling002", "wordling001"])
    add(hours, 6, [4, 4], ["wordling001", "wordling001"])
    assert find(hours, "wordling001", 9, 5) == [1, 3, 4]
    assert len(hours) == 4


def test_an_hour_leaves_as_a_whole() -> None:
    store = DictStore()
    hours = Hours(store, features_of)
    for hour in range(10):
        add(hours, hour, [hour + 1], ["wordling001"])
    hours.drop_before(4)
    assert hours.hours == [4, 5, 6, 7, 8, 9]
    assert find(hours, "wordling001", 99, 5) == [5, 6, 7, 8, 9, 10]
    assert len(store.values) == 6


@pytest.mark.parametrize("seed", range(10))
def test_what_is_read_back_from_the_store_finds_the_same(seed: int) -> None:
    random_ = random.Random(seed)
    store = DictStore()
    hours = Hours(store, features_of)
    stamp, floor = 0, 0
    for now in range(40):
        hour = max(floor, now - random_.randint(0, 3))
        stamps = [stamp + n for n in range(1, random_.randint(2, 8))]
        stamp = stamps[-1]
        add(hours, hour, stamps, [" ".join(random_.sample(WORDS, 6)) for _ in stamps])
        if random_.random() < 0.3:
            old = random_.choice(stamps)
            hours.supersede(hour, old, stamp + 1)
            stamp += 1
        if random_.random() < 0.3:
            floor = max(floor, now - 12)
            hours.drop_before(floor)
        fresh = Hours(store, features_of)
        assert fresh.hours == hours.hours
        for word in random_.sample(WORDS, 5):
            asked = random_.randint(stamp // 2, stamp + 1)
            question = (word, asked, now, floor, 10)
            assert find(fresh, *question) == find(hours, *question)
