"""I-Match of Chowdhury, Frieder, Grossman and McCabe: one hash an item, of the set of its telling words.

Words that are too common (low idf) or too rare (the highest idf: names, misspellings) are left out by
statistics of a collection; what is left is put in order and hashed,

    I(d) = hash(sort({t ∈ d : lowest ≤ idf(t) ≤ highest})),

and two items are duplicates if their hashes are equal. The statistics are those of the frozen word lists: ten
times the Zipf value, so a high idf is a low level. Instead of sorting, the mixed hashes of the words are
added up. An item with too few telling words has no hash. All or nothing: one telling word more, and it is
another item.

Reference: A. Chowdhury, O. Frieder, D. Grossman, M. C. McCabe: Collection Statistics for Fast Duplicate
Document Detection. ACM Transactions on Information Systems 20(2), 2002.
"""

from __future__ import annotations

import numpy as np

from streams.methods.baselines.shingles import distinct
from streams.methods.comparison import Comparison
from streams.signature import Ragged, Signature, Signatures
from streams.text.frequency import COMMON
from streams.text.reading import Reading
from streams.text.words import mix

NAME = "imatch"


def sketch(reading: Reading, *, rarest: int = 45, commonest: int = COMMON - 1, least: int = 5) -> Ragged:
    """The hash of each item, of its words with a level from `rarest` to `commonest`, at least `least`."""
    telling = (reading.levels >= rarest) & (reading.levels <= commonest)
    owners = reading.items[reading.words.sentences[telling]]
    words = distinct(owners, reading.words.hashes[telling].astype(np.uint64), reading.size)
    enough = words.counts() >= least
    chosen = words.take(np.flatnonzero(enough))
    terms = mix(chosen.values + np.uint64(1))
    sums = np.add.reduceat(terms, chosen.offsets[:-1]) if len(chosen) else np.zeros(0, dtype=np.uint64)
    return Ragged.of(enough, mix(sums))


def features(signatures: Signatures) -> Ragged:
    """The hash of each item."""
    return signatures.sketches[NAME]


def compare(item: Signature, other: Signature) -> Comparison:
    """A duplicate if the hashes are equal.

    >>> from streams.stages.fingerprint import sign
    >>> a = "The minister said the bank will publish the report about the economy in March"
    >>> b = "In March the bank will publish the xyzzyx report about the economy, said the minister"
    >>> pack = sign([a, b, a + " or April"], [[0, len(a)], [0, len(b)], [0, len(a) + 9]], ["imatch"])
    >>> compare(pack[0], pack[1]).kind, compare(pack[0], pack[2]).kind
    ('duplicate', None)
    """
    mine, theirs = item.sketches[NAME], other.sketches[NAME]
    if not len(mine) or not np.array_equal(mine, theirs):
        return Comparison(None, 0.0)
    return Comparison("duplicate", 1.0, 1.0, 1.0)
