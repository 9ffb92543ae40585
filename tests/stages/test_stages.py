"""Fingerprints, isolation of bad items, and verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.records import Entry, Fingerprints, Found, Item, Normalized, Origin, Registration, Sentences
from streams.signature import Signatures
from streams.stages.fingerprint import fingerprint, sign
from streams.stages.isolate import isolate
from streams.stages.split import split, split_text
from streams.stages.verdict import judge
from tests.texts import story

ORIGIN = Origin("news", 2, 10, 19, 1, 0)


def pack(*texts: str) -> Normalized:
    return Normalized(ORIGIN, [Item(f"i{n}", text, f"d{n}", 0, 0, 10 + n) for n, text in enumerate(texts)])


@given(st.lists(st.sampled_from([story(n, n) for n in range(6)]), min_size=1, max_size=6))
def test_a_signature_does_not_depend_on_the_pack(texts: list[str]) -> None:
    together = sign(texts, [split_text(text) for text in texts], ["combined"])
    for number, text in enumerate(texts):
        alone = sign([text], [split_text(text)], ["combined"])
        assert together.take(np.array([number])).to_bytes() == alone.to_bytes()


def test_fingerprints_keep_order_ids_and_offsets() -> None:
    made = fingerprint(split(pack("One two three.", "Four five six.")), ["combined"])
    assert [(e.id, e.digest, e.offset) for e in made.items] == [("i0", "d0", 10), ("i1", "d1", 11)]
    assert made.origin == ORIGIN
    assert len(Signatures.from_bytes(made.signatures)) == 2


def test_a_stage_that_fails_at_an_item_goes_on_with_the_others() -> None:
    def stage(held: Normalized) -> Sentences:
        if any(item.text == "bad" for item in held.items):
            raise RuntimeError("no good")
        return split(held)

    result, dead = isolate("split", stage, pack("Good.", "bad", "Also good.", "bad"))
    assert [item.id for item in result.items] == ["i0", "i2"]
    assert [(d.stage, d.reason, d.message, d.key, d.offset, d.partition) for d in dead] == [
        ("split", "stage-failed", "RuntimeError: no good", b"i1", 11, 2),
        ("split", "stage-failed", "RuntimeError: no good", b"i3", 13, 2),
    ]


def test_a_stage_that_fails_at_no_single_item_fails() -> None:
    def stage(held: Normalized) -> Sentences:
        if len(held.items) > 1:
            raise RuntimeError("not an item's fault")
        return split(held)

    with pytest.raises(RuntimeError, match="not an item's fault"):
        isolate("split", stage, pack("One.", "Two."))


def found(kind: str, other: str, stamp: int, score: float = 0.9, contained: bool = False) -> Found:
    return Found(f"{kind}-{other}", kind, other, stamp, score, contained)  # type: ignore[arg-type]


def verdict_of(*told: Found, known: Registration | None = None, withdrawn: bool = False):
    entry = Entry("x", "d", 0, 0, None, 0, withdrawn)
    held = Fingerprints(ORIGIN, [entry], b"", [known or Registration(100, -1000)], [list(told)])
    (verdict,) = judge(held, 24)
    return verdict


@pytest.mark.parametrize(
    ("told", "decision", "original"),
    [
        ([], "unique", None),
        ([found("reuse", "a", 1)], "reuses", None),
        ([found("containment", "a", 1)], "contains", None),
        ([found("containment", "a", 1, contained=True)], "contained", "a"),
        ([found("duplicate", "a", 1)], "duplicate", "a"),
        ([found("duplicate", "b", 7, 1.0), found("duplicate", "a", 3, 0.86)], "duplicate", "a"),
        ([found("duplicate", "b", 7), found("containment", "a", 3, contained=True)], "duplicate", "a"),
        (
            [found("duplicate", "b", 7), found("containment", "a", 3), found("reuse", "c", 1)],
            "duplicate",
            "b",
        ),
        ([found("containment", "a", 3), found("containment", "b", 5, contained=True)], "contained", "b"),
        ([found("containment", "a", 3), found("reuse", "b", 1, 1.0)], "contains", None),
    ],
)
def test_the_strongest_relation_decides_and_the_earliest_copied_is_the_original(
    told: list[Found], decision: str, original: str | None
) -> None:
    verdict = verdict_of(*told)
    assert (verdict.decision, verdict.original) == (decision, original)
    assert sorted(verdict.relations) == sorted(f.relation for f in told)


def test_relations_are_listed_strongest_first() -> None:
    told = [found("reuse", "a", 1, 1.0), found("duplicate", "b", 9, 0.9), found("duplicate", "c", 8, 1.0)]
    assert verdict_of(*told).relations == ["duplicate-c", "duplicate-b", "reuse-a"]


ORDER = [
    found("reuse", "a", 1),
    found("duplicate", "b", 2),
    found("duplicate", "c", 3),
    found("containment", "d", 4),
]


@given(st.permutations(ORDER))
def test_the_verdict_does_not_depend_on_the_order_in_which_relations_were_found(told: list[Found]) -> None:
    assert verdict_of(*told).id == verdict_of(*ORDER).id


def test_a_new_version_is_revised_whatever_it_copies() -> None:
    known = Registration(100, -1000, supersedes=4, supersedes_digest="old")
    verdict = verdict_of(found("duplicate", "copy", 7), known=known)
    assert (verdict.decision, verdict.revises) == ("revised", "old")


def test_a_withdrawal_is_withdrawn() -> None:
    assert verdict_of(withdrawn=True, known=Registration(9, -1000, supersedes=4)).decision == "withdrawn"


def test_an_item_is_late_where_some_of_its_window_is_no_longer_kept() -> None:
    assert verdict_of(known=Registration(9, -23)).late
    assert not verdict_of(known=Registration(9, -24)).late
