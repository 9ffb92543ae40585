"""I-Match: one hash of the telling words."""

from __future__ import annotations

from streams.methods.baselines import imatch
from tests.methods.baselines.texts import SENTENCES, STORY, signed


def test_the_order_of_words_and_sentences_makes_no_difference():
    pack = signed("imatch", STORY, " ".join(reversed(STORY.split())))
    assert imatch.compare(pack[0], pack[1]).kind == "duplicate"


def test_common_words_and_unknown_words_make_no_difference():
    pack = signed("imatch", STORY, STORY.replace("sonar", "sonnar") + " And so it is.")
    assert imatch.compare(pack[0], pack[1]).kind == "duplicate"


def test_one_telling_word_more_makes_another_item():
    pack = signed("imatch", STORY, STORY + " Parliament.")
    assert imatch.compare(pack[0], pack[1]).kind is None


def test_an_item_with_too_few_telling_words_has_no_hash():
    assert signed("imatch", "He said so.").sketches["imatch"].counts().tolist() == [0]


def test_the_signature_stays_what_it_was():
    assert signed("imatch", SENTENCES[0], STORY).sketches["imatch"].values.tolist() == [
        1783050404757127361,
        2667739166411443462,
    ]
