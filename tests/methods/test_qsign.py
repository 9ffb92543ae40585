"""Kim, Candan and Tatemura: sentence signatures within a few bits, confirmed by the overlap of words."""

from __future__ import annotations

import gzip
import itertools
import json

import numpy as np
import pytest

from streams.methods import qsign
from streams.signature import Ragged
from tests.methods.stories import OTHER, STORY, signed


def grown(pairs: int, n: int, k: int) -> tuple[Ragged, Ragged]:
    """Sentences of n random words, and the same ones with k more."""
    words = np.random.default_rng(7).integers(0, 1 << 32, (pairs, n + k), dtype=np.uint32)
    return (
        Ragged.of(np.full(pairs, n), words[:, :n].ravel()),
        Ragged.of(np.full(pairs, n + k), words.ravel()),
    )


def differences(first: Ragged, second: Ragged, m: int, per_word: int) -> np.ndarray:
    """In how many bits the signatures of two lists of sentences differ."""
    grids = []
    for words in (first, second):
        grid = np.zeros(len(words) * m, dtype=bool)
        grid[qsign.set_bits(words, m, per_word)] = True
        grids.append(grid.reshape(-1, m))
    return np.count_nonzero(grids[0] != grids[1], axis=1)


@pytest.mark.parametrize(("m", "per_word"), [(16, 1), (32, 2), (512, 2)])
def test_as_many_bits_are_set_as_the_paper_expects(m, per_word):
    words, _ = grown(2000, 9, 0)
    share = len(qsign.set_bits(words, m, per_word)) / (2000 * m)
    assert share == pytest.approx(1 - (1 - 1 / m) ** (9 * per_word), abs=0.01)


@pytest.mark.parametrize(("m", "per_word"), [(16, 1), (32, 2)])
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_predicted_recall_lies_between_observed_ones_as_in_figure_7(m, per_word, k):
    """Those for a word less and a word more; the binomial of the paper is wider than what is observed."""
    n = 9
    fewer, more = (differences(*grown(4000, n, words), m, per_word) for words in (k - 1, k + 1))
    for d in range(6):
        predicted = qsign.within_probability(m, per_word, n, k, d)
        assert np.mean(more <= d) - 0.05 < predicted < np.mean(fewer <= d) + 0.05


@pytest.mark.parametrize(("m", "per_word"), [(16, 1), (32, 2), (512, 2)])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_predicted_mean_of_differing_bits_is_the_observed_one(m, per_word, k):
    observed = differences(*grown(4000, 9, k), m, per_word)
    assert m * qsign.switch_probability(m, per_word, 9, k) == pytest.approx(observed.mean(), rel=0.03)


def test_more_words_differ_in_more_bits_and_more_bits_find_more():
    table = [[qsign.within_probability(32, 2, 9, k, d) for d in range(6)] for k in (1, 2, 4)]
    assert all(row == sorted(row) for row in table)
    assert all(column == sorted(column, reverse=True) for column in map(list, zip(*table, strict=True)))


def test_a_long_sentence_hides_added_words_and_an_empty_addition_switches_nothing():
    assert qsign.switch_probability(32, 2, 5, 2) > qsign.switch_probability(32, 2, 50, 2)
    assert qsign.switch_probability(32, 2, 9, 0) == 0
    assert qsign.within_probability(32, 2, 9, 3, 32) == pytest.approx(1)


def test_the_bound_on_bits_is_the_largest_with_the_accepted_rate_of_false_positives():
    for k, rate in itertools.product((1, 2, 3, 5), (0.01, 0.05, 0.2)):
        d = qsign.bit_differences(32, 2, 9, k, rate)
        assert d < 0 or qsign.within_probability(32, 2, 9, k + 1, d) <= rate
        assert qsign.within_probability(32, 2, 9, k + 1, d + 1) > rate


def test_no_bit_may_differ_where_even_equal_signatures_are_too_probable():
    assert qsign.bit_differences(16, 1, 9, 0, 0.01) == -1


@pytest.mark.parametrize(("m", "d"), [(32, 3), (512, 4), (512, 2)])
def test_signatures_within_d_bits_share_a_band(m, d):
    first, second = grown(3000, 9, 1)
    near = np.flatnonzero(differences(first, second, m, 2) <= d)
    mine, theirs = (qsign.bands(qsign.set_bits(words, m, 2), m, d + 1) for words in (first, second))
    shared = set(zip(mine.sentences.tolist(), mine.hashes.tolist(), strict=True))
    shared &= set(zip(theirs.sentences.tolist(), theirs.hashes.tolist(), strict=True))
    assert len(near) > 100
    # all but those whose only equal band has no bits in it
    assert len(set(near.tolist()) - {sentence for sentence, _ in shared}) <= len(near) // 50


def test_equal_sentences_share_the_feature_of_the_whole_signature():
    features = qsign.features(signed("Gold falls again", "Again gold falls"))
    assert features[0].tolist() == features[1].tolist() != []


def test_a_changed_and_an_added_word_still_match():
    changed = STORY.replace("cracks", "fissures").replace("ferry lines", "ferry lines reluctantly")
    pack = signed(STORY, changed)
    comparison = qsign.compare(pack[1], pack[0])
    assert comparison.kind == "duplicate"
    assert comparison.pairs.item.tolist() == [0, 1, 2, 3, 4]
    assert comparison.pairs.other.tolist() == [0, 1, 2, 3, 4]
    assert comparison.pairs.same[1] == 1 > comparison.pairs.same[0] > 0.7
    features = qsign.features(pack)
    assert set(features[0].tolist()) & set(features[1].tolist())


def test_near_signatures_without_enough_words_in_common_are_no_match():
    pack = signed(STORY, STORY.replace("cracks", "fissures"))
    assert qsign.compare(pack[1], pack[0], overlap=1.01).kind is None


def test_the_outcome_does_not_depend_on_who_came_first():
    pack = signed(STORY, " ".join([OTHER, STORY.replace("cracks", "fissures"), OTHER]))
    there, back = qsign.compare(pack[1], pack[0]), qsign.compare(pack[0], pack[1])
    assert there.kind == back.kind == "containment"
    assert there.score == back.score
    assert (there.coverage_item, there.coverage_other) == (back.coverage_other, back.coverage_item)
    assert back.item_is_contained
    assert not there.item_is_contained


def test_one_quoted_sentence_is_a_reuse_and_a_shared_dateline_is_none():
    quote = " Engineers will measure the remaining pillars before the weekend."
    pack = signed("PORT, March 3. " + STORY, "PORT, March 3. " + OTHER + quote, "PORT, March 3. " + OTHER)
    assert qsign.compare(pack[1], pack[0]).kind == "reuse"
    assert qsign.compare(pack[2], pack[0]).kind is None


def test_an_item_of_many_equal_sentences_costs_no_more_than_it_should():
    pack = signed(" ".join([OTHER] * 1500), " ".join([OTHER] * 1500))
    assert qsign.compare(pack[1], pack[0]).kind == "duplicate"


def test_items_without_words_have_no_features_and_are_like_nothing():
    pack = signed("***", "", STORY)
    assert qsign.features(pack).counts().tolist()[:2] == [0, 0]
    assert qsign.compare(pack[1], pack[0]).kind is None
    assert qsign.compare(pack[2], pack[0]).kind is None
    assert qsign.compare(pack[0], pack[2]).kind is None


def test_features_of_a_pack_are_those_of_each_item_alone():
    texts = [STORY, "***", OTHER, "Gold falls again"]
    together = qsign.features(signed(*texts))
    for number, text in enumerate(texts):
        assert together[number].tolist() == qsign.features(signed(text))[0].tolist()


def test_features_outlive_a_release():
    pack = signed("Engineers measure nine pillars of the quay")
    expected = [14111260215406419288, 17193881205043120269, 987202256715552987]
    assert qsign.features(pack).values.tolist() == expected


def test_edited_copies_of_real_articles_are_found_and_called_duplicates(corpora):
    folder = corpora / "edits"
    with gzip.open(folder / "items.jsonl.gz") as lines:
        texts = {row["id"]: row["text"] for row in map(json.loads, lines)}
    with gzip.open(folder / "gold.jsonl.gz") as lines:
        gold = [row for row in map(json.loads, lines) if row["kind"] == "minor"]
    right = found = 0
    for row in gold:
        pack = signed(texts[row["source"]], texts[row["item"]])
        features = qsign.features(pack)
        found += bool(set(features[0].tolist()) & set(features[1].tolist()))
        right += qsign.compare(pack[1], pack[0]).kind == "duplicate"
    assert found == len(gold)
    assert right / len(gold) > 0.98
