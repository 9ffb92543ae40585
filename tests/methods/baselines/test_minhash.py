"""MinHash with bands."""

from __future__ import annotations

import numpy as np
import pytest

from streams.methods.baselines import minhash
from tests.methods.baselines.texts import SENTENCES, STORY, signed


@pytest.mark.parametrize("shared", [100, 200, 300])
def test_the_score_estimates_the_resemblance_of_the_shingles(shared: int):
    one = [f"word{n}" for n in range(404)]
    two = [f"word{n}" for n in range(404 - shared - 4, 808 - shared - 4)]
    pack = signed("minhash", " ".join(one), " ".join(two))
    resemblance = shared / (800 - shared)
    assert minhash.compare(pack[0], pack[1]).score == pytest.approx(resemblance, abs=0.13)


def test_the_order_of_words_costs_nearly_all():
    pack = signed("minhash", STORY, " ".join(reversed(STORY.split())))
    assert minhash.compare(pack[0], pack[1]).score < 0.1


def test_alike_items_share_a_band():
    pack = signed("minhash", STORY, STORY.replace("kroner", "crowns"))
    features = minhash.features(pack)
    assert len(features[0]) == 16
    assert len(np.intersect1d(features[0], features[1])) > 3


def test_the_signature_stays_what_it_was():
    assert signed("minhash", SENTENCES[0]).sketches["minhash"].values[:3].tolist() == [
        148353621,
        377828545,
        88393516,
    ]
