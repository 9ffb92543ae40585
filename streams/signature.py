"""The signature: the compact form of an item, all that any method needs of it, as arrays without text.

For every sentence its span, how many words it has, and the hashes of those that count: the distinct words
that are not common, rarest first, then its numbers. A sentence with few such words counts with all of its
words. The signatures of a pack lie in one set of arrays; one signature is a view on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streams import columns
from streams.errors import StateError

VERSION = 1
"""Of what is stored. Another one is refused, never read wrong."""

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Ragged:
    """A list of arrays of different lengths, in one array."""

    values: NDArray[Any]
    offsets: Ints

    def __getitem__(self, number: int) -> NDArray[Any]:
        return self.values[self.offsets[number] : self.offsets[number + 1]]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def of(cls, counts: NDArray[Any], values: NDArray[Any]) -> Ragged:
        """The arrays with these lengths, one after the other in `values`."""
        return cls(values, offsets_of(counts))

    def counts(self) -> Ints:
        """The lengths."""
        return np.diff(self.offsets)

    def take(self, chosen: NDArray[Any]) -> Ragged:
        """The chosen ones of the arrays."""
        counts = self.counts()[chosen]
        return Ragged.of(counts, self.values[ranges(self.offsets[:-1][chosen], counts)])


def offsets_of(counts: NDArray[Any]) -> Ints:
    """Where each run begins, and where the last one ends.

    >>> offsets_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def ranges(starts: NDArray[Any], counts: NDArray[Any]) -> Ints:
    """The numbers from each start on, as many as its count, one run after the other.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    offsets = offsets_of(counts)
    return np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], counts)


@dataclass(frozen=True)
class Signature:
    """One item's signature."""

    starts: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    sizes: NDArray[np.uint16]
    """How many words each sentence has, all of them."""
    plain: NDArray[np.uint16]
    """How many of the words that count are no numbers; they stand first."""
    words: Ragged
    """For every sentence the hashes of the words that count."""
    sketches: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """What single methods keep besides."""
    common: tuple[int, ...] = ()
    """Numbers of sentences that are common passages, as far as known; they are no evidence."""


@dataclass(frozen=True)
class Signatures:
    """The signatures of a pack."""

    sentences: Ints
    """Where the sentences of each item begin."""
    starts: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    sizes: NDArray[np.uint16]
    plain: NDArray[np.uint16]
    words: Ragged
    sketches: Mapping[str, Ragged] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.sentences) - 1

    def __getitem__(self, number: int) -> Signature:
        first, last = self.sentences[number], self.sentences[number + 1]
        offsets = self.words.offsets[first : last + 1]
        return Signature(
            self.starts[first:last],
            self.ends[first:last],
            self.sizes[first:last],
            self.plain[first:last],
            Ragged(self.words.values[offsets[0] : offsets[-1]], offsets - offsets[0]),
            {name: sketch[number] for name, sketch in self.sketches.items()},
        )

    def take(self, chosen: NDArray[Any]) -> Signatures:
        """The signatures of the chosen items."""
        counts = np.diff(self.sentences)[chosen]
        rows = ranges(self.sentences[:-1][chosen], counts)
        return Signatures(
            offsets_of(counts),
            self.starts[rows],
            self.ends[rows],
            self.sizes[rows],
            self.plain[rows],
            self.words.take(rows),
            {name: sketch.take(chosen) for name, sketch in self.sketches.items()},
        )

    def with_sentences(self, kept: NDArray[np.bool_]) -> Signatures:
        """The same items with these of their sentences only."""
        rows = np.flatnonzero(kept)
        before = np.concatenate([[0], np.cumsum(kept)])
        return Signatures(
            before[self.sentences],
            self.starts[rows],
            self.ends[rows],
            self.sizes[rows],
            self.plain[rows],
            self.words.take(rows),
            self.sketches,
        )

    def to_bytes(self) -> bytes:
        """The signatures as bytes, with the version in front."""
        arrays: dict[str, NDArray[Any]] = {
            "sentences": np.diff(self.sentences).astype(np.uint32),
            "starts": self.starts,
            "ends": self.ends,
            "sizes": self.sizes,
            "plain": self.plain,
            "counts": self.words.counts().astype(np.uint16),
            "words": self.words.values,
        }
        for name, sketch in self.sketches.items():
            arrays[f"{name}.counts"] = sketch.counts().astype(np.uint32)
            arrays[f"{name}.values"] = sketch.values
        return bytes([VERSION]) + columns.to_bytes(arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> Signatures:
        """The signatures that `to_bytes` wrote."""
        if data[:1] != bytes([VERSION]):
            raise StateError(
                f"signatures of version {data[0] if data else 'none'}; this release reads {VERSION}"
            )
        arrays = columns.from_bytes(data[1:])
        sketches = {
            name[: -len(".counts")]: Ragged.of(counts, arrays[name.replace(".counts", ".values")])
            for name, counts in arrays.items()
            if name.endswith(".counts")
        }
        return cls(
            offsets_of(arrays["sentences"]),
            arrays["starts"],
            arrays["ends"],
            arrays["sizes"],
            arrays["plain"],
            Ragged.of(arrays["counts"], arrays["words"]),
            sketches,
        )
