"""SimHash: signs of random projections."""

from __future__ import annotations

import numpy as np
import pytest

from streams.methods.baselines import simhash
from streams.signature import Ragged, Signatures
from tests.methods.baselines.texts import SENTENCES, STORY, signed


def hashed(*values: int) -> Signatures:
    sketch = Ragged.of(np.ones(len(values), dtype=np.int64), np.array(values, dtype=np.uint64))
    none = signed("simhash", *[""] * len(values))
    return Signatures(
        none.sentences, none.starts, none.ends, none.sizes, none.plain, none.words, {"simhash": sketch}
    )


def test_the_order_of_words_makes_no_difference():
    pack = signed("simhash", STORY, " ".join(reversed(STORY.split())))
    assert simhash.compare(pack[0], pack[1]).score == 1.0


def test_a_few_words_change_a_few_bits():
    pack = signed("simhash", STORY, STORY.replace("kroner", "crowns"))
    assert 0.8 < simhash.compare(pack[0], pack[1]).score <= 1.0


@pytest.mark.parametrize("seed", range(20))
def test_whichever_three_bits_differ_a_feature_is_shared(seed: int):
    bits = np.random.default_rng(seed).choice(64, 3, replace=False)
    flipped = sum(1 << int(bit) for bit in bits)
    pack = hashed(0x0123456789ABCDEF, 0x0123456789ABCDEF ^ flipped)
    features = simhash.features(pack)
    assert len(features[0]) == 20
    assert len(np.intersect1d(features[0], features[1]))
    assert simhash.compare(pack[0], pack[1]).kind == "duplicate"


def test_four_bits_are_too_many_and_half_of_them_score_zero():
    pack = hashed(0, 0b1111, (1 << 32) - 1)
    assert simhash.compare(pack[0], pack[1]).kind is None
    assert simhash.compare(pack[0], pack[2]).score == pytest.approx(0)


def test_the_signature_stays_what_it_was():
    assert signed("simhash", SENTENCES[0], STORY).sketches["simhash"].values.tolist() == [
        6881442071694370422,
        9186847468588059382,
    ]
