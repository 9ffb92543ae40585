"""Stage 3: sentences become signatures, for a whole pack at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from streams.methods import METHODS
from streams.records import Entry, Fingerprints, Sentences
from streams.signature import Ragged, Signatures, offsets_of
from streams.text.frequency import COMMON
from streams.text.furniture import furniture
from streams.text.reading import Reading, read

_FEW = 5
"""A sentence with fewer words that count than this counts with all of its words ..."""
_ENOUGH = 7
"""... if it has at least so many."""
_MOST = 0xFFFF


def fingerprint(pack: Sentences, methods: Sequence[str]) -> Fingerprints:
    """The pack's signatures and what is kept of its items beside them; the text ends here."""
    texts = [item.text for item in pack.items]
    entries = [
        Entry(item.id, item.digest, item.time, item.arrived, item.source, item.offset, item.withdrawn)
        for item in pack.items
    ]
    return Fingerprints(pack.origin, entries, sign(texts, pack.spans, methods).to_bytes())


def sign(texts: list[str], spans: list[list[int]], methods: Sequence[str] = ()) -> Signatures:
    """The signatures of texts with these sentences, with the sketches that these methods need."""
    reading = read(texts, spans)
    sketches = {name: sketch(reading) for name in methods if (sketch := METHODS[name].sketch) is not None}
    counts = np.bincount(reading.items, minlength=reading.size)
    sizes, plain, words = significant_words(reading)
    return Signatures(
        offsets_of(counts), reading.bounds[:, 0], reading.bounds[:, 1], sizes, plain, words, sketches
    )


def _ignored(reading: Reading, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which sentences do not count: furniture, unless the item has nothing else."""
    ignored = furniture(reading.words, sizes)
    story = np.bincount(reading.items, weights=~ignored * sizes, minlength=reading.size) > 0
    return ignored & story[reading.items]


def significant_words(
    reading: Reading,
) -> tuple[NDArray[np.uint16], NDArray[np.uint16], Ragged]:
    """For every sentence how many words it has, how many of those that count are no numbers, and those words."""
    words, total = reading.words, len(reading.bounds)
    # one sort orders the words of every sentence: numbers last, the others rarest first, equal ones together
    keys = (words.sentences.astype(np.uint64) << np.uint64(41)) | words.hashes
    keys |= words.numbers.astype(np.uint64) << np.uint64(40)
    keys |= reading.levels.astype(np.uint64) << np.uint64(32)
    keys = np.unique(keys)
    sentence = (keys >> np.uint64(41)).astype(np.int64)
    number = (keys >> np.uint64(40)) & np.uint64(1) == 1
    rare = ((keys >> np.uint64(32)) & np.uint64(0xFF)) < COMMON

    sizes = np.bincount(words.sentences, minlength=total)
    few = np.bincount(sentence[rare & ~number], minlength=total) < _FEW
    kept = number | rare | (few & (sizes >= _ENOUGH))[sentence]
    kept &= ~_ignored(reading, sizes)[sentence]
    sentence, number = sentence[kept], number[kept]
    return (
        np.minimum(sizes, _MOST).astype(np.uint16),
        np.minimum(np.bincount(sentence[~number], minlength=total), _MOST).astype(np.uint16),
        Ragged.of(
            np.bincount(sentence, minlength=total), (keys[kept] & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        ),
    )
