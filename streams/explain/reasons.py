"""Why a method says what it says, in words. Thresholds are read from the methods, where they are written."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from streams.methods import METHODS, combined
from streams.methods.alignment import Alignment
from streams.methods.comparison import Comparison
from streams.signature import Signature

_NEEDS = {
    "combined": "≥ {duplicate:.0%} of both, {contained:.0%} of one, or a sentence",
    "yoon": "≥ {duplicate:.0%} of both or {contained:.0%} of one in equal sentences",
    "ddd": "≥ {threshold:.0%} of the q-grams of the larger one",
    "qsign": "≥ {duplicate:.0%} of both or {contained:.0%} of one, within {differences} bits",
    "chang": "≥ {duplicate:.0%} of both or {contained:.0%} of one in equal lengths",
    "codet": "> {threshold:.0%} of both or of one, by the rarest words",
    "imatch": "all telling words the same",
    "wang": "≥ {duplicate:.0%} of both or {contained:.0%} of one, word by word",
    "spotsigs": "≥ {threshold:.0%} of all spots in both",
    "minhash": "≥ {threshold:.0%} of all shingles in both, estimated",
    "dsc": "≥ {resemblance:.0%} of all or {contained:.0%} of one's shingles, sampled",
    "fullprint": "≥ {duplicate:.0%} of both, {contained:.0%} of one, or {least} word runs",
    "simhash": "≤ {distance} of 64 bits differ; the score is a cosine",
}


def parameters(compare: Callable[..., Comparison]) -> dict[str, Any]:
    """The parameters of a method with their defaults."""
    found = inspect.signature(compare).parameters.values()
    return {p.name: p.default for p in found if p.default is not inspect.Parameter.empty}


def needs(name: str) -> str:
    """What a method needs to tell a relation.

    >>> needs("ddd")
    '≥ 70% of the q-grams of the larger one'
    """
    found = parameters(METHODS[name].compare)
    if name in _NEEDS:
        return _NEEDS[name].format(**found)
    return ", ".join(f"{parameter} {value}" for parameter, value in found.items()) or "no parameters"


def percent(share: float) -> str:
    """The share in percent, never rounded up: what misses a threshold must not look as if it had reached it.

    >>> percent(0.8496), percent(1.0)
    ('84.9%', '100%')
    """
    return f"{math.floor(share * 1000 + 1e-6) / 10:g}%"


def count(number: int, noun: str) -> str:
    """The number with its noun.

    >>> count(1, "sentence"), count(2, "sentence")
    ('1 sentence', '2 sentences')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class Grounds:
    """What the combined method looked at."""

    comparison: Comparison
    alignment: Alignment
    size_item: int
    """Words that count."""
    size_other: int
    evidence: list[int]
    """The item's sentences that are reason enough for a link, ..."""
    prose: list[int]
    """... those that are so even between notices with other figures, ..."""
    common: int
    """... and how many match, but are common passages."""
    differing: int
    """Numbers in matching sentences that stand nowhere in the other item, ..."""
    numbers: int
    """... and how many there are."""

    @classmethod
    def of(cls, comparison: Comparison, alignment: Alignment, item: Signature, other: Signature) -> Grounds:
        """The grounds of a comparison; `alignment` is that of the same two items."""
        evident = combined._evidence(alignment, item, other)
        differing, numbers = combined._differing_numbers(alignment, item, other)
        prose = evident & (alignment.shared_plain >= combined.PROSE)
        return cls(
            comparison,
            alignment,
            len(item.words.values),
            len(other.words.values),
            np.unique(alignment.item[evident]).tolist(),
            np.unique(alignment.item[prose]).tolist(),
            len(set(item.common) & set(alignment.item.tolist())),
            differing,
            numbers,
        )


def combined_reasons(grounds: Grounds, sentence: Callable[[int], str]) -> list[str]:
    """The rule that decided, and what else was weighed; `sentence` gives the item's sentence of a number."""
    if not len(grounds.alignment.item):
        return ["No sentence of the one matches a sentence of the other: nothing to tell."]
    reasons = [told for told in (_other_figures(grounds), _decided(grounds, sentence)) if told]
    if grounds.common:
        stand = "stands" if grounds.common == 1 else "stand"
        reasons.insert(
            0, f"{count(grounds.common, 'matching sentence')} {stand} in many stories: no evidence."
        )
    return reasons


def _other_figures(grounds: Grounds) -> str | None:
    """That many numbers differ, and whether that decides."""
    limits = parameters(combined.compare)
    if grounds.differing <= limits["number_conflict"] * grounds.numbers:
        return None
    told = (
        f"{grounds.differing} of {grounds.numbers} numbers in matching sentences stand nowhere in the other one, "
        f"more than {limits['number_conflict']:.0%}: other figures"
    )
    return (
        f"{told}, so neither duplicate nor containment."
        if _is_notice(grounds)
        else f"{told}, rather an update."
    )


def _is_notice(grounds: Grounds) -> bool:
    """Whether differing numbers make up so much of the text that it is another notice."""
    limits = parameters(combined.compare)
    found = int(grounds.alignment.found_item.sum() + grounds.alignment.found_other.sum())
    return grounds.differing > max(
        float(limits["number_conflict"]) * grounds.numbers, float(limits["number_weight"]) * found
    )


def _decided(grounds: Grounds, sentence: Callable[[int], str]) -> str:
    kind = grounds.comparison.kind
    if kind == "duplicate":
        return _duplicate(grounds)
    if kind == "containment":
        return _containment(grounds)
    notice = _is_notice(grounds)
    evidence = grounds.prose if notice else grounds.evidence
    what = (
        f"of evidence with at least {combined.PROSE} words that are no numbers" if notice else "of evidence"
    )
    if kind == "reuse":
        first = f"“{_shortened(sentence(evidence[0]))}”" if evidence else ""
        return (
            f"{count(len(evidence), 'sentence')} {what}: reuse. {'The first: ' * (len(evidence) > 1)}{first}"
        )
    matching = count(len(set(grounds.alignment.item.tolist())), "sentence")
    return f"{matching} share words with the other one, but there is no sentence {what}: nothing to tell."


def _duplicate(grounds: Grounds) -> str:
    limits, result = parameters(combined.compare), grounds.comparison
    least, both = min(result.coverage_item, result.coverage_other), limits["duplicate"]
    if least >= both:
        told = f"At least {both:.0%} of both is found in the other one"
    else:
        told = (
            f"{percent(result.score)} of both together is found (at least {both:.0%}), and neither is more than "
            f"{limits['length_ratio']} times as long"
        )
    if min(grounds.size_item, grounds.size_other) < combined.SHORT:
        told += f", {limits['short']:.0%} of both together, as one has fewer than {combined.SHORT} words that count"
    return f"{told}: duplicate."


def _containment(grounds: Grounds) -> str:
    limits = parameters(combined.compare)
    shorter, longer = sorted((grounds.size_item, grounds.size_other))
    is_short = shorter < combined.SHORT
    least = f"at least {limits['short' if is_short else 'contained']:.0%}"
    if is_short:
        least += f", as it has fewer than {combined.SHORT} words that count"
    return (
        f"{percent(grounds.comparison.score)} of the shorter one is in the other ({least}), which is "
        f"{longer / max(shorter, 1):.1f} times as long: containment."
    )


def _shortened(sentence: str, most: int = 110) -> str:
    text = " ".join(sentence.split())
    if len(text) <= most:
        return text
    return text[:most].rsplit(" ", 1)[0] + " …"
