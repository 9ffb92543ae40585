"""The texts of a pack, read once: words in their order, how common each is, and whose they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from streams.text.frequency import commonness
from streams.text.words import Words, read_words


@dataclass(frozen=True)
class Reading:
    """What signatures and sketches are made of."""

    words: Words
    levels: NDArray[np.uint8]
    """How common each word is: 10 times its Zipf value."""
    bounds: NDArray[np.uint32]
    """Start and end of every sentence."""
    items: NDArray[np.int64]
    """For every sentence the number of its item."""
    size: int
    """How many items there are."""


def read(texts: list[str], spans: list[list[int]]) -> Reading:
    """The texts with these sentences (start, end, start, end, ...), read."""
    counts = np.array([len(span) // 2 for span in spans], dtype=np.int64)
    bounds = np.array([bound for span in spans for bound in span], dtype=np.uint32).reshape(-1, 2)
    sentences = [
        text[start:end]
        for text, span in zip(texts, spans, strict=True)
        for start, end in zip(span[::2], span[1::2], strict=True)
    ]
    words = read_words(sentences)
    return Reading(
        words, commonness(words.hashes), bounds, np.repeat(np.arange(len(texts)), counts), len(texts)
    )
