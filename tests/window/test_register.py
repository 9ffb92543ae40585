"""The register: stamps, versions, withdrawals and time, and the same again after a restart."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from streams.errors import StateError
from streams.records import HOUR_MS, Entry, Fingerprints, Origin, Registration
from streams.signature import Signatures
from streams.stages.fingerprint import sign
from streams.window.register import Register
from tests.buses import START
from tests.stores import DictStore

HOUR = START // HOUR_MS
TEXT = "The harbour of Wrenfield will close seven piers in autumn after storms damaged them badly."


def entry(id_: str, digest: str = "d", hours: float = 0, offset: int = 0) -> Entry:
    time = START + round(hours * HOUR_MS)
    return Entry(id_, digest, time, time, None, offset, withdrawn=not digest)


def register(
    store: DictStore | None = None, window: int = 24, grace: int = 24, silence: int = 300
) -> Register:
    return Register(store if store is not None else DictStore(), window, grace, silence)


def pack(
    *items: Entry, partition: int = 0, partitions: int = 1, formed_at: int = 0
) -> tuple[Fingerprints, Signatures]:
    signatures = sign([TEXT] * len(items), [[0, len(TEXT)]] * len(items))
    origin = Origin("news", partition, items[0].offset, items[-1].offset, partitions, formed_at)
    return Fingerprints(origin, list(items), signatures.to_bytes()), signatures


def registered(book: Register, *items: Entry, **origin: int) -> list[Registration]:
    return book.register(*pack(*items, **origin)).registered


def test_stamps_count_up_from_one() -> None:
    book = register()
    stamps = [known.stamp for known in registered(book, entry("a"), entry("b", offset=1))]
    stamps += [known.stamp for known in registered(book, entry("c", offset=2))]
    assert stamps == [1, 2, 3]


def test_a_re_delivery_gets_its_stamp_and_its_time() -> None:
    book = register()
    (first,) = registered(book, entry("a", hours=0))
    again = book.register(*pack(entry("a", hours=5, offset=9)))
    assert again.registered == [first]
    assert again.items[0].time == START


def test_a_re_delivery_in_the_same_pack_gets_the_same_stamp() -> None:
    one, other = registered(register(), entry("a"), entry("a", offset=1))
    assert one == other


def test_a_new_text_supersedes_the_old_one() -> None:
    book = register()
    registered(book, entry("a", "old", 1))
    (new,) = registered(book, entry("a", "new", 2, offset=1))
    assert (new.stamp, new.supersedes, new.supersedes_digest) == (2, 1, "old")
    assert new.supersedes_hour == HOUR + 1


def test_a_withdrawal_supersedes_and_what_follows_it_is_new() -> None:
    book = register()
    registered(book, entry("a", "old"))
    (withdrawal,) = registered(book, entry("a", "", offset=1))
    (again,) = registered(book, entry("a", "old", offset=2))
    (second,) = registered(book, entry("a", "", offset=3))
    assert withdrawal.supersedes == 1
    assert (again.stamp, again.supersedes) == (3, None)
    assert (second.stamp, second.supersedes) == (4, 3)


def test_a_withdrawal_and_what_follows_it_may_come_in_one_pack() -> None:
    book = register()
    registered(book, entry("a", "old"))
    withdrawal, again = registered(book, entry("a", "", offset=1), entry("a", "old", offset=2))
    assert (withdrawal.stamp, withdrawal.supersedes) == (2, 1)
    assert again.stamp == 3


def test_what_crashed_between_versions_is_registered_as_it_was() -> None:
    book = register()
    items = [entry("a", "1"), entry("a", "2", offset=1), entry("a", "", offset=2), entry("a", "1", offset=3)]
    before = [registered(book, item)[0] for item in items]
    after = [registered(book, item)[0] for item in items]
    assert before == after


def test_time_moves_with_the_slowest_raw_partition() -> None:
    book = register()
    registered(book, entry("a", hours=0), partition=0, partitions=2)
    (alone,) = registered(book, entry("b", hours=200, offset=1), partition=0, partitions=2)
    registered(book, entry("c", hours=60), partition=1, partitions=2)
    (both,) = registered(book, entry("d", hours=201, offset=2), partition=0, partitions=2)
    assert alone.floor < HOUR
    assert both.floor == HOUR + 60 - 48


def test_a_silent_raw_partition_holds_time_no_longer() -> None:
    book = register(silence=10)
    registered(book, entry("a", hours=0), partition=0, partitions=2, formed_at=0)
    registered(book, entry("b", hours=0), partition=1, partitions=2, formed_at=0)
    (held,) = registered(book, entry("c", hours=100, offset=1), partition=0, partitions=2, formed_at=9_000)
    (free,) = registered(book, entry("d", hours=100, offset=2), partition=0, partitions=2, formed_at=11_000)
    assert held.floor == HOUR - 48
    assert free.floor == HOUR + 100 - 48


def test_time_never_moves_back() -> None:
    book = register()
    (ahead,) = registered(book, entry("a", hours=100))
    (back,) = registered(book, replace(entry("b", hours=10, offset=1), arrived=START))
    assert back.floor == ahead.floor


def test_a_restart_knows_all_that_was_known() -> None:
    store = DictStore()
    book = register(store)
    items = [entry("a", "1"), entry("b", "1", offset=1), entry("a", "2", offset=2), entry("b", "", offset=3)]
    before = registered(book, *items)
    fresh = register(store)
    assert registered(fresh, *items) == before
    assert fresh.next_stamp == book.next_stamp


def test_another_version_of_the_state_is_refused() -> None:
    store = DictStore()
    registered(register(store), entry("a"))
    ((key, value),) = store.values.items()
    store.values[key] = bytes([99]) + value[1:]
    with pytest.raises(StateError, match="99"):
        register(store)


def deliveries(seed: int) -> list[Entry]:
    """Items that come again, in other versions and with dates of up to two hours before."""
    random_ = random.Random(seed)
    items = []
    for number in range(80):
        id_, digest = f"item-{random_.randrange(12)}", random_.choice(["1", "2", "3", ""])
        item = entry(id_, digest, number / 2 + random_.uniform(-2, 0), number)
        items.append(replace(item, arrived=START + number * HOUR_MS // 2))
    return items


@pytest.mark.parametrize("seed", range(3))
def test_it_does_not_matter_how_soon_after_their_time_hours_are_dropped(seed: int) -> None:
    store = DictStore()
    never, at_once = register(window=4, grace=4), register(store, 4, 4)
    for item in deliveries(seed):
        one, other = registered(never, item), registered(at_once, item)
        assert one == other, (item.id, item.digest)
        at_once.drop_before(one[0].floor)
        store.drop_before(one[0].floor)


@pytest.mark.parametrize("seed", range(3))
def test_restarts_change_nothing_while_hours_are_dropped(seed: int) -> None:
    random_, stores = random.Random(seed), [DictStore(), DictStore()]
    books = [register(store, 4, 4) for store in stores]
    for item in deliveries(seed):
        one, other = (registered(book, item) for book in books)
        assert one == other, (item.id, item.digest)
        for book, store in zip(books, stores, strict=True):
            book.drop_before(one[0].floor)
            store.drop_before(one[0].floor)
        if random_.random() < 0.3:
            books[1] = register(stores[1], 4, 4)
