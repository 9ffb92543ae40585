"""Relations and verdicts in words, for people, in 80 columns."""

from __future__ import annotations

import shutil
import textwrap
from datetime import datetime

import click

from streams.records import Relation, Verdict

_COLOURS = {"duplicate": "red", "containment": "yellow", "reuse": "cyan"}
_QUOTE = 150


def width() -> int:
    """Columns to write into."""
    return min(shutil.get_terminal_size((80, 24)).columns, 100)


def describe_relation(relation: Relation, item_text: str | None) -> str:
    """A relation in a few lines: who, from whom, how much, and the longest passage."""
    label = click.style(relation.kind.upper().ljust(12), fg=_COLOURS[relation.kind], bold=True)
    item = _named(relation.item, relation.item_source)
    other = _named(relation.other, relation.other_source)
    head = textwrap.wrap(f"{item} {_verb(relation)} {other}", width() - 12)
    lines = [label + head[0], *(" " * 13 + line for line in head[1:])]
    detail = (
        f"{relation.coverage.item:.0%} of it, {relation.coverage.other:.0%} of the other, {_lapse(relation)}"
    )
    if relation.differs:
        detail += f"; other {' and '.join(relation.differs)}: rather an update"
    lines += textwrap.wrap(detail, width(), initial_indent=" " * 12, subsequent_indent=" " * 13)
    quote = _quote(relation, item_text)
    if quote:
        lines += textwrap.wrap(quote, width(), initial_indent=" " * 12, subsequent_indent=" " * 13)
    return "\n".join(lines)


def describe_verdict(verdict: Verdict) -> str:
    """A verdict in one line."""
    line = f"{verdict.decision.ljust(12)}{_named(verdict.item, verdict.source)}"
    if verdict.original:
        line += f" of {verdict.original}"
    return line + (" (late)" if verdict.late else "")


def _named(id_: str, source: str | None) -> str:
    return f"{id_} ({source})" if source else id_


def _verb(relation: Relation) -> str:
    if relation.kind == "duplicate":
        return "copies"
    if relation.kind == "reuse":
        return "reuses sentences of"
    return "is contained in" if relation.contained == relation.item else "contains"


def _lapse(relation: Relation) -> str:
    later, earlier = (
        datetime.fromisoformat(t.replace("Z", "+00:00")) for t in (relation.item_time, relation.other_time)
    )
    minutes = round((later - earlier).total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    lapse = f"{hours} h {rest:02} min" if hours else f"{rest} min"
    return f"dated {lapse} {'later' if minutes >= 0 else 'earlier'}"


def _quote(relation: Relation, text: str | None) -> str | None:
    if text is None or not relation.passages:
        return None
    start, end = max((p.item for p in relation.passages), key=lambda span: span[1] - span[0])
    passage = " ".join(text[start:end].split())
    if len(passage) > _QUOTE:
        passage = passage[:_QUOTE].rsplit(" ", 1)[0] + " …"
    return f"“{passage}”"
