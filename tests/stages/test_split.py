"""Sentences as spans of characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.stages.split import split_text
from streams.text.repair import repair
from tests.texts import sentences

texts = st.lists(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40),
        st.sampled_from(sentences("split", 6)),
        st.sampled_from(
            [
                "Mr. Smith left.",
                '"Go!" he said.',
                "東京は晴れ。大阪は雨。",
                "U.S. troops (in L.A.) left?",
                "…",
                "«",
            ]
        ),
    ),
    max_size=8,
).flatmap(lambda held: st.sampled_from([" ", "\n", ""]).map(lambda end: repair(end.join(held))))
languages = st.sampled_from([None, "en", "de", "ja", "zh-Hans", "xx", "EN_us", "", "\U0001f600"])


def spans(text: str, lang: str | None = None) -> list[tuple[int, int]]:
    bounds = split_text(text, lang)
    return list(zip(bounds[::2], bounds[1::2], strict=True))


@given(texts, languages)
def test_spans_lie_in_order_within_the_text(text: str, lang: str | None) -> None:
    end = 0
    for start, stop in spans(text, lang):
        assert end <= start < stop <= len(text)
        end = stop


@given(texts, languages)
def test_spans_begin_and_end_with_something_visible_and_stay_on_a_line(text: str, lang: str | None) -> None:
    for start, end in spans(text, lang):
        sentence = text[start:end]
        assert sentence == sentence.strip() != ""
        assert "\n" not in sentence


@given(texts, languages)
def test_every_letter_and_digit_is_in_a_span(text: str, lang: str | None) -> None:
    inside = "".join(text[start:end] for start, end in spans(text, lang))
    assert [c for c in inside if c.isalnum()] == [c for c in text if c.isalnum()]


@given(st.lists(st.sampled_from(sentences("known", 20)), max_size=10))
def test_spans_point_at_exactly_the_sentences(told: list[str]) -> None:
    text = " ".join(told)
    assert [text[start:end] for start, end in spans(text)] == told


@given(st.lists(st.sampled_from(sentences("known", 20)), min_size=1, max_size=5), st.integers(0, 4))
def test_a_sentence_is_cut_alike_whatever_stands_around_it(told: list[str], place: int) -> None:
    quoted = "The mayor of Wrenfield said that nobody would close the seven piers."
    told.insert(min(place, len(told)), quoted)
    text = " ".join(told)
    assert quoted in [text[start:end] for start, end in spans(text)]


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("Mr. Smith left. He was late!", "en", ["Mr. Smith left.", "He was late!"]),
        ("Er kam z. B. gestern. Dann ging er.", "de", ["Er kam z. B. gestern.", "Dann ging er."]),
        ("東京は晴れ。大阪は雨。", "ja", ["東京は晴れ。", "大阪は雨。"]),
        ("東京は晴れ。大阪は雨。", None, ["東京は晴れ。", "大阪は雨。"]),
        ("One line\nanother line", "en", ["One line", "another line"]),
        ("", "en", []),
        ("   ", "en", []),
        ("\U0001f600 Smiles. More \U0001f600.", "en", ["\U0001f600 Smiles.", "More \U0001f600."]),
    ],
)
def test_it_is_split_as(text: str, lang: str | None, expected: list[str]) -> None:
    assert [text[start:end] for start, end in spans(text, lang)] == expected
