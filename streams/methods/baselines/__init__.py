"""The methods that the papers compare with, one a file."""

from __future__ import annotations

from streams.methods.baselines import dsc, fullprint, imatch, minhash, simhash, spotsigs, wang
from streams.methods.comparison import Method

BASELINES: dict[str, Method] = {
    "imatch": Method(imatch.features, imatch.compare, imatch.sketch),
    "wang": Method(wang.features, wang.compare, wang.sketch),
    "spotsigs": Method(spotsigs.features, spotsigs.compare, spotsigs.sketch),
    "minhash": Method(minhash.features, minhash.compare, minhash.sketch),
    "dsc": Method(dsc.features, dsc.compare, dsc.sketch),
    "fullprint": Method(fullprint.features, fullprint.compare, fullprint.sketch),
    "simhash": Method(simhash.features, simhash.compare, simhash.sketch),
}
