"""Words as hashes: what is the same word, and what is not."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.text.words import read_words

LATIN = "abcdefghijklmnopqrstuvwxyzàâäéèêëîïôöùûüçñßœæåøłžščř"
GREEK = "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώ"
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ"
words = st.one_of(*(st.text(letters, min_size=1, max_size=12) for letters in (LATIN, GREEK, CYRILLIC)))
sentences = st.lists(words, min_size=1, max_size=8).map(" ".join)


def hashes(text: str) -> list[int]:
    return [int(h) for h in read_words([text]).hashes]


@given(sentences)
def test_case_does_not_matter(text: str) -> None:
    assert hashes(text) == hashes(text.upper()) == hashes(text.title())


@given(sentences)
def test_diacritics_do_not_matter(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    assert hashes(text) == hashes(decomposed) == hashes(bare)


@given(sentences, st.sampled_from([" ", ", ", " - ", "\t", "; ", "…", "\u00a0", "\u3000", "/", " “", "” "]))
def test_what_separates_words_does_not_matter(text: str, separator: str) -> None:
    assert hashes(text) == hashes(text.replace(" ", separator))


@given(st.lists(sentences, max_size=5))
def test_sentences_do_not_touch_each_other(texts: list[str]) -> None:
    together = read_words(texts)
    for number, text in enumerate(texts):
        assert [int(h) for h in together.hashes[together.sentences == number]] == hashes(text)


@given(st.integers(1_000, 10**15))
def test_separators_in_numbers_do_not_matter(number: int) -> None:
    plain = hashes(str(number))
    assert len(plain) == 1
    assert hashes(f"{number:,}") == hashes(f"{number:,}".replace(",", ".")) == plain
    assert read_words([f"{number:,}"]).numbers.tolist() == [True]


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_other_numbers_are_other_words(one: int, other: int) -> None:
    assert (hashes(str(one)) == hashes(str(other))) == (one == other)


@given(words, words)
def test_other_words_are_other_words(one: str, other: str) -> None:
    def folded(word: str) -> str:
        decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", word).casefold())
        return "".join(c for c in decomposed if not unicodedata.combining(c))

    assert (hashes(one) == hashes(other)) == (folded(one) == folded(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("don't", "dont"),
        ("l’été", "lete"),
        ("ﬁnance", "finance"),
        ("ＡＢＣ", "abc"),
        ("Straße", "STRASSE"),
        ("co\u00adoperation", "cooperation"),
        ("zero\u200bwidth", "zerowidth"),
        ("كِتَاب", "كتاب"),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("3.25", "3,25"),
    ],
)
def test_these_are_the_same(one: str, other: str) -> None:
    assert hashes(one) == hashes(other)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("東京都", 2),
        ("東", 1),
        ("東京 大阪", 2),
        ("ไทย", 2),
        ("AIの時代", 3),
        ("", 0),
        ("…!", 0),
        ("a1b2", 1),
    ],
)
def test_so_many_words_are_in(text: str, count: int) -> None:
    assert len(hashes(text)) == count


@given(st.lists(st.text(max_size=40), max_size=5))
def test_no_text_is_too_odd(texts: list[str]) -> None:
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    found = read_words(texts)
    assert len(found.hashes) == len(found.numbers) == len(found.sentences)
    assert all(0 <= number < len(texts) for number in found.sentences.tolist())
    assert found.sentences.tolist() == sorted(found.sentences.tolist())
