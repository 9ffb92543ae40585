"""Whatever is not an item goes to the dead letters unchanged, with the reason, and the stream goes on."""

from __future__ import annotations

import json

import pytest

from streams.records import REASONS
from tests.buses import START, EmbeddedBus, KafkaBus, Outcome, Raw, at, iso_at
from tests.texts import item, sentences, story

Bus = EmbeddedBus | KafkaBus
TEXT = story("bad input")


def body(**fields: object) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode()


BAD: dict[str, tuple[bytes, str]] = {
    "not UTF-8": (b'{"id": "x", "text": "caf\xe9 in the harbour"}', "not-utf8"),
    "not UTF-8 at all": (bytes(range(128, 256)), "not-utf8"),
    "UTF-16": (json.dumps({"id": "x", "text": TEXT}).encode("utf-16"), "not-utf8"),
    "not JSON": (b"Breaking: harbour closed", "not-json"),
    "half of JSON": (body(id="x", text=TEXT)[:40], "not-json"),
    "two objects": (body(id="x", text=TEXT) * 2, "not-json"),
    "white space": (b"  \n ", "not-json"),
    "NaN": (b'{"id": "x", "text": NaN}', "not-json"),
    "a list": (body(id="x", text=TEXT).join([b"[", b"]"]), "not-an-object"),
    "a string": (json.dumps(TEXT).encode(), "not-an-object"),
    "a number": (b"17", "not-an-object"),
    "null": (b"null", "not-an-object"),
    "an empty object": (b"{}", "no-id"),
    "no id": (body(text=TEXT), "no-id"),
    "an id of null": (body(id=None, text=TEXT), "no-id"),
    "an id that is a number": (body(id=17, text=TEXT), "bad-id"),
    "an id that is a list": (body(id=["x"], text=TEXT), "bad-id"),
    "an id that is an object": (body(id={"x": 1}, text=TEXT), "bad-id"),
    "an id that is true": (body(id=True, text=TEXT), "bad-id"),
    "an empty id": (body(id="", text=TEXT), "bad-id"),
    "an id of 2,000 characters": (body(id="x" * 2000, text=TEXT), "bad-id"),
    "an id with a newline": (body(id="x\ny", text=TEXT), "bad-id"),
    "no text": (body(id="x", title="A title"), "no-text"),
    "a text of null": (body(id="x", text=None), "no-text"),
    "a text that is a number": (body(id="x", text=17), "bad-text"),
    "a text that is a list": (body(id="x", text=[TEXT]), "bad-text"),
    "html that is an object": (body(id="x", html={"p": TEXT}), "bad-text"),
    "an empty text": (body(id="x", text=""), "empty-text"),
    "a text of spaces": (body(id="x", text=" \t\n\u3000\u200b ".replace("\u200b", "")), "empty-text"),
    "html without text": (body(id="x", html="<p><img src='x.png'></p><script>x()</script>"), "empty-text"),
    "control characters": (body(id="x", text="\x00\x01\x02 word " * 40), "control-characters"),
    "raw control characters": (b'{"id": "x", "text": "a\x00b\x1fc"}', "not-json"),
    "a lone surrogate": (b'{"id": "x", "text": "a \\ud800 b"}', "not-json"),
    "a lone surrogate in the id": (b'{"id": "\\udfff", "text": "a b"}', "not-json"),
    "deeply nested lists": (b"[" * 100_000 + b"]" * 100_000, "not-json"),
    "a deeply nested field": (
        b'{"id": "x", "text": "t", "more": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001,
        "not-json",
    ),
}
HUGE: dict[str, tuple[bytes, str]] = {
    "a text of 10 MB": (body(id="x", text=(TEXT + " ") * (10_000_000 // len(TEXT) + 1)), "too-long"),
    "100,000 sentences": (body(id="x", text="So it is. " * 100_000), "too-many-sentences"),
    "100,000 lines": (body(id="x", text="So it is\n" * 100_000), "too-many-sentences"),
    "a sentence of 1 MB": (body(id="x", text="harbour " * 131_072), "sentence-too-long"),
    "a word of 1 MB": (body(id="x", text="h" * 1_048_576), "sentence-too-long"),
    "a Chinese sentence of 1 MB": (body(id="x", text="港口关闭" * 90_000), "sentence-too-long"),
    "html of 10 MB": (body(id="x", html="<p>harbour</p>" * 750_000), "too-long"),
    "a message of 16.5 MB": (body(id="x", text="x" * 17_300_000), "too-large"),
}


def stream(bad: dict[str, tuple[bytes, str]]) -> list[Raw]:
    """Every bad message between good items."""
    records = []
    for number, (value, _) in enumerate(bad.values()):
        good = item(f"good-{number}", story(("good", number)), number / 100)
        records.append(Raw(body(**good), b"good key", at(number / 100)))
        records.append(Raw(value, f"key {number}".encode(), at(number / 100)))
        again = {**good, "id": f"copy-{number}"}
        records.append(Raw(body(**again), None, at(number / 100)))
    return records


@pytest.fixture(scope="module")
async def outcome(bus: Bus) -> Outcome:
    return await bus.judge(stream(BAD))


@pytest.fixture(scope="module")
async def outcome_of_huge(bus: Bus) -> Outcome:
    return await bus.judge(stream(HUGE))


def check(outcome: Outcome, bad: dict[str, tuple[bytes, str]], name: str) -> None:
    number = list(bad).index(name)
    value, reason = bad[name]
    (letter,) = [found for found in outcome.dead_letters if found.key == f"key {number}".encode()]
    assert letter.value == value
    assert letter.reason == reason
    assert reason in REASONS
    headers = dict(letter.headers)
    assert headers.pop("__streams.errors.message")
    assert headers.pop("__streams.errors.topic").endswith("news")
    assert headers.pop("__streams.errors.stacktrace") == "normalize"
    assert headers == {
        "__streams.errors.exception": reason,
        "__streams.errors.partition": "0",
        "__streams.errors.offset": str(3 * number + 1),
    }


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_a_dead_letter_with_key_bytes_and_reason(outcome: Outcome, name: str) -> None:
    check(outcome, BAD, name)


def test_the_good_items_around_bad_input_are_judged(outcome: Outcome) -> None:
    assert len(outcome.dead_letters) == len(BAD)
    for number in range(len(BAD)):
        assert outcome.verdict(f"good-{number}").decision == "unique"
        assert outcome.verdict(f"copy-{number}").original == f"good-{number}"


@pytest.mark.parametrize("name", HUGE)
def test_huge_input_is_a_dead_letter_with_key_bytes_and_reason(outcome_of_huge: Outcome, name: str) -> None:
    check(outcome_of_huge, HUGE, name)


def test_the_good_items_around_huge_input_are_judged(outcome_of_huge: Outcome) -> None:
    assert len(outcome_of_huge.dead_letters) == len(HUGE)
    for number in range(len(HUGE)):
        assert outcome_of_huge.verdict(f"good-{number}").decision == "unique"
        assert outcome_of_huge.verdict(f"copy-{number}").original == f"good-{number}"


async def test_the_limits_are_settings(bus: Bus) -> None:
    text = " ".join(sentences("limits", 12))
    records = [Raw(body(**item("x", text)), b"x"), Raw(body(**item("y", story("short", 1))), b"y")]
    too_long = await bus.judge(records, max_text_characters=200)
    too_many = await bus.judge(records, max_sentences=10, max_sentence_characters=500)
    assert [(d.key, d.reason) for d in too_long.dead_letters] == [(b"x", "too-long")]
    assert [(d.key, d.reason) for d in too_many.dead_letters] == [(b"x", "too-many-sentences")]
    assert too_long.verdict("y").decision == too_many.verdict("y").decision == "unique"


EMPTY = {
    "without a value and without a key": Raw(None, None, START),
    "without a value and with an empty key": Raw(None, b"", START),
    "of no bytes and without a key": Raw(b"", None, START),
    "of no bytes and with an empty key": Raw(b"", b"", START),
}


@pytest.mark.parametrize("name", EMPTY)
async def test_an_empty_message_without_a_key_is_a_dead_letter(bus: Bus, name: str) -> None:
    message = EMPTY[name]
    outcome = await bus.judge([item("before", story(1)), message, item("after", story(1))])
    (letter,) = outcome.dead_letters
    assert (letter.key, letter.value, letter.reason) == (message.key, message.value, "no-key")
    assert outcome.verdict("after").original == "before"


async def test_an_empty_message_whose_key_is_not_utf8_is_a_dead_letter(bus: Bus) -> None:
    outcome = await bus.judge([item("before", story(1)), Raw(None, b"\xff\xfe"), item("after", story(1))])
    (letter,) = outcome.dead_letters
    assert (letter.key, letter.value, letter.reason) == (b"\xff\xfe", None, "not-utf8")
    assert outcome.verdict("after").original == "before"


ODD_TEXTS = {
    "of quotation marks": '"' * 500,
    "of 30,000 quotation marks": '"' * 30_000,
    "of 60,000 full stops": "." * 60_000,
    "of symbols": "\u2603 \U0001f600 \u00a7",
    "of combining marks": "\u0301" * 5_000,
    "of zero-width spaces": "\u200b" * 50,
    "of private characters": "\ue000\ue001" * 50,
    "of one letter": "a",
    "of numbers": "1 2 3 4 5 6 7 8 9",
    "with 50,000 open tags": "<div>" * 50_000 + "harbour",
    "with 50,000 open inline tags": "<b>" * 50_000 + "harbour",
    "with half a tag": "<p>The harbour is closed<a href='x",
    "with a script that is not closed": "<p>The harbour</p><script>var a = '<p>",
}


async def test_a_text_with_hardly_any_words_does_not_stop_the_stream(bus: Bus) -> None:
    odd = [
        Raw(body(id=f"{name}-{n}", **{name: text}), f"{name}-{n}".encode(), at(0))
        for n, text in enumerate(ODD_TEXTS.values())
        for name in ("text", "html")
    ]
    outcome = await bus.judge([item("before", story(1)), *odd, item("after", story(1))])
    assert outcome.verdict("after").original == "before"
    ends = [v.item for v in outcome.verdicts] + [
        (letter.key or b"").decode() for letter in outcome.dead_letters
    ]
    assert sorted(ends) == sorted(["before", "after", *((raw.key or b"").decode() for raw in odd)])
    assert {letter.reason for letter in outcome.dead_letters} <= set(REASONS) - {"stage-failed"}


# Dates are repaired, not rejected: the event time is then that of the record.
ODD_DATES: list[object] = [
    None,
    "",
    "soon",
    "yesterday",
    "0000-00-00",
    "2026-13-45T99:99:99Z",
    "9999-12-31T23:59:59-14:00",
    "0001-01-01T00:00:00+14:00",
    "1970-01-01T00:00:00Z",
    "2126-03-02T06:00:00Z",
    "x" * 10_000,
    "٢٠٢٦-٠٣-٠٢",
    0,
    -1,
    1e300,
    -1e300,
    10**30,
    253402300800000,
    True,
    [],
    ["2026-03-02"],
    {"date": "2026-03-02"},
]
ODD_FIELDS: list[dict[str, object]] = [
    {"title": 17, "source": [], "lang": {}, "url": True},
    {"lang": "xx-not-a-language"},
    {"lang": "\U0001f600"},
    {"lang": ""},
    {"source": "s" * 100_000},
    {"text": story("few", 3) + "\x07\ufeff\x9f"},
    {"unknown": {"deep": [1, [2, [3]]]}},
    {"html": "<p>ignored where there is text</p>"},
]


async def test_odd_dates_are_repaired_and_odd_fields_passed_over(bus: Bus) -> None:
    dates = [
        Raw(body(id=f"date-{n}", text=story(("date", n)), published_at=date), None, at(1))
        for n, date in enumerate(ODD_DATES)
    ]
    fields = [
        Raw(body(**{"id": f"field-{n}", "text": story(("field", n)), **odd}), None, at(1))
        for n, odd in enumerate(ODD_FIELDS)
    ]
    outcome = await bus.judge([*dates, *fields, item("later", story("later"), 2)])
    assert outcome.dead_letters == []
    assert len(outcome.verdicts) == len(dates) + len(fields) + 1
    assert {v.time for v in outcome.verdicts if v.item.startswith("date-")} == {
        iso_at(1).replace("+00:00", ".000Z")
    }
