"""Stage 5, after the last detect partition: one verdict for every item of the pack."""

from __future__ import annotations

from streams.records import (
    METHODS_VERSION,
    SCHEMA_VERSION,
    Decision,
    Entry,
    Fingerprints,
    Found,
    Registration,
    Verdict,
    content_id,
    iso,
)
from streams.stages.detect import is_late

_STRENGTH = {"duplicate": 0, "containment": 1, "reuse": 2}


def judge(pack: Fingerprints, window_hours: int) -> list[Verdict]:
    """A verdict for every item of a pack that has passed all partitions."""
    return [
        _verdict(entry, known, found, window_hours)
        for entry, known, found in zip(pack.items, pack.registered, pack.found, strict=True)
    ]


def _verdict(entry: Entry, known: Registration, found: list[Found], window_hours: int) -> Verdict:
    strongest = sorted(
        found, key=lambda f: (_STRENGTH[f.kind], not f.contained, -f.score, f.stamp, f.relation)
    )
    copied = [f for f in found if f.kind == "duplicate" or f.contained]
    original = min(copied, key=lambda f: f.stamp).other if copied else None
    decision = _decide(entry, known, strongest)
    relations = [f.relation for f in strongest]
    return Verdict(
        id=content_id(entry.id, entry.digest, decision, original, relations, METHODS_VERSION),
        item=entry.id,
        digest=entry.digest,
        time=iso(entry.time),
        source=entry.source,
        decision=decision,
        original=original,
        relations=relations,
        late=is_late(entry, known, window_hours),
        revises=known.supersedes_digest,
        versions={"schema": str(SCHEMA_VERSION), "methods": METHODS_VERSION},
    )


def _decide(entry: Entry, known: Registration, strongest: list[Found]) -> Decision:
    """A new version is told as such, whatever else it is: its own copies must not make it one of them."""
    if entry.withdrawn:
        return "withdrawn"
    if known.supersedes is not None:
        return "revised"
    if not strongest:
        return "unique"
    if strongest[0].kind == "duplicate":
        return "duplicate"
    if strongest[0].kind == "containment":
        return "contained" if strongest[0].contained else "contains"
    return "reuses"
