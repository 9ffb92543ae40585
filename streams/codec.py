"""Records as bytes on the topics, and back: JSON, with arrays as base64."""

from __future__ import annotations

import base64
from typing import Any

import orjson

from streams.records import (
    Coverage,
    Entry,
    Fingerprints,
    Found,
    Item,
    Normalized,
    Origin,
    Passage,
    Registration,
    Relation,
    Sentences,
    Verdict,
)


def encode(record: Normalized | Sentences | Fingerprints | Relation | Verdict) -> bytes:
    """The record as JSON."""
    if isinstance(record, Fingerprints):
        return orjson.dumps(
            {
                "origin": record.origin,
                "items": record.items,
                "signatures": base64.b64encode(record.signatures).decode(),
                "registered": record.registered,
                "found": record.found,
            }
        )
    return orjson.dumps(record)


def decode_normalized(data: bytes) -> Normalized:
    """The pack of items in a message of `normalized`."""
    fields = orjson.loads(data)
    return Normalized(Origin(**fields["origin"]), [Item(**item) for item in fields["items"]])


def decode_sentences(data: bytes) -> Sentences:
    """The pack of items with spans in a message of `sentences`."""
    fields = orjson.loads(data)
    return Sentences(Origin(**fields["origin"]), [Item(**item) for item in fields["items"]], fields["spans"])


def decode_fingerprints(data: bytes) -> Fingerprints:
    """The pack of signatures in a message of `fingerprints`."""
    fields = orjson.loads(data)
    return Fingerprints(
        Origin(**fields["origin"]),
        [Entry(**entry) for entry in fields["items"]],
        base64.b64decode(fields["signatures"]),
        [_registration(known) for known in fields["registered"]],
        [[Found(**found) for found in item] for item in fields["found"]],
    )


def _registration(fields: dict[str, Any]) -> Registration:
    return Registration(**fields | {name: tuple(fields[name]) for name in ("common", "everywhere")})


def decode_relation(data: bytes) -> Relation:
    """The relation in a message of `duplicates`, `containments` or `reuse-links`."""
    fields: dict[str, Any] = orjson.loads(data)
    fields["coverage"] = Coverage(**fields["coverage"])
    fields["passages"] = [Passage(tuple(p["item"]), tuple(p["other"]), p["same"]) for p in fields["passages"]]
    return Relation(**_known(Relation, fields))


def decode_verdict(data: bytes) -> Verdict:
    """The verdict in a message of `verdicts`."""
    return Verdict(**_known(Verdict, orjson.loads(data)))


def _known(record: type, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields that this release knows: later ones may add some."""
    return {name: value for name, value in fields.items() if name in record.__dataclass_fields__}  # type: ignore[attr-defined]  # it is a dataclass
