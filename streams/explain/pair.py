"""Two items judged by every method, as in the flow: what each says and why, and where the items are the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from streams.explain.differing import differing, has_words, words_of
from streams.explain.explanation import Explanation, Said, Sentence, Side
from streams.explain.reasons import Grounds, combined_reasons, needs
from streams.methods import METHODS
from streams.methods.alignment import align, best_pairs
from streams.methods.comparison import Comparison, Pairs
from streams.records import HOUR_MS, Coverage, Item, Normalized, Origin, Passage, Registration, iso
from streams.signature import Signature, Signatures
from streams.stages.detect import passages
from streams.stages.fingerprint import fingerprint
from streams.stages.split import split

_UNREGISTERED = Registration(0, 0)
_ORIGIN = Origin("explain", 0, 0, 1, 1, 0)


def explain(
    item: Item,
    other: Item,
    names: Sequence[str] = tuple(METHODS),
    *,
    window_hours: int = 24,
    registration: Registration = _UNREGISTERED,
) -> Explanation:
    """Why the item, which came later, and the other one are told as what they are; the first method decides.

    >>> text = "The harbour council approved the new ferry terminal on Monday after a long debate about its cost."
    >>> item, other = (Item(id_, text, "", 0, 0, 0) for id_ in "ab")
    >>> said = explain(item, other, ["combined"]).methods[0]
    >>> said.kind, said.reasons[0]
    ('duplicate', 'At least 85% of both is found in the other one, 95% of both together, as one has fewer than \
30 words that count: duplicate.')
    """
    pack = split(Normalized(_ORIGIN, [item, other]))
    signatures = Signatures.from_bytes(fingerprint(pack, names).signatures)
    mine, theirs = replace(signatures[0], common=registration.common), signatures[1]
    compared = {name: METHODS[name].compare(mine, theirs) for name in names}
    pairs, back = _matches(names[0], compared[names[0]], mine, theirs)
    runs = passages(mine, theirs, pairs)
    numbers = _numbers(mine, pairs, runs)
    decided = compared[names[0]]
    contained = None
    if decided.kind == "containment":
        contained = item.id if decided.item_is_contained else other.id
    my_partners: list[list[int]] = [[] for _ in range(len(mine.words))]
    their_partners: list[list[int]] = [[] for _ in range(len(theirs.words))]
    their_numbers: list[list[int]] = [[] for _ in range(len(theirs.words))]
    for one, two in [*zip(pairs.item.tolist(), pairs.other.tolist(), strict=True), *back]:
        my_partners[one].append(two)
        their_partners[two].append(one)
        if numbers[one][0] not in their_numbers[two]:
            their_numbers[two] += numbers[one]
    return Explanation(
        item=_side(item, mine, other.text, theirs, my_partners, numbers),
        other=_side(other, theirs, item.text, mine, their_partners, their_numbers),
        minutes=round((item.time - other.time) / 60_000),
        window_hours=window_hours,
        inside_window=abs(item.time // HOUR_MS - other.time // HOUR_MS) <= window_hours,
        contained=contained,
        passages=runs,
        matches=list(zip(pairs.item.tolist(), pairs.other.tolist(), strict=True)),
        methods=[
            _said(name, result, signatures, registration, mine, theirs, item.text)
            for name, result in compared.items()
        ],
    )


def _matches(
    name: str, result: Comparison, item: Signature, other: Signature
) -> tuple[Pairs, list[tuple[int, int]]]:
    """The best match of every matching sentence of the item, and matches of what is then left of the other one.

    A method that knows no sentences, or tells nothing, leaves them open: then they are aligned word by word.
    """
    if name != "combined" and len(result.pairs.item):
        return result.pairs, []
    alignment = align(item, other)
    pairs = best_pairs(alignment, item, other)
    back = best_pairs(replace(alignment, item=alignment.other, other=alignment.item), other, item)
    known = set(pairs.other.tolist())
    rest = zip(back.other.tolist(), back.item.tolist(), strict=True)
    return pairs, [(one, two) for one, two in rest if two not in known]


def _numbers(item: Signature, pairs: Pairs, runs: list[Passage]) -> list[list[int]]:
    """For every sentence of the item the number of its passage."""
    numbers: list[list[int]] = [[] for _ in range(len(item.words))]
    starts = [run.item[0] for run in runs]
    for sentence in pairs.item.tolist():
        numbers[sentence] = [int(np.searchsorted(starts, item.starts[sentence], side="right"))]
    return numbers


def _side(
    item: Item,
    signature: Signature,
    other_text: str,
    other: Signature,
    partners: list[list[int]],
    numbers: list[list[int]],
) -> Side:
    sentences: list[Sentence] = []
    only: list[str] = []
    counts = signature.words.counts().tolist()
    bounds = list(zip(signature.starts.tolist(), signature.ends.tolist(), strict=True))
    theirs = list(zip(other.starts.tolist(), other.ends.tolist(), strict=True))
    for place, (start, end) in enumerate(bounds):
        text = item.text[start:end]
        other_sentences = [other_text[slice(*theirs[partner])] for partner in partners[place]]
        found = differing(text, other_sentences) if other_sentences else []
        if other_sentences:
            figures = [text[slice(*span)] for span, is_number in words_of(text) if is_number]
            known = has_words(figures, other.words.values)
            only += [
                figure for figure, has in zip(figures, known, strict=True) if not has and figure not in only
            ]
        sentences.append(
            Sentence(
                (start, end),
                counts[place],
                numbers[place],
                [(start + first, start + last) for first, last in found],
                place in signature.common,
            )
        )
    return Side(
        item.id,
        item.source,
        item.title,
        iso(item.time),
        item.text,
        len(signature.words.values),
        sentences,
        only,
    )


def _said(
    name: str,
    result: Comparison,
    signatures: Signatures,
    registration: Registration,
    item: Signature,
    other: Signature,
    text: str,
) -> Said:
    reasons: list[str] = []
    if name == "combined":
        grounds = Grounds.of(result, align(item, other), item, other)
        reasons = combined_reasons(grounds, lambda number: text[item.starts[number] : item.ends[number]])
    return Said(
        method=name,
        kind=result.kind,
        score=round(float(result.score), 4),
        coverage=Coverage(round(float(result.coverage_item), 4), round(float(result.coverage_other), 4)),
        sentences=len(result.pairs.item),
        differs=list(result.differs),
        found_by=_found_by(name, signatures, registration.everywhere),
        needs=needs(name),
        reasons=reasons,
    )


def _found_by(name: str, signatures: Signatures, everywhere: tuple[int, ...]) -> int:
    """Under how many features the first item finds the second; those of passages that are everywhere find none."""
    features = METHODS[name].features(signatures)
    shared = np.intersect1d(features[0], features[1])
    if everywhere:
        flagged = np.zeros(len(signatures.words), dtype=bool)
        flagged[list(everywhere)] = True
        shared = np.setdiff1d(shared, METHODS[name].features(signatures.with_sentences(flagged))[0])
    return len(shared)
