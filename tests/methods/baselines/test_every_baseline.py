"""What holds for all of the baselines."""

from __future__ import annotations

import numpy as np
import pytest

from streams.methods.baselines import BASELINES
from streams.signature import Signatures
from tests.methods.baselines.texts import OTHER, SENTENCES, STORY, signed

TELL_REUSE = ["wang", "dsc", "fullprint"]
LONG = " ".join(f"{sentence} {number} {sentence[::-1]}" for number in range(400) for sentence in SENTENCES)


@pytest.fixture(params=BASELINES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_identical_texts_are_duplicates_with_score_one(name: str):
    pack = signed(name, STORY, STORY)
    result = BASELINES[name].compare(pack[0], pack[1])
    assert (result.kind, result.score) == ("duplicate", 1.0)


def test_identical_texts_find_each_other_by_every_feature(name: str):
    features = BASELINES[name].features(signed(name, STORY, OTHER, STORY))
    assert len(features[0])
    assert features.values.dtype == np.uint64
    np.testing.assert_array_equal(features[0], features[2])


def test_unrelated_texts_are_nothing_and_share_no_feature(name: str):
    pack = signed(name, STORY, OTHER)
    result = BASELINES[name].compare(pack[0], pack[1])
    assert result.kind is None
    assert result.score < 0.3
    features = BASELINES[name].features(pack)
    assert not set(features[0].tolist()) & set(features[1].tolist())


def test_case_accents_and_punctuation_make_no_difference(name: str):
    pack = signed(name, STORY, STORY.upper().replace(",", " –").replace("E", "É"))
    assert BASELINES[name].compare(pack[0], pack[1]).score == 1.0


def test_texts_without_words_have_no_features_and_are_nothing(name: str):
    pack = signed(name, "", "…", STORY, "")
    features = BASELINES[name].features(pack)
    assert features.counts()[[0, 1, 3]].tolist() == [0, 0, 0]
    for number in (1, 2, 3):
        assert BASELINES[name].compare(pack[0], pack[number]).kind is None


def test_a_pack_gives_each_item_what_it_gets_alone(name: str):
    together = signed(name, OTHER, STORY, "Nothing.")
    for number, text in enumerate((OTHER, STORY, "Nothing.")):
        alone = signed(name, text)
        np.testing.assert_array_equal(together.sketches[name][number], alone.sketches[name][0])
        np.testing.assert_array_equal(
            BASELINES[name].features(together)[number], BASELINES[name].features(alone)[0]
        )


def test_what_is_stored_comes_back_and_compares_the_same(name: str):
    pack = signed(name, STORY, OTHER)
    back = Signatures.from_bytes(pack.to_bytes())
    np.testing.assert_array_equal(
        BASELINES[name].features(back).values, BASELINES[name].features(pack).values
    )
    assert BASELINES[name].compare(back[0], pack[0]).score == 1.0


def test_comparing_does_not_depend_on_who_came_first(name: str):
    pack = signed(name, STORY, " ".join(SENTENCES[:5]))
    one = BASELINES[name].compare(pack[0], pack[1])
    two = BASELINES[name].compare(pack[1], pack[0])
    assert (one.kind, one.score) == (two.kind, two.score)
    assert (one.coverage_item, one.coverage_other) == (two.coverage_other, two.coverage_item)


def test_a_very_long_text_is_kept_in_a_bounded_size(name: str):
    pack = signed(name, LONG)
    assert pack.sketches[name].values.nbytes <= max(16_384, 8 * len(pack.starts))
    assert BASELINES[name].compare(pack[0], pack[0]).score == 1.0


@pytest.mark.parametrize("name", TELL_REUSE)
def test_half_of_a_long_text_is_contained_in_it(name: str):
    pack = signed(name, STORY, " ".join(SENTENCES[:3]))
    result = BASELINES[name].compare(pack[0], pack[1])
    assert result.kind == "containment"
    assert not result.item_is_contained
