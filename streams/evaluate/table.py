"""The scores of several methods as a table, and as values for JSON."""

from __future__ import annotations

from typing import Any

from streams.evaluate.runner import Run
from streams.evaluate.scoring import KINDS, RELATIONS, Part, Score
from streams.methods.comparison import Kind

_HEADS = (
    "method",
    *("shuffle" if kind == "shuffle-words" else kind for kind in KINDS),
    "wrong/told",
    "strict",
    *("F1 dup", "F1 cont", "F1 reuse"),
    *("direction", "outside", "µs"),
)
LEGEND = (
    "exact … quote: recall with the right relation; wrong: told without a shared sentence; strict: told and "
    "fitting the lineage; direction: right container; outside: told beyond the window; µs: CPU an item; "
    "-: the method told no such relation"
)
_TOLD_AS: dict[str, Kind] = {
    **dict.fromkeys(("exact", "minor", "shuffle-words", "reorder"), "duplicate"),
    **dict.fromkeys(("append", "abridge"), "containment"),
    **dict.fromkeys(("patchwork", "quote"), "reuse"),
}


def table(rows: list[tuple[str, Run, Score]]) -> str:
    """A row a method, in aligned columns that are Markdown as well."""
    cells = [list(_HEADS), *(_row(*row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(_HEADS))]
    lines = [
        "| "
        + " | ".join(_pad(cell, width, n) for n, (cell, width) in enumerate(zip(row, widths, strict=True)))
        + " |"
        for row in cells
    ]
    rule = (
        "|" + "|".join(("-" * (width + 1)) + ("-" if n == 0 else ":") for n, width in enumerate(widths)) + "|"
    )
    return "\n".join([lines[0], rule, *lines[1:]])


def values(run: Run, score: Score) -> dict[str, Any]:
    """The numbers of one method, counts with their totals, for JSON."""
    return {
        "recall": {kind: _part(part) for kind, part in score.recall.items()},
        "relations": {
            name: {
                "precision": _part(score.relation_precision[name]),
                "recall": _part(score.relation_recall[name]),
                "f1": score.f1(name),
            }
            for name in RELATIONS
        },
        "wrong": _part(score.wrong),
        "strict": _part(score.strict),
        "direction": _part(score.direction),
        "outside": score.outside,
        "cpu_microseconds": round(run.microseconds, 1),
        "items": run.items,
        "dead_letters": run.dead,
    }


def _row(name: str, run: Run, score: Score) -> list[str]:
    told = {relation: part.total for relation, part in score.relation_precision.items()}
    return [
        name,
        *(_share(part.share if told[_TOLD_AS[kind]] else None) for kind, part in score.recall.items()),
        f"{score.wrong.count}/{score.wrong.total}",
        _share(score.strict.share),
        *(_share(score.f1(relation)) for relation in RELATIONS),
        f"{score.direction.count}/{score.direction.total}" if score.direction.total else "-",
        str(score.outside),
        f"{run.microseconds:.0f}",
    ]


def _share(value: float | None) -> str:
    """A share in three digits.

    >>> [_share(value) for value in (None, 0, .0004, .9996, .85, 1)]
    ['-', '0', '.000', '1.000', '.850', '1']
    """
    if value is None:
        return "-"
    return f"{value:.3f}".replace("0.", ".", 1) if 0 < value < 1 else f"{value:.0f}"


def _pad(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column == 0 else cell.rjust(width)


def _part(part: Part) -> dict[str, float | None]:
    return {"count": part.count, "total": part.total, "share": part.share}
