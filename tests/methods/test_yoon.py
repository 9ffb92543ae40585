"""Yoon, Jang, Kim and Park: sentence fingerprints."""

from __future__ import annotations

import numpy as np
import pytest

from streams.methods import yoon
from streams.signature import Ragged, Signatures
from streams.stages.fingerprint import sign
from streams.stages.split import split_text
from streams.text.words import read_words
from tests.methods.stories import OTHER, STORY, signed

FIGURE_4 = [
    "U.S. to Reveal Some Rules on Security for Internet",
    "U.S. to Reveal Security Rules for Internet",
    "U.S. to Reveal Rules on Internet Security",
]


def whole(*sentences: str) -> Signatures:
    return sign(list(sentences), [[0, len(sentence)] for sentence in sentences])


def test_the_three_headlines_of_figure_4_have_one_fingerprint():
    pack = whole(*FIGURE_4)
    assert len(set(yoon.fingerprints(pack.words, pack.plain).tolist())) == 1


@pytest.mark.parametrize("sentence", FIGURE_4)
def test_figure_4_is_hashed_as_its_words_without_the_common_ones(sentence):
    telling = read_words(["internet reveal rules security"]).hashes
    alone = Ragged.of(np.array([4]), telling)
    pack = whole(sentence)
    expected = yoon.fingerprints(alone, np.array([4], dtype=np.uint16))
    assert yoon.fingerprints(pack.words, pack.plain).tolist() == expected.tolist()


def test_the_common_word_some_would_keep_the_headlines_apart_if_it_counted():
    pack = whole("U.S. to Reveal Sane Rules on Security for Internet", FIGURE_4[1])
    assert yoon.compare(pack[0], pack[1]).kind is None


def test_a_sentence_with_too_few_telling_words_keeps_its_common_ones():
    pack = whole("He said that it would be up to them all", "She said that it would not be up to them")
    assert yoon.compare(pack[0], pack[1]).kind is None


def test_numbers_count_even_where_they_are_common():
    pack = whole(
        "Northern quay repairs cost harbour owners 2 million",
        "Northern quay repairs cost harbour owners 3 million",
    )
    assert yoon.compare(pack[0], pack[1]).kind is None


def test_words_in_another_order_collide():
    pack = whole(
        "Divers found cracks in nine pillars of the quay", "In nine pillars of the quay divers found cracks"
    )
    assert yoon.compare(pack[0], pack[1]).kind == "duplicate"


def test_one_collision_counts_in_the_stream():
    quoted = OTHER + " Engineers will measure the remaining pillars before the weekend."
    pack = signed(STORY, quoted)
    comparison = yoon.compare(pack[1], pack[0])
    assert comparison.kind == "reuse"
    assert comparison.pairs.item.tolist() == [2]
    assert comparison.pairs.other.tolist() == [1]


def test_with_the_delta_of_the_paper_three_collisions_are_not_enough_and_four_are():
    sentences = [STORY[a:b] for a, b in zip(split_text(STORY)[::2], split_text(STORY)[1::2], strict=True)]
    three, four = (" ".join([OTHER, *sentences[:n]]) for n in (3, 4))
    pack = signed(STORY, three, four)
    assert yoon.compare(pack[1], pack[0], delta=3).kind is None
    assert yoon.compare(pack[2], pack[0], delta=3).kind is not None


def test_a_shared_dateline_or_credit_is_no_reuse():
    pack = signed("HARBOUR CITY, March 3. " + STORY, "HARBOUR CITY, March 3. " + OTHER)
    assert yoon.compare(pack[1], pack[0]).kind is None
    assert not set(yoon.features(pack)[0].tolist()) & set(yoon.features(pack)[1].tolist())


def test_an_item_of_brief_sentences_only_is_still_found():
    pack = whole("Gold falls again", "Gold falls again")
    assert yoon.features(pack)[0].tolist() == yoon.features(pack)[1].tolist() != []
    assert yoon.compare(pack[1], pack[0]).kind == "duplicate"


def test_sentences_seen_more_than_300_times_are_left_out():
    assert yoon.distinctive(np.array([1, 299, 300, 301, 5000])).tolist() == [True, True, True, False, False]
    assert yoon.distinctive(np.array([3, 4]), most=3).tolist() == [True, False]


def test_a_copy_is_a_duplicate_and_a_longer_host_contains_it():
    pack = signed(STORY, STORY, " ".join([OTHER, STORY, OTHER, OTHER]))
    assert yoon.compare(pack[1], pack[0]).kind == "duplicate"
    assert yoon.compare(pack[1], pack[0]).score == 1.0
    host = yoon.compare(pack[2], pack[0])
    assert host.kind == "containment"
    assert not host.item_is_contained


def test_pairs_are_sorted_by_the_sentence_of_the_item():
    spans = split_text(STORY)
    sentences = [STORY[a:b] for a, b in zip(spans[::2], spans[1::2], strict=True)]
    pack = signed(STORY, " ".join(reversed(sentences)))
    pairs = yoon.compare(pack[1], pack[0]).pairs
    assert pairs.item.tolist() == [0, 1, 2, 3, 4]
    assert pairs.other.tolist() == [4, 3, 2, 1, 0]


def test_an_item_without_words_has_no_features_and_is_like_nothing():
    pack = whole("***", "***")
    assert yoon.features(pack).counts().tolist() == [0, 0]
    assert yoon.compare(pack[0], pack[1]).kind is None


def test_features_of_a_pack_are_those_of_each_item_alone():
    texts = [STORY, OTHER, "***", FIGURE_4[0]]
    together = yoon.features(signed(*texts))
    for number, text in enumerate(texts):
        assert together[number].tolist() == yoon.features(signed(text))[0].tolist()


def test_fingerprints_outlive_a_release():
    assert yoon.features(signed(OTHER)).values.tolist() == [14087937285859565099, 10040433598590554339]
