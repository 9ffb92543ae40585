"""Digital syntactic clustering."""

from __future__ import annotations

import pytest

from streams.methods.baselines import dsc
from tests.methods.baselines.texts import STORY, signed


def numbered(first: int, end: int) -> str:
    return " ".join(f"word{n}" for n in range(first, end))


def test_about_every_25th_shingle_is_kept():
    kept = signed("dsc", numbered(0, 5009)).sketches["dsc"].counts()[0]
    assert kept == pytest.approx(200, abs=45)


def test_containment_is_told_where_resemblance_is_low():
    pack = signed("dsc", numbered(0, 2000), numbered(500, 1000))
    result = dsc.compare(pack[0], pack[1])
    assert (result.kind, result.item_is_contained) == ("containment", False)
    assert result.coverage_item == pytest.approx(0.25, abs=0.1)


def test_a_common_passage_of_two_long_items_is_a_reuse():
    pack = signed("dsc", numbered(0, 2000), numbered(1700, 3700))
    assert dsc.compare(pack[0], pack[1]).kind == "reuse"


def test_containment_is_judged_fairly_where_the_longer_one_was_cut():
    pack = signed("dsc", numbered(0, 40_000), numbered(5_000, 15_000))
    result = dsc.compare(pack[0], pack[1])
    assert (result.kind, result.coverage_other) == ("containment", 1.0)
    assert result.coverage_item == pytest.approx(0.25, abs=0.08)


def test_the_order_of_words_costs_everything():
    pack = signed("dsc", STORY, " ".join(reversed(STORY.split())))
    assert dsc.compare(pack[0], pack[1]).kind is None


def test_the_signature_stays_what_it_was():
    assert signed("dsc", STORY).sketches["dsc"].values.tolist() == [
        2773415939866809875,
        8637275274415714675,
        11365117223154020775,
        13781517610289518475,
        17414540891811938675,
    ]
