"""The index against a plain dictionary: whatever grows, spills or expires, the first few entries are found."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams.window.index import KEPT, WAYS, Index


class Model:
    """For every feature and hour its entries, in a dictionary."""

    def __init__(self) -> None:
        self.entries: dict[int, dict[int, list[int]]] = {}
        self.next = 1
        self.floor = -(1 << 31)

    def add(self, hours: list[int], features: list[set[int]]) -> int:
        first = self.next
        for hour, held in zip(hours, features, strict=True):
            for feature in held:
                self.entries.setdefault(feature, {}).setdefault(hour, []).append(self.next)
            self.next += 1
        return first

    def find(self, feature: int) -> set[int]:
        hours = self.entries.get(feature, {})
        return {entry for hour, held in hours.items() if hour >= self.floor for entry in held[:KEPT]}


def add(index: Index, hours: list[int], features: list[set[int]]) -> int:
    values = [feature for held in features for feature in sorted(held)]
    owners = [number for number, held in enumerate(features) for _ in held]
    return index.add(
        np.array(hours, dtype=np.int64), np.array(values, dtype=np.uint64), np.array(owners, dtype=np.int64)
    )


def find(index: Index, features: list[int]) -> dict[int, set[int]]:
    owners, entries = index.find(np.array(features, dtype=np.uint64), np.arange(len(features)))
    found: dict[int, set[int]] = {feature: set() for feature in features}
    for owner, entry in zip(owners.tolist(), entries.tolist(), strict=True):
        found[features[owner]].add(entry)
    return found


def same(index: Index, model: Model, features: list[int]) -> None:
    found = find(index, features)
    for feature in features:
        assert found[feature] == model.find(feature), feature


# few rows, so that they overflow; and rows and tags that differ in a bit only
crowded = st.integers(0, 60).map(lambda n: (n % 3) | ((n // 3) << 10))
anywhere = st.integers(0, (1 << 42) - 1)
adding = st.tuples(
    st.just("add"),
    st.lists(st.tuples(st.integers(0, 6), st.sets(crowded | anywhere, max_size=12)), min_size=1, max_size=8),
)
dropping = st.tuples(st.just("drop"), st.integers(0, 2))


@settings(max_examples=120, deadline=None)
@given(st.lists(adding | adding | adding | dropping, max_size=30))
def test_the_first_entries_of_each_feature_and_hour_are_found(steps: list[tuple[str, object]]) -> None:
    index, model, base = Index(), Model(), 0
    features: set[int] = set()
    for what, value in steps:
        if what == "drop":
            base += int(str(value))
            index.drop_before(base)
            model.floor = base
        else:
            assert isinstance(value, list)
            hours, held = [base + hour for hour, _ in value], [feature for _, feature in value]
            assert add(index, hours, held) == model.add(hours, held)
            features |= set().union(*held)
        same(index, model, sorted(features))


@pytest.mark.parametrize("rows", [3, 1024, 10**6])
def test_growth_spill_and_expiry_over_days_lose_nothing(rows: int) -> None:
    random_ = random.Random(rows)
    index, model = Index(), Model()
    seen: list[int] = []
    for hour in range(40):
        for _ in range(3):
            hours = [hour - random_.randint(0, 2) for _ in range(20)]
            held = []
            for _ in hours:
                old = random_.sample(seen[-2000:], min(len(seen[-2000:]), 5))
                new = [random_.randrange(rows) | (random_.randrange(1 << 32) << 10) for _ in range(15)]
                held.append({feature & ((1 << 42) - 1) for feature in [*old, *new]})
                seen += new
            add(index, hours, held)
            model.add(hours, held)
        if hour % 5 == 4:
            index.drop_before(hour - 12)
            model.floor = hour - 12
        sample = [feature & ((1 << 42) - 1) for feature in random_.sample(seen[-3000:], 40)]
        same(index, model, sample)


def test_a_story_with_thousands_of_copies_keeps_the_first_of_each_hour() -> None:
    index = Index()
    for hour in range(30):
        add(index, [hour] * 100, [{7}] * 100)
    index.drop_before(10)
    first = {1 + 100 * hour + n for hour in range(10, 30) for n in range(KEPT)}
    assert find(index, [7])[7] == first


def test_an_entry_that_has_a_feature_many_times_takes_the_place_of_one() -> None:
    index = Index()
    index.add(np.array([5]), np.full(20, 7, dtype=np.uint64), np.zeros(20, dtype=np.int64))
    for _ in range(KEPT):
        add(index, [5], [{7}])
    assert find(index, [7])[7] == set(range(1, 1 + KEPT))


def test_a_full_row_loses_nothing() -> None:
    index = Index()
    features = [n << 10 for n in range(5 * WAYS)]
    for feature in features:
        add(index, [0], [{feature}])
    assert find(index, features) == {feature: {n + 1} for n, feature in enumerate(features)}


def test_what_is_dropped_is_found_no_more_and_its_room_is_used_again() -> None:
    index, random_ = Index(), random.Random(1)
    for hour in range(400):
        add(index, [hour] * 50, [{random_.getrandbits(42) for _ in range(20)} for _ in range(50)])
        index.drop_before(hour - 3)
    assert index.nbytes < 4_000_000
    assert len(index) < 20_000


def test_nothing_is_found_in_an_empty_index() -> None:
    assert find(Index(), [0, 1, (1 << 42) - 1]) == {0: set(), 1: set(), (1 << 42) - 1: set()}
