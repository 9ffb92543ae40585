"""Arrays as bytes and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from streams.columns import from_bytes, to_bytes
from streams.errors import StateError
from streams.signature import VERSION, Signatures
from streams.stages.fingerprint import sign
from streams.stages.split import split_text
from tests.texts import story

arrays = st.sampled_from([np.uint8, np.uint16, np.uint32, np.uint64, np.int64, np.float64, np.bool_]).flatmap(
    lambda kind: npst.arrays(kind, st.integers(0, 30))
)


@given(st.dictionaries(st.text(max_size=20), arrays, max_size=6))
def test_what_is_written_is_read(written: dict[str, np.ndarray]) -> None:
    read = from_bytes(to_bytes(written))
    assert list(read) == list(written)
    for name, array in written.items():
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)


def test_what_is_read_cannot_be_changed() -> None:
    read = from_bytes(to_bytes({"a": np.arange(3)}))
    with pytest.raises(ValueError, match="read-only"):
        read["a"][0] = 7


def test_an_array_with_gaps_is_written_without_them() -> None:
    assert from_bytes(to_bytes({"a": np.arange(10)[::3]}))["a"].tolist() == [0, 3, 6, 9]


TEXTS = [*(story(n, n) for n in range(5)), "", "Yes.", "東京は晴れ。大阪は雨。"]


@given(st.lists(st.sampled_from(TEXTS), max_size=6))
def test_signatures_come_back_as_they_were(texts: list[str]) -> None:
    signatures = sign(texts, [split_text(text) for text in texts])
    again = Signatures.from_bytes(signatures.to_bytes())
    assert len(again) == len(texts)
    assert again.to_bytes() == signatures.to_bytes()
    for number in range(len(texts)):
        one, other = signatures[number], again[number]
        for name in ("starts", "ends", "sizes", "plain"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        np.testing.assert_array_equal(one.words.values, other.words.values)
        np.testing.assert_array_equal(one.words.offsets, other.words.offsets)


@given(st.lists(st.integers(0, 5), max_size=12))
def test_taken_signatures_are_those_of_the_items(chosen: list[int]) -> None:
    texts = [story(n, n) for n in range(6)]
    signatures = sign(texts, [split_text(text) for text in texts])
    taken = signatures.take(np.array(chosen, dtype=np.int64))
    assert len(taken) == len(chosen)
    for place, number in enumerate(chosen):
        np.testing.assert_array_equal(taken[place].words.values, signatures[number].words.values)
        np.testing.assert_array_equal(taken[place].ends, signatures[number].ends)


@pytest.mark.parametrize("data", [b"", bytes([VERSION + 1]) + to_bytes({})])
def test_signatures_of_another_version_are_refused(data: bytes) -> None:
    with pytest.raises(StateError, match="version"):
        Signatures.from_bytes(data)
