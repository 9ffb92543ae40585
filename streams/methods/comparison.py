"""What a method says about two items: how much of each is found in the other, where, and what that makes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streams.signature import Ragged, Signature, Signatures
from streams.text.reading import Reading

Kind = Literal["duplicate", "containment", "reuse"]


class Pairs(NamedTuple):
    """Sentences that match: numbers in the one and in the other item, and the share of words that is the same."""

    item: NDArray[np.int64]
    other: NDArray[np.int64]
    same: NDArray[np.float64]


NO_PAIRS = Pairs(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))


@dataclass(frozen=True, slots=True)
class Comparison:
    """The exact score of a pair."""

    kind: Kind | None
    score: float
    coverage_item: float = 0.0
    coverage_other: float = 0.0
    pairs: Pairs = NO_PAIRS
    differs: tuple[Literal["numbers", "names"], ...] = field(default=())

    @property
    def item_is_contained(self) -> bool:
        """In a containment: whether the item, not the other one, is the contained one."""
        return self.coverage_item >= self.coverage_other


class Method(NamedTuple):
    """A method that can run in the stream."""

    features: Callable[[Signatures], Ragged]
    """For each item of a pack the hashes under which it is stored and looked up."""
    compare: Callable[[Signature, Signature], Comparison]
    """What the method says about two items; the first one came later."""
    sketch: Callable[[Reading], Ragged] | None = None
    """What it keeps of each item in `signature.sketches` under its name, if the words that count do not do."""
