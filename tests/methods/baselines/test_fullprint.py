"""Full fingerprinting."""

from __future__ import annotations

import pytest

from streams.methods.baselines import fullprint
from tests.methods.baselines.texts import OTHER, SENTENCES, STORY, signed


def test_every_run_of_four_words_is_kept():
    assert signed("fullprint", "one two three four five six").sketches["fullprint"].counts().tolist() == [3]


def test_the_order_of_sentences_costs_three_runs_at_each_seam():
    pack = signed("fullprint", STORY, " ".join(SENTENCES[4:] + SENTENCES[:4]))
    total = len(pack.sketches["fullprint"][0])
    assert fullprint.compare(pack[0], pack[1]).score == pytest.approx(1 - 3 / total)


def test_the_order_of_words_costs_everything():
    pack = signed("fullprint", STORY, " ".join(reversed(STORY.split())))
    assert fullprint.compare(pack[0], pack[1]).score == 0


def test_one_quoted_sentence_is_a_reuse():
    pack = signed("fullprint", STORY, f"{OTHER} {SENTENCES[4]}")
    assert fullprint.compare(pack[0], pack[1]).kind == "reuse"


def test_a_phrase_in_common_is_nothing():
    pack = signed(
        "fullprint", f"{STORY} That was at the end of the day.", f"{OTHER} He left at the end of the day."
    )
    result = fullprint.compare(pack[0], pack[1])
    assert result.kind is None
    assert result.score > 0


def test_the_signature_stays_what_it_was():
    assert signed("fullprint", "one two three four five").sketches["fullprint"].values.tolist() == [
        1859434275,
        2714935526,
    ]
