"""Text as it should have come."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streams.errors import Unusable
from streams.text.repair import repair

LINES = [f"Paragraph number {n} of a short report that fills its line nearly to the end" for n in range(6)]
lines = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=110)
texts = st.lists(lines | st.sampled_from(LINES), max_size=8).flatmap(
    lambda held: st.sampled_from(["\n", "\n\n", "\r\n", "\n  ", " \n\n\t", "\u2028"]).map(
        lambda end: end.join(held)
    )
)


@given(texts)
@example("\n\n".join(LINES))
@example("\n".join(LINES))
@example("\n\n".join(LINES[:2]) + "\n" + "\n".join(LINES[2:]))
def test_what_was_repaired_needs_no_repair(text: str) -> None:
    once = repair(text)
    assert repair(once) == once


@given(texts)
def test_repaired_text_is_composed_and_has_single_spaces_and_no_empty_lines(text: str) -> None:
    repaired = repair(text)
    assert unicodedata.is_normalized("NFC", repaired)
    assert all(line == line.strip() and line for line in repaired.split("\n")) or repaired == ""
    assert "  " not in repaired
    assert not any(mark in repaired for mark in "\r\t\x0b\x0c\x85\u2028\u2029\u00a0\ufeff")


@given(texts)
def test_nothing_readable_is_lost(text: str) -> None:
    def readable(held: str) -> str:
        return "".join(c for c in unicodedata.normalize("NFC", held) if c.isalnum())

    assert readable(repair(text)) == readable(text)


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=6, unique=True))
def test_how_paragraphs_are_set_off_does_not_matter(paragraphs: list[str]) -> None:
    told = {repair(end.join(paragraphs)) for end in ("\n\n", "\r\n\r\n", "\n \n", "\n\n\n")}
    assert told == {"\n".join(paragraphs)}


def test_the_lines_of_an_old_wire_are_joined() -> None:
    wire = (
        "    The harbour master of Wrenfield announced on Tuesday that seven\n"
        "piers will be closed to ships until the late autumn of next year,\n"
        "because engineers found cracks in the concrete below the water.\n"
        "    Fishermen protested against the decision, which they called an\n"
        "insult to a town that has lived from the sea for six centuries.\n"
    )
    repaired = repair(wire)
    assert len(repaired.split("\n")) == 2
    assert "that seven piers will be" in repaired


def test_a_few_control_characters_go() -> None:
    assert repair("Har\x00bour\x07 is\x9f closed" + " for good" * 50).startswith("Harbour is closed")


def test_many_control_characters_are_no_text() -> None:
    with pytest.raises(Unusable, match="control-characters"):
        repair("\x01\x02\x03 word" * 10)
