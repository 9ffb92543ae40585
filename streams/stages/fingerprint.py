"""Stage 3: sentences become signatures, for a whole pack at once."""

from __future__ import annotations

import numpy as np

from streams.records import Entry, Fingerprints, Sentences
from streams.signature import Ragged, Signatures, offsets_of
from streams.text.frequency import COMMON, commonness
from streams.text.words import read_words

_FEW = 5
"""A sentence with fewer words that count than this counts with all of its words ..."""
_ENOUGH = 7
"""... if it has at least so many."""
_MOST = 0xFFFF


def fingerprint(pack: Sentences) -> Fingerprints:
    """The pack's signatures and what is kept of its items beside them; the text ends here."""
    texts = [item.text for item in pack.items]
    entries = [
        Entry(item.id, item.digest, item.time, item.source, item.offset, item.withdrawn) for item in pack.items
    ]
    return Fingerprints(pack.origin, entries, sign(texts, pack.spans).to_bytes())


def sign(texts: list[str], spans: list[list[int]]) -> Signatures:
    """The signatures of texts with these sentences."""
    counts = np.array([len(span) // 2 for span in spans], dtype=np.int64)
    bounds = np.array([bound for span in spans for bound in span], dtype=np.uint32).reshape(-1, 2)
    sentences = [
        text[start:end] for text, span in zip(texts, spans, strict=True) for start, end in _pairs(span)
    ]
    words = read_words(sentences) if sentences else read_words([""])
    levels = commonness(words.hashes)
    total = len(sentences)

    # one sort orders the words of every sentence: numbers last, the others rarest first, equal ones together
    keys = (words.sentences.astype(np.uint64) << np.uint64(41)) | words.hashes
    keys |= (words.numbers.astype(np.uint64) << np.uint64(40)) | (levels.astype(np.uint64) << np.uint64(32))
    keys = np.unique(keys)
    sentence = (keys >> np.uint64(41)).astype(np.int64)
    number = (keys >> np.uint64(40)) & np.uint64(1) == 1
    rare = ((keys >> np.uint64(32)) & np.uint64(0xFF)) < COMMON

    sizes = np.bincount(words.sentences, minlength=total)[:total]
    few = np.bincount(sentence[rare & ~number], minlength=total)[:total] < _FEW
    kept = number | rare | (few & (sizes >= _ENOUGH))[sentence] if total else number
    sentence, number = sentence[kept], number[kept]
    return Signatures(
        offsets_of(counts),
        bounds[:, 0],
        bounds[:, 1],
        np.minimum(sizes, _MOST).astype(np.uint16),
        np.minimum(np.bincount(sentence[~number], minlength=total)[:total], _MOST).astype(np.uint16),
        Ragged.of(
            np.bincount(sentence, minlength=total)[:total],
            (keys[kept] & np.uint64(0xFFFFFFFF)).astype(np.uint32),
        ),
    )


def _pairs(span: list[int]) -> zip[tuple[int, int]]:
    return zip(span[::2], span[1::2], strict=True)
