"""SpotSigs: chains of words after very common ones."""

from __future__ import annotations

from streams.methods.baselines import spotsigs
from tests.methods.baselines.texts import SENTENCES, STORY, signed


def test_menus_and_lists_without_antecedents_make_no_difference():
    menu = "Home News Sport Weather Contact Imprint. "
    pack = signed("spotsigs", STORY, menu + STORY)
    assert spotsigs.compare(pack[0], pack[1]).score == 1.0


def test_a_list_has_no_spots():
    assert signed("spotsigs", "Home News Sport Weather Contact").sketches["spotsigs"].counts().tolist() == [0]


def test_the_order_of_sentences_costs_little():
    pack = signed("spotsigs", STORY, " ".join(SENTENCES[4:] + SENTENCES[:4]))
    assert spotsigs.compare(pack[0], pack[1]).score > 0.9


def test_the_order_of_words_costs_nearly_all():
    pack = signed("spotsigs", STORY, " ".join(reversed(STORY.split())))
    assert spotsigs.compare(pack[0], pack[1]).score < 0.1


def test_a_spot_never_reaches_into_the_next_item():
    together = signed("spotsigs", "This is the", "northern quay").sketches["spotsigs"]
    assert together.counts().tolist() == [0, 0]


def test_the_signature_stays_what_it_was():
    assert signed("spotsigs", SENTENCES[0]).sketches["spotsigs"].values.tolist() == [
        1164564088296186678,
        5475900731092132792,
        9765898687088496199,
        13945147553593079090,
    ]
