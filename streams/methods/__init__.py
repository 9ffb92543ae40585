"""The methods: each is `features`, under which an item is found, and `compare`, which judges a pair.

Both are pure functions on signatures, in a file named after the paper.
"""

from __future__ import annotations

from streams.methods import chang, codet, combined, ddd, qsign, yoon
from streams.methods.baselines import BASELINES
from streams.methods.comparison import Method

METHODS: dict[str, Method] = {
    "combined": Method(combined.features, combined.compare),
    "yoon": Method(yoon.features, yoon.compare),
    "ddd": Method(ddd.features, ddd.compare, ddd.sketch),
    "qsign": Method(qsign.features, qsign.compare),
    "chang": Method(chang.features, chang.compare),
    "codet": Method(codet.features, codet.compare, codet.sketch),
    **BASELINES,
}
