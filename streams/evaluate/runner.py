"""Runs a method over a corpus: the embedded flow, in a temporary folder, in packs as on the bus."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from streams.embedded import Embedded
from streams.evaluate.corpus import Corpus
from streams.evaluate.scoring import Told
from streams.inputs.lines import Numbering
from streams.settings import Settings

Progress = Callable[[int], None]
"""Is told how many more items are done."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a method told, and what it cost."""

    told: list[Told]
    items: int
    cpu_seconds: float
    dead: int = 0
    """Items that could not be judged."""

    @property
    def microseconds(self) -> float:
        """CPU time an item, all stages and the store included."""
        return 1e6 * self.cpu_seconds / max(self.items, 1)


def run_method(name: str, corpus: Corpus, progress: Progress) -> Run:
    """What this method tells about the corpus."""
    settings = Settings.model_validate({"methods": (name,), "window_hours": corpus.truth.window})
    _pass(settings, corpus.lines[: settings.pack_items], lambda _: None)  # tables are built on first use
    return _pass(settings, corpus.lines, progress)


def _pass(settings: Settings, lines: list[bytes], progress: Progress) -> Run:
    told: list[Told] = []
    dead, cpu = 0, 0.0
    now = int(time.time() * 1000)
    numbering = Numbering(0, now)
    with (
        tempfile.TemporaryDirectory(prefix="copydesk-") as folder,
        closing(Embedded(settings, Path(folder))) as flow,
    ):
        for first in range(0, len(lines), settings.pack_items):
            records = numbering.records(lines[first : first + settings.pack_items])
            started = time.process_time()
            outcome = flow.feed(records, now)
            cpu += time.process_time() - started
            told += [Told(r.item, r.other, r.kind, r.score, r.contained) for r in outcome.relations]
            dead += len(outcome.dead_letters)
            progress(len(records))
    return Run(told, len(lines), cpu, dead)
