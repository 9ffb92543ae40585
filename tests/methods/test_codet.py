"""Varol: containment by the rarest words of sentences."""

from __future__ import annotations

import numpy as np
import pytest

from streams.methods import codet
from streams.methods.idf import idf
from streams.signature import Signatures
from streams.stages.fingerprint import sign
from streams.stages.split import split_text
from streams.text.words import read_words, stems
from tests.methods.stories import OTHER, STORY

# figure 3.1, where the words are not sorted
TREE = {
    "A": ["nasdaq starts day with an increase", "shares gain 2%"],
    "B": ["nasdaq starts day with a decrease", "shares lose 2%"],
    "C": ["shares lose 2%"],
}
NASDAQ = {
    "A": "NASDAQ starts day with an increase. Shares gain 2%.",
    "B": "NASDAQ starts the day with a decrease. Shares lose 2%.",
    "C": "Shares lose 2%.",
}
RARE = float(idf(np.zeros(1, dtype=np.uint8))[0]) + 1e-3


def signed(*texts: str) -> Signatures:
    return sign(list(texts), [split_text(text) for text in texts], ["codet"])


def unsorted(sentences: list[str]) -> codet.Stems:
    """Stems in the order of the text, all equally rare."""
    rows = np.zeros((len(sentences), 7), dtype=np.uint32)
    for number, sentence in enumerate(sentences):
        cut = stems(read_words([sentence]))
        rows[number, : len(cut)] = ((cut >> np.uint32(8)) | np.uint32(1)) << np.uint32(8)
    return rows


def visited(sentences: list[str]) -> set[int]:
    return set(codet.nodes(unsorted(sentences)).ravel().tolist()) - {0}


def similarity(a: list[str], b: list[str], **parameters: float) -> float:
    """CS in units of the idf of a rare word."""
    first, second = (codet.tally(unsorted(sentences), **parameters) for sentences in (a, b))
    return round(codet.containment_similarity(first, second) / RARE, 6)


def test_the_corpus_tree_grows_as_in_figure_3_1():
    a, b, c = (visited(TREE[name]) for name in "ABC")
    assert len(a) == 9
    assert len(b - a) == 4  # a, decrease; lose, 2%
    assert len(a & b) == 5  # nasdaq, starts, day, with; shares
    assert c <= b


def test_containment_similarity_is_the_sum_of_depth_times_idf_over_revisited_nodes():
    depth = 7
    assert similarity(TREE["A"], TREE["B"], depth=depth) == 1 + 2 + 3 + 4 + 1
    assert similarity(TREE["A"], TREE["C"], depth=depth) == 1
    assert similarity(TREE["B"], TREE["C"], depth=depth) == 1 + 2 + 3
    assert similarity(TREE["A"], TREE["A"], depth=depth) == (1 + 2 + 3 + 4 + 5 + 6) + (1 + 2 + 3)


def test_two_sentences_are_as_similar_as_their_common_beginning_is_long():
    assert similarity(["John is happy"], ["John is sad"]) == 1 + 2
    assert similarity(["John is happy"], ["happy is John"]) == 0


def test_the_depth_threshold_ends_a_sentence():
    sentence = ["nasdaq starts day with an increase"]
    assert similarity(sentence, sentence, depth=3) == 1 + 2 + 3
    assert similarity(sentence, sentence) == 1 + 2 + 3 + 4 + 5


@pytest.mark.parametrize(("power", "expected"), [(0, 3), (1, 6), (2, 14), (3, 36)])
def test_the_depth_score_power_raises_the_depth(power, expected):
    assert similarity(["shares lose 2%"], ["shares lose 2%"], power=power) == expected


def test_three_processed_suffixes_are_the_sentence_and_it_without_its_first_words():
    sentence = ["nasdaq starts day with an increase"]
    one, three = (codet.tally(unsorted(sentence), suffixes=count) for count in (1, 3))
    parts = ["nasdaq starts day with an", "starts day with an increase", "day with an increase"]
    assert set(three.nodes.tolist()) == visited(parts)
    assert len(one.nodes) == 5
    assert len(three.nodes) == 5 + 5 + 4


def test_more_words_than_are_kept_cannot_be_asked_for():
    pack = signed(STORY, STORY)
    with pytest.raises(ValueError, match="depth 6 with 3 suffixes"):
        codet.compare(pack[1], pack[0], depth=6, suffixes=3)
    assert codet.compare(pack[1], pack[0], depth=5, suffixes=3).kind == "duplicate"


def test_the_last_nasdaq_document_is_contained_in_the_second_and_not_in_the_first():
    pack = signed(*NASDAQ.values())
    second = codet.compare(pack[2], pack[1])
    assert second.kind == "containment"
    assert second.item_is_contained
    assert second.coverage_item == 1.0
    assert codet.compare(pack[2], pack[0]).kind is None


def test_a_container_that_comes_later_contains():
    pack = signed(NASDAQ["C"], NASDAQ["B"])
    comparison = codet.compare(pack[1], pack[0])
    assert comparison.kind == "containment"
    assert not comparison.item_is_contained


def test_words_count_by_their_first_five_letters():
    pack = signed("Engineers measured the remaining pillars", "Engineering measures the remaining pillar")
    comparison = codet.compare(pack[1], pack[0])
    assert comparison.kind == "duplicate"
    assert comparison.coverage_item > 0.99


def test_stems_of_scripts_without_spaces_are_the_words_themselves():
    words = read_words(["港務局關閉碼頭 harbour"])
    assert stems(words)[:-1].tolist() == words.hashes[:-1].tolist()
    assert stems(words)[-1] == read_words(["harbo"]).hashes[0]


def test_rarest_words_stand_first_and_common_ones_are_not_kept():
    rows = signed("The harbour authority of the town was to be with them for all of it")[0].sketches["codet"]
    levels = (rows & 0xFF).tolist()
    assert levels == sorted(levels)
    assert len(rows) == 7


def test_the_order_of_words_and_common_words_do_not_matter():
    pack = signed(
        STORY, STORY.replace("closed the northern quay on Tuesday", "on Tuesday closed that northern quay")
    )
    assert codet.compare(pack[1], pack[0]).score == 1.0


def test_a_copy_is_a_duplicate_with_pairs_sorted_by_the_sentence_of_the_item():
    spans = split_text(STORY)
    sentences = [STORY[a:b] for a, b in zip(spans[::2], spans[1::2], strict=True)]
    pack = signed(STORY, " ".join(reversed(sentences)))
    comparison = codet.compare(pack[1], pack[0])
    assert (comparison.kind, comparison.score) == ("duplicate", 1.0)
    assert comparison.pairs.item.tolist() == [0, 1, 2, 3, 4]
    assert comparison.pairs.other.tolist() == [4, 3, 2, 1, 0]
    assert comparison.pairs.same.tolist() == [1.0] * 5


def test_one_sentence_of_full_depth_is_a_reuse_and_unrelated_items_are_none():
    quote = " Engineers will measure the remaining pillars before the weekend."
    pack = signed(STORY, " ".join([OTHER, quote, OTHER.replace("museum", "library")]), OTHER)
    comparison = codet.compare(pack[1], pack[0])
    assert comparison.kind == "reuse"
    assert comparison.pairs.item.tolist() == [2]
    assert comparison.pairs.other.tolist() == [1]
    assert codet.compare(pack[2], pack[0]).kind is None


def test_sentences_that_repeat_are_counted_by_node_and_not_by_pair():
    pack = signed(" ".join([OTHER] * 2000), " ".join([OTHER] * 2000))
    assert codet.compare(pack[1], pack[0]).kind == "duplicate"


def test_items_without_words_have_no_features_and_are_like_nothing():
    pack = signed("***", "", STORY)
    assert codet.features(pack).counts().tolist() == [0, 0, 5]
    for a, b in [(1, 0), (2, 0), (0, 2), (2, 1), (1, 2)]:
        assert codet.compare(pack[a], pack[b]).kind is None


def test_an_item_of_one_or_two_words_is_still_found():
    features = codet.features(signed("Gold falls", "Gold falls", "Gold falls. " + STORY))
    assert features[0].tolist() == features[1].tolist() != []
    assert len(features[2]) == 5


def test_sketches_of_a_pack_are_those_of_each_item_alone_and_survive_as_bytes():
    texts = [STORY, "***", OTHER, NASDAQ["A"]]
    pack = Signatures.from_bytes(signed(*texts).to_bytes())
    for number, text in enumerate(texts):
        alone = signed(text)
        assert pack[number].sketches["codet"].tolist() == alone[0].sketches["codet"].tolist()
        assert codet.features(pack)[number].tolist() == codet.features(alone)[0].tolist()


def test_signatures_outlive_a_release():
    pack = signed(NASDAQ["C"])
    assert pack[0].sketches["codet"].tolist() == [758896946, 1578368820, 3685630784, 0, 0, 0, 0]
    assert codet.features(pack).values.tolist() == [13597964085056483124]
