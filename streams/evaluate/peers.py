"""Other libraries, where they are installed, over the same stream with the same window.

They tell duplicates only. Each takes MinHash with 128 permutations over shingles of three words, and tells
what its LSH returns (with five, the other usual width, each of them does worse on edited copies); the score
is its estimate of the resemblance. Items leave its index with the window.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from streams.evaluate.corpus import Corpus
from streams.evaluate.runner import Progress, Run
from streams.evaluate.scoring import Told

_PERMUTATIONS = 128
_SHINGLE = 3
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Peer:
    """A library with one threshold."""

    library: str
    threshold: float

    @property
    def installed(self) -> bool:
        """Whether it can run."""
        return importlib.util.find_spec(self.library) is not None


PEERS = {
    f"{library} {f'{threshold}'[1:]}": Peer(library, threshold)
    for library in ("datasketch", "rensa")
    for threshold in (0.5, 0.7)
}


def run_peer(peer: Peer, corpus: Corpus, progress: Progress) -> Run:
    """What this library tells about the corpus."""
    sketch, lsh = _LIBRARIES[peer.library](peer.threshold)
    truth = corpus.truth
    items = [orjson.loads(line) for line in corpus.lines]
    kept: deque[tuple[int, int, Any]] = deque()  # hour, number, sketch
    told: list[Told] = []
    started = time.process_time()
    for number, item in enumerate(items):
        hour = truth.hours[item["id"]]
        while kept and kept[0][0] < hour - truth.window:
            lsh.remove(kept.popleft()[1])
        mine = sketch(shingles(item["text"]))
        first = number - len(kept)
        for other in sorted(lsh.query(mine)):
            resemblance = float(mine.jaccard(kept[other - first][2]))
            told.append(Told(item["id"], items[other]["id"], "duplicate", resemblance))
        lsh.insert(number, mine)
        kept.append((hour, number, mine))
        progress(1)
    return Run(told, len(items), time.process_time() - started)


def shingles(text: str) -> list[str]:
    """Each run of three words, once.

    >>> sorted(shingles("To be, or not to be"))
    ['be or not', 'not to be', 'or not to', 'to be or']
    """
    words = _WORD.findall(text.lower())
    return list({" ".join(words[n : n + _SHINGLE]) for n in range(max(1, len(words) - _SHINGLE + 1))})


def _datasketch(threshold: float) -> tuple[Callable[[list[str]], Any], Any]:
    library = importlib.import_module("datasketch")

    def sketch(parts: list[str]) -> Any:
        minhash = library.MinHash(num_perm=_PERMUTATIONS)
        minhash.update_batch([part.encode() for part in parts])
        return minhash

    return sketch, library.MinHashLSH(threshold=threshold, num_perm=_PERMUTATIONS)


def _rensa(threshold: float) -> tuple[Callable[[list[str]], Any], Any]:
    library = importlib.import_module("rensa")

    def sketch(parts: list[str]) -> Any:
        minhash = library.RMinHash(num_perm=_PERMUTATIONS, seed=42)
        minhash.update(parts)
        return minhash

    return sketch, library.RMinHashLSH(
        threshold=threshold, num_perm=_PERMUTATIONS, num_bands=_bands(threshold)
    )


def _bands(threshold: float) -> int:
    """The number of bands b of r rows whose threshold (1/b)^(1/r) lies nearest."""
    choices = [bands for bands in range(1, _PERMUTATIONS + 1) if _PERMUTATIONS % bands == 0]
    return min(choices, key=lambda bands: abs((1 / bands) ** (bands / _PERMUTATIONS) - threshold))


_LIBRARIES = {"datasketch": _datasketch, "rensa": _rensa}
