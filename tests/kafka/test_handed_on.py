"""What a stage passes over because it has handed it on already."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from streams.kafka.handed_on import HandedOn
from streams.records import Item, Normalized, Origin


def pack(
    first: int, last: int, partition: int = 0, topic: str = "news", without: set[int] | None = None
) -> Normalized:
    items = [
        Item(f"i{n}", "text", "d", 0, 0, n) for n in range(first, last + 1) if n not in (without or set())
    ]
    return Normalized(Origin(topic, partition, first, last, 1, 0), items)


def offsets(found: Normalized | None) -> list[int]:
    return [item.offset for item in found.items] if found else []


def test_what_is_new_goes_through_unchanged() -> None:
    known, new = HandedOn(), pack(0, 4)
    assert known.fresh(0, new) is new


def test_a_pack_that_was_handed_on_is_passed_over() -> None:
    known = HandedOn()
    known.note(0, pack(0, 4))
    assert known.fresh(0, pack(0, 4)) is None
    assert known.fresh(0, pack(2, 3)) is None


def test_of_a_pack_that_is_cut_otherwise_what_is_new_goes_through() -> None:
    known = HandedOn()
    known.note(0, pack(0, 4))
    assert offsets(known.fresh(0, pack(3, 7))) == [5, 6, 7]


def test_what_was_only_asked_for_is_not_noted() -> None:
    known = HandedOn()
    known.fresh(0, pack(0, 4))
    assert offsets(known.fresh(0, pack(0, 4))) == [0, 1, 2, 3, 4]


def test_raw_topics_raw_partitions_and_partitions_are_told_apart() -> None:
    known = HandedOn()
    known.note(0, pack(0, 4))
    assert offsets(known.fresh(1, pack(0, 4))) == [0, 1, 2, 3, 4]
    assert offsets(known.fresh(0, pack(0, 4, partition=1))) == [0, 1, 2, 3, 4]
    assert offsets(known.fresh(0, pack(0, 4, topic="other"))) == [0, 1, 2, 3, 4]


def test_what_became_a_dead_letter_at_the_end_of_a_pack_is_not_waited_for() -> None:
    known = HandedOn()
    known.note(0, pack(0, 4, without={4}))
    assert known.fresh(0, pack(0, 4, without={4})) is None
    assert offsets(known.fresh(0, pack(3, 6, without={4}))) == [5, 6]


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(1, 7)), max_size=25))
def test_however_often_a_run_is_sent_again_each_item_goes_through_once_and_in_order(
    runs: list[tuple[int, int]],
) -> None:
    known, position, furthest = HandedOn(), 0, 0
    through: list[int] = []
    for back, size in runs:
        position = max(0, position - back)
        came = pack(position, position + size - 1)
        fresh = known.fresh(0, came)
        if fresh is not None:
            through += offsets(fresh)
            known.note(0, fresh)
        position += size
        furthest = max(furthest, position)
    assert through == list(range(furthest))
