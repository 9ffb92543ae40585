"""Montanari and Puglisi: q-grams of characters, and the window of 24 hours."""

from __future__ import annotations

import gzip
import itertools
import json
import random
from pathlib import Path

import orjson
import pytest

from streams.embedded import Embedded
from streams.methods import ddd
from streams.records import HOUR_MS, RawRecord
from streams.settings import Settings
from streams.signature import Signatures
from streams.stages.fingerprint import sign

FIRST_OF_MARCH = 1330560000000  # 2012, midnight


def signed(*texts: str) -> Signatures:
    return sign(list(texts), [[0, len(text)] for text in texts], ["ddd"])


def prose(seed: int, words: int) -> list[str]:
    """Words of 2 to 9 letters without a meaning, the short ones frequent."""
    draw = random.Random(seed)
    return [
        "".join(draw.choice("aeioubcdfglmnprst") for _ in range(draw.choice((2, 3, 4, 5, 6, 7, 9))))
        for _ in range(words)
    ]


def test_the_signature_of_a_rose_is_that_of_the_paper():
    expected = "Aro ros ose sei eis isa saf afl flo low owe wer".lower().split()
    assert ddd.qgrams("A rose is a flower", 3) == set(expected)
    assert len(expected) == len("Aroseisaflower") - 3 + 1


def test_substrings_shorter_than_q_are_not_used():
    assert ddd.qgrams("abc") == set()
    assert ddd.qgrams("abcd") == {"abcd"}


def test_white_space_punctuation_and_case_do_not_matter():
    assert ddd.qgrams("The president, (again)!") == ddd.qgrams("THE  presi-dent again")
    assert {"hepr", "epre"} <= ddd.qgrams("the president")


def test_the_longer_text_is_the_denominator():
    short, long = ddd.qgrams("abcdefgh"), ddd.qgrams("abcdefghijklm")
    assert ddd.similarity(short, long) == ddd.similarity(long, short) == 5 / 10


def test_a_text_without_q_grams_is_like_nothing():
    assert ddd.similarity(set(), ddd.qgrams("abcd")) == 0
    pack = signed("a b", "a b", "", "abcdefgh")
    assert ddd.features(pack).counts().tolist() == [0, 0, 0, 5]
    assert ddd.compare(pack[1], pack[0]).kind is None
    assert ddd.compare(pack[3], pack[2]).kind is None


@pytest.mark.parametrize(("score", "kind"), [(0.69, "duplicate"), (0.7, "duplicate"), (0.71, None)])
def test_the_threshold_itself_is_enough(score, kind):
    pack = signed("abcdefghijklm", "abcdefghijxyz")  # 7 of 10
    comparison = ddd.compare(pack[1], pack[0], threshold=score)
    assert comparison.score == 0.7
    assert comparison.kind == kind


def test_short_texts_are_judged_exactly():
    for seed in range(40):
        words = prose(seed, 40)
        edited = [word if place % 7 else "other" for place, word in enumerate(words)]
        a, b = " ".join(words), " ".join(edited[: 40 - seed % 9])
        pack = signed(a, b)
        assert ddd.compare(pack[1], pack[0]).score == ddd.similarity(ddd.qgrams(a), ddd.qgrams(b))


def test_long_texts_are_judged_within_a_tenth_and_equal_ones_exactly():
    for seed in range(40):
        words = prose(seed, 3000)
        edited = [word if place % (2 + seed % 9) else "other" for place, word in enumerate(words)]
        a, b = " ".join(words), " ".join(edited)
        pack = signed(a, b, a.upper())
        exact = ddd.similarity(ddd.qgrams(a), ddd.qgrams(b))
        assert abs(ddd.compare(pack[1], pack[0]).score - exact) < 0.1
        assert ddd.compare(pack[2], pack[0]).score == 1


def test_a_sketch_is_bounded_however_long_the_text_is():
    pack = signed(" ".join(prose(1, 50_000)), "one and the same sentence again and again. " * 2000)
    assert pack.sketches["ddd"].counts()[0] == 1 + 16 + 256
    assert ddd.features(pack).counts().tolist() == [16, 16]
    assert len(ddd.sample(pack[1])) == len(ddd.qgrams("one and the same sentence again and again. " * 2))


def test_edits_all_over_a_text_leave_runs_under_which_it_is_found():
    found, judged = 0, 0
    for seed in range(300):
        words = prose(seed, 300)
        draw = random.Random(-seed)
        edited = [word if draw.random() > 0.15 else "".join(draw.sample(word, len(word))) for word in words]
        a, b = " ".join(words), " ".join(edited)
        if ddd.similarity(ddd.qgrams(a), ddd.qgrams(b)) >= 0.7:
            judged += 1
            features = ddd.features(signed(a, b))
            found += bool(set(features[0].tolist()) & set(features[1].tolist()))
    assert judged > 100
    assert found / judged > 0.98


def test_four_characters_are_a_run_in_scripts_without_spaces():
    text = "港務局星期二關閉北碼頭因為潛水員發現九根柱子有裂縫工程師將在週末前測量其餘柱子"
    edited = text.replace("北", "南").replace("九", "十").replace("週末", "年底")
    features = ddd.features(signed(text, edited))
    assert set(features[0].tolist()) & set(features[1].tolist())


def test_it_tells_duplicates_only():
    story = " ".join(prose(3, 400))
    pack = signed(story, story + " " + " ".join(prose(4, 400)))
    comparison = ddd.compare(pack[1], pack[0])
    assert comparison.kind is None
    assert comparison.coverage_other > 0.9 > 0.6 > comparison.coverage_item
    assert len(comparison.pairs.item) == 0


def test_features_and_sketches_of_a_pack_are_those_of_each_item_alone():
    texts = ["A rose is a flower", "", "abcd", " ".join(prose(1, 900)), "漢字かな交じり文"]
    pack = signed(*texts)
    for number, text in enumerate(texts):
        alone = signed(text)
        assert pack[number].sketches["ddd"].tolist() == alone[0].sketches["ddd"].tolist()
        assert ddd.features(pack)[number].tolist() == ddd.features(alone)[0].tolist()


def test_sketches_survive_the_way_through_bytes():
    pack = signed("A rose is a flower", "", "Another flower")
    again = Signatures.from_bytes(pack.to_bytes())
    assert ddd.features(again).values.tolist() == ddd.features(pack).values.tolist()


def test_signatures_outlive_a_release():
    pack = signed("A rose is a flower")
    found_by = [1351164688, 2469878965, 3697660180]
    sample = [21649824, 271795116, 346055757, 909949745, 1266339080, 1508421685, 2253088645, 2734116772]
    sample += [2783653035, 3913921716, 4008634259]
    assert pack[0].sketches["ddd"].tolist() == [3, *found_by, *sample]
    assert ddd.features(pack)[0].tolist() == [3377418207340840291, 4645494857479539808, 11690146178746901878]


def record(offset: int, hour: int, words: list[str]) -> RawRecord:
    time = FIRST_OF_MARCH + hour * HOUR_MS + offset
    value = orjson.dumps({"id": f"item-{offset}", "text": " ".join(words)})
    return RawRecord("news", 0, offset, time, None, value)


@pytest.fixture
def stream(tmp_path: Path):
    flow = Embedded(Settings(methods=("ddd",), window_hours=24, grace_hours=0), tmp_path)
    yield flow
    flow.close()


def originals(flow: Embedded, hours: range) -> None:
    """One item in each hour of the first of March, 2012, as in figure 3."""
    for hour in hours:
        outcome = flow.feed([record(hour, hour, prose(hour, 60))], FIRST_OF_MARCH + hour * HOUR_MS)
        assert not outcome.relations


def copies(flow: Embedded, hour: int, of: range) -> set[str]:
    """Which originals are found when copies of them come in this hour."""
    records = [record(100 + number, hour, prose(number, 60)) for number in of]
    outcome = flow.feed(records, FIRST_OF_MARCH + hour * HOUR_MS)
    return {relation.other for relation in outcome.relations}


def test_the_first_hour_of_the_second_day_is_compared_with_all_24_hours_of_the_first(stream):
    originals(stream, range(24))
    assert copies(stream, 24, range(24)) == {f"item-{hour}" for hour in range(24)}


def test_from_the_second_hour_of_the_second_day_on_the_first_hours_are_overwritten(stream):
    originals(stream, range(25))
    assert copies(stream, 25, range(25)) == {f"item-{hour}" for hour in range(1, 25)}


def test_two_copies_more_than_a_day_apart_are_not_found(stream):
    originals(stream, range(3))
    assert copies(stream, 27, range(3)) == set()


def test_edited_copies_of_real_articles_are_found_and_unrelated_ones_are_not(corpora):
    folder = corpora / "edits"
    with gzip.open(folder / "items.jsonl.gz") as lines:
        texts = {row["id"]: row["text"] for row in map(json.loads, lines)}
    with gzip.open(folder / "gold.jsonl.gz") as lines:
        gold = [row for row in map(json.loads, lines) if row["kind"] in ("exact", "minor", "reorder")]
    right = wrong = shared = 0
    for row, stranger in itertools.pairwise(gold):
        pack = signed(texts[row["source"]], texts[row["item"]], texts[stranger["source"]])
        features = ddd.features(pack)
        shared += bool(set(features[0].tolist()) & set(features[1].tolist()))
        right += ddd.compare(pack[1], pack[0]).kind == "duplicate"
        wrong += row["source"] != stranger["source"] and ddd.compare(pack[2], pack[0]).kind == "duplicate"
    assert shared == len(gold) - 1
    assert right / (len(gold) - 1) > 0.99
    assert wrong == 0
