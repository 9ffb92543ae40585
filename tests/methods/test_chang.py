"""Chang and Wang: sequences of sentence lengths."""

from __future__ import annotations

import random

import numpy as np
import pytest

from streams.methods import chang
from streams.signature import Signatures
from streams.stages.fingerprint import sign


def written(*sequences: list[int], letter: str = "w") -> Signatures:
    """Items whose sentences have these numbers of words, each word another one."""
    texts, spans = [], []
    for number, lengths in enumerate(sequences):
        text, bounds = "", []
        for place, length in enumerate(lengths):
            sentence = (
                " ".join(f"{letter * (number + 1)}{chr(97 + place % 26)}{n}" for n in range(length)) + ". "
            )
            bounds += [len(text), len(text) + len(sentence) - 1]
            text += sentence
        texts.append(text)
        spans.append(bounds)
    return sign(texts, spans)


def drawn(seed: int, count: int) -> list[int]:
    draw = random.Random(seed)
    return [draw.randint(3, 40) for _ in range(count)]


def windows(lengths: list[int], size: int, step: int) -> list[list[int]]:
    return [lengths[start : start + size] for start in range(0, len(lengths) - size + 1, step)]


def test_static_jumping_gives_the_vectors_of_the_paper():
    sequence = list(range(10))
    assert windows(sequence, 4, 2)[:2] == [[0, 1, 2, 3], [2, 3, 4, 5]]
    expected = [int(chang.vectors(np.array(window), 4)[0]) for window in windows(sequence, 4, 2)]
    assert chang.vectors(np.array(sequence), 4)[::2].tolist() == expected


def test_static_jumping_on_both_sides_would_miss_the_match_of_the_paper_and_on_one_side_finds_it():
    stored, asked = np.arange(10), np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 0])
    both = set(chang.vectors(stored, 4)[::2].tolist()) & set(chang.vectors(asked, 4)[::2].tolist())
    assert not both
    assert chang.runs(asked, stored, window=4, step=2, contiguous=1)


def test_dynamic_jumping_leaves_out_what_its_neighbours_repeat():
    assert chang.jumped(np.array([1, 2, 2, 2, 3])).tolist() == [False, False, True, False, False]
    repeated = np.array([4, 6, 4, 6, 4, 6, 9])
    assert chang.jumped(repeated, 2).tolist() == [False, False, True, False, False, False, False]
    assert not chang.jumped(np.array([1, 1])).any()


@pytest.mark.parametrize(("size", "step", "contiguous"), [(8, 1, 5), (8, 1, 1), (4, 2, 3), (16, 2, 1)])
def test_the_minimum_matching_length_is_that_of_equation_1(size, step, contiguous):
    length = size + step * (contiguous - 1)
    shared, stored = drawn(1, length), drawn(2, 6)
    enough = chang.runs(
        np.array(drawn(3, 5) + shared),
        np.array(stored + shared),
        window=size,
        step=step,
        contiguous=contiguous,
    )
    short = chang.runs(
        np.array(drawn(3, 5) + shared[:-1]),
        np.array(stored + shared[:-1]),
        window=size,
        step=step,
        contiguous=contiguous,
    )
    assert enough == [(5, 6, contiguous)]
    assert short == []


def test_twelve_equal_lengths_in_a_row_are_enough_by_default_and_eleven_are_not():
    shared = drawn(1, 12)
    pack = written(shared, drawn(2, 9) + shared, drawn(3, 9) + shared[1:])
    assert chang.compare(pack[1], pack[0]).kind == "containment"
    assert chang.compare(pack[2], pack[0]).kind is None


def test_words_play_no_part():
    pack, other = written(drawn(1, 20)), written(drawn(1, 20), letter="z")
    assert not set(pack.words.values.tolist()) & set(other.words.values.tolist())
    comparison = chang.compare(other[0], pack[0])
    assert (comparison.kind, comparison.score) == ("duplicate", 1.0)
    assert comparison.pairs.item.tolist() == comparison.pairs.other.tolist() == list(range(20))


def test_a_part_is_a_containment_and_a_passage_a_reuse():
    story = drawn(1, 40)
    pack = written(story, story[10:24], drawn(2, 20) + story[10:24] + drawn(3, 20))
    part, passage = chang.compare(pack[1], pack[0]), chang.compare(pack[2], pack[0])
    assert part.kind == "containment"
    assert part.item_is_contained
    assert part.coverage_item == 1.0
    assert passage.kind == "reuse"
    assert passage.pairs.item.tolist() == list(range(20, 34))
    assert passage.pairs.other.tolist() == list(range(10, 24))


def test_blocks_in_another_order_give_pairs_sorted_by_the_sentence_of_the_item():
    story = drawn(1, 30)
    pack = written(story, story[15:] + story[:15])
    comparison = chang.compare(pack[1], pack[0])
    assert comparison.kind == "duplicate"
    assert comparison.pairs.item.tolist() == list(range(30))
    assert comparison.pairs.other.tolist() == [*range(15, 30), *range(15)]


def test_more_matched_vectors_rank_higher_and_regular_ones_count_less():
    story = drawn(1, 40)
    pack = written(story, story[:30] + drawn(2, 10), story[:16] + drawn(3, 24))
    ranked = [chang.compare(pack[number], pack[0]).score for number in (0, 1, 2)]
    assert ranked == sorted(ranked, reverse=True)
    assert len(set(ranked)) == 3
    lengths = np.array([5] * 8 + drawn(1, 8))
    first, last = np.zeros(16, dtype=bool), np.zeros(16, dtype=bool)
    first[0] = last[8] = True
    assert chang.weight(lengths, first) < chang.weight(lengths, last)


def test_sentences_without_words_do_not_count():
    story = drawn(1, 20)
    pack = written(story, [*story[:7], 0, *story[7:]])
    comparison = chang.compare(pack[1], pack[0])
    assert comparison.kind == "duplicate"
    assert 7 not in comparison.pairs.item.tolist()


def test_a_copy_of_regular_lengths_is_found_and_costs_no_square():
    pack = written([7] * 3000, [7] * 3000)
    assert len(chang.features(pack)[0]) == 1
    assert chang.compare(pack[1], pack[0]).kind == "duplicate"


def test_too_short_items_have_no_features_and_are_like_nothing():
    pack = written(drawn(1, 7), drawn(1, 7), [], drawn(1, 8))
    assert chang.features(pack).counts().tolist() == [0, 0, 0, 1]
    assert chang.compare(pack[1], pack[0]).kind is None
    assert chang.compare(pack[3], pack[2]).kind is None


def test_features_of_a_pack_are_those_of_each_item_alone():
    sequences = [drawn(1, 20), [], [5] * 12, [5] * 12, drawn(2, 9)]
    pack = written(*sequences)
    features = chang.features(pack)
    for number in range(len(sequences)):
        alone = chang.features(pack.take(np.array([number])))
        assert features[number].tolist() == alone[0].tolist()
    assert features[2].tolist() == features[3].tolist()


def test_features_outlive_a_release():
    pack = written([12, 7, 31, 9, 18, 22, 5, 14, 27])
    assert chang.features(pack).values.tolist() == [4562440361463373295, 14490176957460473564]
