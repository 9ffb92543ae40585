"""A corpus with its truth, read from a folder of three files.

`items.jsonl.gz` is the stream: `id`, `text`, `published_at` and what else an item has. `gold.jsonl.gz` has a
planted pair a line: `item`, `source`, `kind`, `relation`, `expected`. `lineage.jsonl.gz` says for every item
where its sentences came from: `id` and `sentences`, a list of [article, number, edited].
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from streams.errors import InputError
from streams.evaluate.scoring import Planted, Truth
from streams.inputs.lines import read_lines
from streams.text.dates import read_date

_HOUR = 3_600_000


@dataclass(frozen=True)
class Corpus:
    """The stream, as the bus would bring it, and what is true of it."""

    lines: list[bytes]
    truth: Truth


def read_corpus(folder: Path, window: int, limit: int | None = None) -> Corpus:
    """The first `limit` items of the corpus, or all, with the planted pairs among them."""
    lines, items = _read(folder / "items.jsonl.gz", limit)
    gold, lineage = (_read(folder / f"{name}.jsonl.gz")[1] for name in ("gold", "lineage"))
    try:
        hours = {item["id"]: (read_date(item["published_at"]) or 0) // _HOUR for item in items}
        planted = [
            Planted(row["item"], row["source"], row["kind"], row["relation"], row["expected"])
            for row in gold
            if row["item"] in hours and row["source"] in hours
        ]
        sentences = {
            row["id"]: [(s[0], s[1]) for s in row["sentences"]] for row in lineage if row["id"] in hours
        }
    except (KeyError, TypeError, IndexError) as error:
        raise InputError(f"{folder}: a line lacks {error}") from None
    if missing := next((name for name in hours if name not in sentences), None):
        raise InputError(f"{folder / 'lineage.jsonl.gz'}: nothing about item {missing!r}")
    return Corpus(lines, Truth(planted, sentences, hours, window))


def _read(path: Path, limit: int | None = None) -> tuple[list[bytes], list[dict[str, Any]]]:
    if not path.is_file():
        raise InputError(f"no file {path}")
    lines = [line for run in read_lines([str(path)]) for line in run][:limit]
    try:
        return lines, [orjson.loads(line) for line in lines]
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path}: {error}") from None
