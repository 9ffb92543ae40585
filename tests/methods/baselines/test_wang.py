"""Exact sentences."""

from __future__ import annotations

from streams.methods.baselines import wang
from tests.methods.baselines.texts import OTHER, SENTENCES, STORY, signed


def test_the_order_of_sentences_makes_no_difference():
    pack = signed("wang", STORY, " ".join(reversed(SENTENCES)))
    assert wang.compare(pack[0], pack[1]).score == 1.0


def test_the_order_of_words_in_a_sentence_does():
    pack = signed(
        "wang", SENTENCES[0], SENTENCES[0].replace("closed the northern quay", "the northern quay closed")
    )
    assert wang.compare(pack[0], pack[1]).kind is None


def test_one_quoted_sentence_is_a_reuse_with_its_place_in_both():
    pack = signed("wang", STORY, f"{OTHER} {SENTENCES[4]}")
    result = wang.compare(pack[0], pack[1])
    assert result.kind == "reuse"
    assert (result.pairs.item.tolist(), result.pairs.other.tolist()) == ([4], [4])


def test_short_sentences_have_no_hash():
    pack = signed("wang", "He said so. " + OTHER, "He said so. " + STORY)
    assert pack.sketches["wang"][0][0] == 0
    assert wang.compare(pack[0], pack[1]).kind is None


def test_the_signature_stays_what_it_was():
    assert signed("wang", " ".join(SENTENCES[:2])).sketches["wang"].values.tolist() == [
        15388963755610568285,
        7821227007579960909,
    ]
