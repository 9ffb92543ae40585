"""Raw records become items."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from streams.records import REASONS, Item, RawRecord
from streams.stages.normalize import RawClock, normalize
from tests.buses import START, iso_at, settings_of
from tests.texts import item, story

SETTINGS = settings_of()
NOW = START + 10**9


def read(*values: bytes | None, key: bytes | None = None, timestamps: list[int] | None = None) -> list[Item]:
    pack, dead = normalize(
        records(*values, key=key, timestamps=timestamps), RawClock(), SETTINGS, partitions=1, now=NOW
    )
    assert not dead
    assert pack is not None
    return pack.items


def records(
    *values: bytes | None, key: bytes | None = None, timestamps: list[int] | None = None
) -> list[RawRecord]:
    times = timestamps or [START] * len(values)
    return [
        RawRecord("news", 0, offset, time, key, value)
        for offset, (value, time) in enumerate(zip(values, times, strict=True))
    ]


def body(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def test_fields_are_read() -> None:
    (found,) = read(
        body(id="x", text="The harbour.", title="T", source="S", lang="en", url="U", published_at=iso_at(0.5))
    )
    assert (found.id, found.text, found.title, found.source, found.lang, found.url) == (
        "x",
        "The harbour.",
        "T",
        "S",
        "en",
        "U",
    )
    assert found.time == START + 1_800_000


def test_text_goes_before_html_and_html_is_read() -> None:
    one, other = read(body(id="x", text="T", html="<p>H</p>"), body(id="x", html="<p>H</p>"))
    assert (one.text, other.text) == ("T", "H")


def test_the_same_text_has_the_same_digest_however_it_came() -> None:
    digests = {
        found.digest
        for found in read(
            body(id="a", text="Café  open &amp; full"),
            body(id="b", text="Cafe\u0301 open & full "),
            body(id="c", html="<p>Caf&eacute; <b>open</b> &amp; full</p>"),
        )
    }
    assert len(digests) == 1


def test_the_pack_says_where_it_comes_from_with_its_dead_letters() -> None:
    pack, dead = normalize(
        records(b"x", body(id="a", text="A b."), b"y"), RawClock(), SETTINGS, partitions=3, now=NOW
    )
    assert pack is not None
    assert (pack.origin.first, pack.origin.last, pack.origin.partitions) == (0, 2, 3)
    assert [found.offset for found in pack.items] == [1]
    assert [letter.offset for letter in dead] == [0, 2]


def test_a_pack_without_a_usable_item_is_none() -> None:
    pack, dead = normalize(records(b"x", b"y"), RawClock(), SETTINGS, partitions=1, now=NOW)
    assert pack is None
    assert len(dead) == 2


def test_bad_records_do_not_hold_time() -> None:
    clock = RawClock()
    normalize(records(b"x", timestamps=[START + 5]), clock, SETTINGS, partitions=1, now=NOW)
    assert clock.arrived == START + 5


scalars = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False)
values = st.recursive(
    scalars | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
fields = st.dictionaries(
    st.sampled_from(["id", "text", "html", "title", "published_at", "source", "lang", "url", "other"]), values
)
messages = st.none() | st.binary(max_size=60) | fields


@given(st.lists(messages, min_size=1, max_size=6), st.none() | st.binary(max_size=9))
def test_every_record_becomes_an_item_or_a_dead_letter(
    held: list[bytes | dict[str, object] | None], key: bytes | None
) -> None:
    raw = [json.dumps(value).encode() if isinstance(value, dict) else value for value in held]
    pack, dead = normalize(records(*raw, key=key), RawClock(), SETTINGS, partitions=1, now=NOW)
    offsets = [letter.offset for letter in dead] + [found.offset for found in (pack.items if pack else [])]
    assert sorted(offsets) == list(range(len(raw)))
    for letter in dead:
        assert (letter.key, letter.value) == (key, raw[letter.offset])
        assert letter.reason in REASONS
        assert letter.message


@given(st.lists(st.integers(START - 10**9, NOW + 10**9), min_size=1, max_size=20), st.integers(1, 19))
def test_how_records_are_packed_does_not_change_the_items(timestamps: list[int], cut: int) -> None:
    raw = records(
        *(json.dumps(item(f"i{n}", story(n, 1), n)).encode() for n in range(len(timestamps))),
        timestamps=timestamps,
    )
    clock = RawClock()
    whole, _ = normalize(raw, RawClock(), SETTINGS, partitions=1, now=NOW)
    parts = [
        normalize(part, clock, SETTINGS, partitions=1, now=NOW)[0] for part in (raw[:cut], raw[cut:]) if part
    ]
    assert whole is not None
    assert whole.items == [found for part in parts if part for found in part.items]
