"""Draws relations that the flow tells about a corpus, and shows both texts, for a person to judge.

    python -m tests.evaluate.draw KIND COUNT SEED CORPUS_FILE

KIND is duplicate, containment or reuse. CORPUS_FILE is JSON Lines, plain or gzip. The same code, corpus and
seed draw the same relations. What a person said about a draw is in `reuters-judgement.json`.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from streams.embedded import Embedded
from streams.inputs.lines import Numbering, read_lines
from streams.records import Item, Relation
from streams.settings import Settings

PACK = 32
_NOW = 1_700_000_000_000  # any time after all items: only dates in the future would be doubted


def tell(corpus: Path) -> tuple[dict[str, Item], list[Relation]]:
    """All items of the corpus by id, and all relations that the embedded flow tells, with default settings."""
    lines = [line for run in read_lines([str(corpus)]) for line in run]
    items: dict[str, Item] = {}
    relations: list[Relation] = []
    numbering = Numbering(0, _NOW)
    with (
        tempfile.TemporaryDirectory(prefix="copydesk-") as folder,
        closing(Embedded(Settings(), Path(folder))) as flow,
    ):
        for first in range(0, len(lines), PACK):
            outcome = flow.feed(numbering.records(lines[first : first + PACK]), _NOW)
            items |= {item.id: item for item in outcome.items}
            relations += outcome.relations
    return items, relations


def draw(relations: Iterable[Relation], kind: str, count: int, seed: int) -> list[Relation]:
    """So many of the relations of this kind, by chance, but the same ones every time."""
    told = sorted((r for r in relations if r.kind == kind), key=lambda relation: relation.id)
    return random.Random(seed).sample(told, min(count, len(told)))


def show(relation: Relation, items: dict[str, Item]) -> str:
    """The relation in words: coverage, the passages side by side, and both texts."""
    item, other = items[relation.item], items[relation.other]
    coverage = f"coverage {relation.coverage.item:.2f} / {relation.coverage.other:.2f}"
    lines = [f"{relation.kind} {relation.item} {relation.other}  {coverage}  differs {relation.differs}"]
    if relation.contained:
        lines.append(f"contained: {relation.contained}")
    for name, one, time in (("item", item, relation.item_time), ("other", other, relation.other_time)):
        lines.append(f"{name:5} {one.id} {time} {one.title}")
    for passage in relation.passages:
        lines.append(f"-- passage, {passage.same:.2f} the same")
        lines += [f"  {item.text[slice(*passage.item)]}", f"  {other.text[slice(*passage.other)]}"]
    return "\n".join([*lines, "-- item", item.text, "-- other", other.text])


def main(kind: str, count: str, seed: str, corpus: str) -> None:
    """Prints a draw."""
    items, relations = tell(Path(corpus))
    drawn = draw(relations, kind, int(count), int(seed))
    print(f"{len(drawn)} of {sum(r.kind == kind for r in relations)} relations of kind {kind}, seed {seed}")
    for number, relation in enumerate(drawn, 1):
        print(f"\n===== {number}\n{show(relation, items)}")


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in ("duplicate", "containment", "reuse"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
