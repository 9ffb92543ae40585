"""Records as bytes and back."""

from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from streams.codec import (
    decode_fingerprints,
    decode_normalized,
    decode_relation,
    decode_sentences,
    decode_verdict,
    encode,
)
from streams.records import (
    Coverage,
    DeadLetter,
    Entry,
    Fingerprints,
    Found,
    Item,
    Normalized,
    Origin,
    Passage,
    Registration,
    Relation,
    Sentences,
    Verdict,
    content_id,
    iso,
)
from streams.text.dates import read_date

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
whole = st.integers(-(2**53), 2**53)
shares = st.floats(0, 1)
maybe = st.none() | text
origins = st.builds(
    Origin, topic=text, **dict.fromkeys(["partition", "first", "last", "partitions", "formed_at"], whole)
)
items = st.builds(
    Item,
    id=text,
    text=text,
    digest=text,
    **dict.fromkeys(["time", "arrived", "offset"], whole),
    **dict.fromkeys(["title", "source", "lang", "url"], maybe),
    withdrawn=st.booleans(),
)
entries = st.builds(
    Entry,
    id=text,
    digest=text,
    source=maybe,
    **dict.fromkeys(["time", "arrived", "offset"], whole),
    withdrawn=st.booleans(),
)
registrations = st.builds(
    Registration,
    stamp=whole,
    floor=whole,
    supersedes=st.none() | whole,
    supersedes_hour=whole,
    supersedes_digest=maybe,
    common=st.lists(st.integers(0, 99), max_size=4).map(tuple),
    everywhere=st.lists(st.integers(0, 99), max_size=4).map(tuple),
)
kinds = st.sampled_from(["duplicate", "containment", "reuse"])
founds = st.builds(
    Found, relation=text, kind=kinds, other=text, stamp=whole, score=shares, contained=st.booleans()
)
spans = st.tuples(st.integers(0, 99), st.integers(0, 99))
relations = st.builds(
    Relation,
    kind=kinds,
    score=shares,
    coverage=st.builds(Coverage, item=shares, other=shares),
    passages=st.lists(st.builds(Passage, item=spans, other=spans, same=shares), max_size=3),
    differs=st.lists(st.just("numbers"), max_size=1),
    evidence=st.dictionaries(text, shares, max_size=2),
    versions=st.dictionaries(text, text, max_size=2),
    **dict.fromkeys(["id", "item", "other", "published_first", "item_time", "other_time"], text),
    **dict.fromkeys(["item_digest", "other_digest"], text),
    **dict.fromkeys(["item_source", "other_source", "container", "contained"], maybe),
)
verdicts = st.builds(
    Verdict,
    **dict.fromkeys(["id", "item", "digest", "time"], text),
    **dict.fromkeys(["source", "original", "revises"], maybe),
    decision=st.sampled_from(
        ["unique", "duplicate", "contained", "contains", "reuses", "revised", "withdrawn"]
    ),
    relations=st.lists(text, max_size=3),
    late=st.booleans(),
    versions=st.dictionaries(text, text, max_size=2),
)


@given(origins, st.lists(items, max_size=3))
def test_a_pack_of_items_comes_back(origin: Origin, held: list[Item]) -> None:
    pack = Normalized(origin, held)
    assert decode_normalized(encode(pack)) == pack


@given(origins, st.lists(items, max_size=3), st.lists(st.lists(st.integers(0, 99), max_size=4), max_size=3))
def test_a_pack_of_sentences_comes_back(origin: Origin, held: list[Item], bounds: list[list[int]]) -> None:
    pack = Sentences(origin, held, bounds)
    assert decode_sentences(encode(pack)) == pack


@given(
    origins,
    st.lists(entries, max_size=3),
    st.binary(max_size=50),
    st.lists(registrations, max_size=3),
    st.lists(st.lists(founds, max_size=2), max_size=3),
)
def test_a_pack_of_fingerprints_comes_back(
    origin: Origin, held: list[Entry], signatures: bytes, known: list[Registration], found: list[list[Found]]
) -> None:
    pack = Fingerprints(origin, held, signatures, known, found)
    assert decode_fingerprints(encode(pack)) == pack


@given(relations)
def test_a_relation_comes_back(relation: Relation) -> None:
    assert decode_relation(encode(relation)) == relation


@given(verdicts)
def test_a_verdict_comes_back(verdict: Verdict) -> None:
    assert decode_verdict(encode(verdict)) == verdict


@given(st.none() | st.binary(max_size=20), st.none() | st.binary(max_size=20), text)
def test_a_dead_letter_has_a_header_for_everything_but_its_bytes(
    key: bytes | None, value: bytes | None, message: str
) -> None:
    letter = DeadLetter("news", 3, 17, key, value, "split", "stage-failed", message)
    assert dict(letter.headers()) == {
        "__streams.errors.exception": b"stage-failed",
        "__streams.errors.message": message.encode(),
        "__streams.errors.stacktrace": b"split",
        "__streams.errors.topic": b"news",
        "__streams.errors.partition": b"3",
        "__streams.errors.offset": b"17",
    }
    shown = letter.as_json()
    assert {"reason", "message", "stage", "topic", "partition", "offset"} <= set(shown)
    assert ("key" in shown) != ("key_base64" in shown)
    assert ("value" in shown) != ("value_base64" in shown)


@given(st.lists(text, max_size=4), st.lists(text, max_size=4))
def test_ids_follow_from_the_content_and_nothing_else(one: list[str], other: list[str]) -> None:
    assert (content_id(*one) == content_id(*other)) == (one == other)


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_a_time_is_read_back_from_its_iso_form(milliseconds: int) -> None:
    assert read_date(iso(milliseconds)) == milliseconds


def test_records_are_frozen() -> None:
    for record in (Item, Entry, Registration, Found, Relation, Verdict, DeadLetter, Origin):
        assert dataclasses.fields(record)
        assert record.__dataclass_params__.frozen  # type: ignore[attr-defined]
