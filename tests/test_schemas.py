"""`schemas/` against the code, both ways: the records, and the AsyncAPI document of the topics."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
import yaml
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from streams import codec
from streams.cli.run import command as run_command
from streams.embedded import Embedded
from streams.errors import Unusable
from streams.inputs.lines import Numbering
from streams.kafka.agents import Sender
from streams.kafka.topics import group, raw_topic, topics
from streams.kafka.worker import ALL_STAGES
from streams.records import (
    REASONS,
    RELATION_TOPICS,
    SCHEMA_VERSION,
    DeadLetter,
    Fingerprints,
    Normalized,
    RawRecord,
    Relation,
    Sentences,
    Verdict,
)
from streams.settings import Settings
from streams.stages.fingerprint import fingerprint
from streams.stages.normalize import RawClock, normalize, read_item
from streams.stages.split import split
from streams.stages.verdict import judge

FOLDER = Path(__file__).parents[1] / "schemas"
SAMPLE = (files("streams") / "sample" / "news-day.jsonl").read_bytes().splitlines()
BAD_LINES = [b"\xff\xfe", b"{", b"[]", b"{}", b'{"id": 7}', b'{"id": "a"}', b'{"id": "a", "text": " "}']
NOW = 1_790_000_000_000
SETTINGS = Settings()

SCHEMAS: dict[str, Any] = {p.name.split(".")[0]: json.loads(p.read_text()) for p in FOLDER.glob("*.json")}
ASYNCAPI: dict[str, Any] = yaml.safe_load((FOLDER / "asyncapi.yaml").read_text())
CHANNELS, COMPONENTS = ASYNCAPI["channels"], ASYNCAPI["components"]
RECORDS = {
    "normalized": (Normalized, codec.decode_normalized),
    "sentences": (Sentences, codec.decode_sentences),
    "fingerprints": (Fingerprints, codec.decode_fingerprints),
    "relation": (Relation, codec.decode_relation),
    "verdict": (Verdict, codec.decode_verdict),
}
PUBLISHED = {"relation", "verdict", "dead-letter"}

BASE = "file:///schemas"
REGISTRY: Registry[Any] = Registry().with_resources(
    [(schema["$id"], DRAFT202012.create_resource(schema)) for schema in SCHEMAS.values()]
    + [(f"{BASE}/{name}.schema.json", DRAFT202012.create_resource(s)) for name, s in SCHEMAS.items()]
    + [(f"{BASE}/asyncapi.yaml", DRAFT202012.create_resource(ASYNCAPI))]
)


@cache
def validator(where: str) -> Draft202012Validator:
    """A validator for a place in `schemas/`, formats included."""
    return Draft202012Validator(
        {"$ref": f"{BASE}/{where}"}, registry=REGISTRY, format_checker=Draft202012Validator.FORMAT_CHECKER
    )


def valid(name: str, record: object) -> bool:
    return validator(f"{name}.schema.json").is_valid(record)


def check(where: str, record: object) -> None:
    validator(where).validate(record)


@pytest.fixture(scope="session")
def messages(tmp_path_factory) -> dict[str, list[Any]]:
    """The sample's records as they are on the topics, by schema, with a withdrawal at the end."""
    kept: dict[str, list[Any]] = {name: [] for name in RECORDS}

    def note(name: str, *records: Any) -> None:
        kept[name] += [orjson.loads(codec.encode(record)) for record in records]

    lines = Numbering(0, NOW).records(SAMPLE)
    withdrawal = RawRecord(lines[0].topic, 0, len(lines), lines[-1].timestamp, b"og-1001", None)
    clock = RawClock()
    with contextlib.closing(Embedded(SETTINGS, tmp_path_factory.mktemp("state"))) as flow:
        for first in range(0, len(lines) + 1, SETTINGS.pack_items):
            run = [*lines, withdrawal][first : first + SETTINGS.pack_items]
            normalized, _ = normalize(run, clock, SETTINGS, partitions=1, now=NOW)
            assert normalized is not None
            sentences = split(normalized)
            pack = fingerprint(sentences, SETTINGS.methods)
            note("normalized", normalized)
            note("sentences", sentences)
            note("fingerprints", pack)
            for detector in flow.detectors:
                relations, pack = detector.detect(pack)
                note("relation", *relations)
                note("fingerprints", pack)
            note("verdict", *judge(pack, SETTINGS.window_hours))
    return kept


@pytest.fixture(scope="session")
def written(tmp_path_factory) -> dict[str, list[Any]]:
    """What `copydesk run --out` writes for the sample and some bad lines, by file."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "in.jsonl").write_bytes(b"\n".join([*SAMPLE, *BAD_LINES]))
    done = CliRunner().invoke(run_command, [str(folder / "in.jsonl"), "--out", str(folder / "out")], obj=None)
    assert done.exit_code == 0, done.output
    return {p.stem: [json.loads(x) for x in p.read_bytes().splitlines()] for p in (folder / "out").iterdir()}


def resolve(node: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """The node, or what its reference points to inside the same document."""
    while "$ref" in node:
        found: Any = root
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        node = found
    return node


def properties(node: Any) -> Iterator[tuple[str, Any]]:
    """Name and schema of every property below the node; conditions, which name them again, have no type."""
    if isinstance(node, dict):
        yield from node.get("properties", {}).items() if node.get("type") == "object" else ()
        for part in node.values():
            yield from properties(part)
    elif isinstance(node, list):
        for part in node:
            yield from properties(part)


# The schemas themselves


def test_there_is_a_schema_for_every_record():
    assert set(SCHEMAS) == {*RECORDS, "raw-item", "dead-letter"}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_of_draft_2020_12_and_has_its_name_and_version(name):
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:copydesk:schema:{name}:{SCHEMA_VERSION}"
    assert {"title", "description", "$comment", "required"} <= schema.keys()


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_property_says_in_a_line_what_it_is(name):
    silent = [
        key
        for key, node in properties(SCHEMAS[name])
        if not node.get("description", "").endswith(".") or "\n" in node["description"]
    ]
    assert not silent


def test_a_part_of_several_records_is_the_same_in_each():
    parts: dict[str, Any] = {}
    for name, schema in SCHEMAS.items():
        for part, definition in schema.get("$defs", {}).items():
            assert parts.setdefault(part, definition) == definition, f"{part} of {name} differs"


def test_formats_are_really_checked():
    used = {
        node["format"] for schema in SCHEMAS.values() for _, node in properties(schema) if "format" in node
    }
    assert used
    assert used <= set(Draft202012Validator.FORMAT_CHECKER.checkers)


# Records and schemas, both ways


def types(node: dict[str, Any], root: dict[str, Any], path: str = "record") -> dict[str, list[str]]:
    """The types and choices at every path, to compare a schema written by hand with one that is derived."""
    node = resolve(node, root)
    if "type" not in node:
        parts = [resolve(part, root) for part in node["anyOf"]]
    else:
        kinds = [node["type"]] if isinstance(node["type"], str) else node["type"]
        parts = [{**node, "type": kind} for kind in kinds]
    found = {path: sorted(_type(part) for part in parts)}
    for part in parts:
        if part["type"] == "array":
            for inner in part.get("prefixItems") or [part["items"]]:
                found |= types(inner, root, f"{path}[]")
        elif part["type"] == "object" and isinstance(part.get("additionalProperties"), dict):
            found |= types(part["additionalProperties"], root, f"{path}.*")
        elif part["type"] == "object":
            for name, inner in part["properties"].items():
                found |= types(inner, root, f"{path}.{name}")
    return found


def _type(node: dict[str, Any]) -> str:
    choices = node.get("enum") or [choice["const"] for choice in node.get("oneOf", ())]
    if choices:
        return f"one of {sorted(choices)}"
    pair = node["type"] == "array" and node.get("maxItems") == 2 == node.get("minItems")
    return "pair" if pair else str(node["type"])


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_and_its_schema_have_the_same_fields_of_the_same_types(name):
    derived = TypeAdapter(RECORDS[name][0]).json_schema()
    in_code, in_schema = types(derived, derived), types(SCHEMAS[name], SCHEMAS[name])
    assert {p: t for p, t in in_code.items() if in_schema.get(p) != t} == {}, "in the code, not in the schema"
    assert {p: t for p, t in in_schema.items() if in_code.get(p) != t} == {}, "in the schema, not in the code"


def objects(record: Any, node: dict[str, Any], root: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Every object in a record with its schema; of lists the first element that is an object or has one."""
    node = resolve(node, root)
    if isinstance(record, dict) and not isinstance(node.get("additionalProperties"), dict):
        yield record, node
        for key, value in record.items():
            yield from objects(value, node["properties"][key], root)
    elif isinstance(record, list) and record and isinstance(node.get("items"), dict):
        yield from objects(next(filter(None, record), None), node["items"], root)


def fullest(records: list[Any]) -> Any:
    """A record with as much in it as there is: no list is empty."""
    return max(records, key=lambda record: sum(bool(value) for value in record.values()))


def each_field(record: Any, name: str) -> Iterator[tuple[Any, dict[str, Any], str, dict[str, Any]]]:
    """A copy of the record for every field in it, with the object, the field and the object's schema."""
    for number in range(len(list(objects(record, SCHEMAS[name], SCHEMAS[name])))):
        _, node = list(objects(record, SCHEMAS[name], SCHEMAS[name]))[number]
        for field in node["properties"]:
            changed = copy.deepcopy(record)
            yield changed, list(objects(changed, SCHEMAS[name], SCHEMAS[name]))[number][0], field, node


def readable(decode: Callable[[bytes], Any], record: Any) -> bool:
    try:
        decode(orjson.dumps(record))
    except (KeyError, TypeError):
        return False
    return True


@pytest.mark.parametrize("name", RECORDS)
def test_a_field_is_required_where_its_reader_cannot_do_without(name, messages):
    for changed, place, field, node in each_field(fullest(messages[name]), name):
        del place[field]
        assert (field in node["required"]) == (not valid(name, changed)), field
        assert (field in node["required"]) == (not readable(RECORDS[name][1], changed)), field


@pytest.mark.parametrize("name", RECORDS)
def test_a_field_of_a_wrong_type_or_an_unknown_choice_is_refused(name, messages):
    for changed, place, field, node in each_field(fullest(messages[name]), name):
        part = resolve(node["properties"][field], SCHEMAS[name])
        place[field] = [{}] if part["type"] == "object" else {}
        assert not valid(name, changed), field
        if part.get("enum") or part.get("oneOf"):
            place[field] = "no such choice"
            assert not valid(name, changed), field


@pytest.mark.parametrize("name", [*RECORDS, "dead-letter"])
def test_a_later_field_is_no_mistake_in_what_consumers_read(name, messages, written):
    records = written["dead-letters"] if name == "dead-letter" else messages[name]
    for number, _ in enumerate(objects(fullest(records), SCHEMAS[name], SCHEMAS[name])):
        changed = copy.deepcopy(fullest(records))
        list(objects(changed, SCHEMAS[name], SCHEMAS[name]))[number][0]["added_later"] = 1
        assert valid(name, changed) == (name in PUBLISHED)
    assert "additionalProperties" in SCHEMAS[name]["$comment"]


@pytest.mark.parametrize("name", RECORDS)
def test_what_the_flow_makes_of_the_sample_is_valid(name, messages):
    assert messages[name]
    for record in messages[name]:
        check(f"{name}.schema.json", record)


def test_the_sample_brings_what_the_schemas_distinguish(messages):
    assert {record["kind"] for record in messages["relation"]} == set(RELATION_TOPICS)
    told = {record["decision"] for record in messages["verdict"]}
    assert {"unique", "duplicate", "contained", "reuses", "revised", "withdrawn"} <= told
    pack = fullest(messages["fingerprints"])
    assert any(pack["found"])
    assert pack["registered"]


def test_what_a_run_writes_is_valid(written):
    schema_of = {**dict.fromkeys(RELATION_TOPICS.values(), "relation"), "verdicts": "verdict"}
    schema_of["dead-letters"] = "dead-letter"
    assert set(written) == set(schema_of)
    for name, records in written.items():
        assert records, name
        for record in records:
            check(f"{schema_of[name]}.schema.json", record)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("relation", {"item_time": "2026-02-30T05:02:00.000Z"}),
        ("relation", {"item_time": "10 March"}),
        ("relation", {"kind": "containment", "container": None, "contained": None}),
        ("relation", {"kind": "reuse", "container": "a", "contained": "b"}),
        ("relation", {"score": 1.5}),
        ("relation", {"id": "7"}),
        ("relation", {"passages": [{"item": [0, 1, 2], "other": [0, 1], "same": 1}]}),
        ("relation", {"versions": {"schema": "2", "methods": "1"}}),
        ("verdict", {"decision": "duplicate", "original": None}),
        ("verdict", {"decision": "unique", "original": "a"}),
        ("verdict", {"decision": "reuses", "original": None, "relations": []}),
        ("verdict", {"decision": "revised", "revises": None}),
        ("verdict", {"time": "2026-03-10"}),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(name, change, messages):
    record = fullest(messages[name])
    assert valid(name, record)
    assert not valid(name, {**record, **change})


# Dead letters


def dead_letters() -> list[DeadLetter]:
    records = [
        RawRecord("news", 3, n, NOW, key, line) for n, line in enumerate(BAD_LINES) for key in (b"k", b"\xff")
    ]
    return normalize(
        [*records, RawRecord("news", 3, 99, NOW, None, None)], RawClock(), SETTINGS, partitions=1, now=NOW
    )[1]


def test_every_reason_is_in_the_schema_with_its_meaning():
    choices = SCHEMAS["dead-letter"]["$defs"]["reason"]["oneOf"]
    assert {choice["const"]: choice["description"] for choice in choices} == REASONS
    assert SCHEMAS["dead-letter"]["$defs"]["stage"]["enum"] == list(ALL_STAGES)


def test_a_dead_letter_has_the_fields_of_its_schema_and_no_others():
    shown = [letter.as_json() for letter in dead_letters()]
    for record in shown:
        check("dead-letter.schema.json", record)
    schema = SCHEMAS["dead-letter"]
    assert set().union(*shown) == set(schema["properties"])
    assert set(shown[0]).intersection(*shown) == set(schema["required"])


def test_the_headers_of_a_dead_letter_are_those_of_its_schema():
    schema = SCHEMAS["dead-letter"]["$defs"]["headers"]
    for letter in dead_letters():
        headers = {name: value.decode() for name, value in letter.headers()}
        check("dead-letter.schema.json#/$defs/headers", headers)
        assert list(headers) == list(schema["properties"]) == schema["required"]


@pytest.mark.parametrize(
    "change",
    [{"reason": "unlucky"}, {"stage": "detest"}, {"offset": "7"}, {"value_base64": "AA=="}, {"topic": None}],
)
def test_a_wrong_dead_letter_is_refused(change):
    letter = DeadLetter("news", 0, 7, None, b"{", "normalize", "not-json", "unexpected end").as_json()
    assert valid("dead-letter", letter)
    assert not valid("dead-letter", {**letter, **change})
    assert not valid("dead-letter", {name: value for name, value in letter.items() if name != "value"})


# Raw items

RAW = {
    "id": "a",
    "text": "A text.",
    "html": "<p>A text.</p>",
    "title": "A title",
    "published_at": "2026-09-21T15:00:00Z",
    "source": "A source",
    "lang": "en",
    "url": "https://example.org/a",
}


def item_of(fields: object) -> Any:
    return read_item(RawRecord("news", 0, 0, NOW, None, orjson.dumps(fields)), NOW, SETTINGS)


@pytest.mark.parametrize("line", SAMPLE, ids=lambda line: json.loads(line)["id"])
def test_an_item_of_the_sample_is_valid(line):
    check("raw-item.schema.json", json.loads(line))


@pytest.mark.parametrize("field", SCHEMAS["raw-item"]["properties"])
def test_every_field_of_a_raw_item_is_read(field):
    fields = {name: value for name, value in RAW.items() if (name, field) != ("text", "html")}
    other = {"published_at": "2026-09-21T14:00:00Z", "url": "https://example.org/b"}.get(
        field, "Other words."
    )
    assert valid("raw-item", fields)
    assert valid("raw-item", {**fields, field: other})
    assert item_of(fields) != item_of({**fields, field: other})


@pytest.mark.parametrize(
    "fields",
    [
        {"id": "a", "text": "A text."},
        {"id": "a", "html": "<p>A text.</p>"},
        {"id": "a", "text": None, "html": "<p>A text.</p>"},
        {"id": "a", "text": "A text.", "published_at": 1790000000},
        {"id": "a", "text": "A text.", "title": None, "unknown": {"to": "us"}},
        [],
        {},
        {"text": "A text."},
        {"id": None, "text": "A text."},
        {"id": 7, "text": "A text."},
        {"id": "", "text": "A text."},
        {"id": "a\u0007", "text": "A text."},
        {"id": "a" * 1025, "text": "A text."},
        {"id": "a"},
        {"id": "a", "text": None},
        {"id": "a", "text": ""},
        {"id": "a", "text": ["A text."]},
        {"id": "a", "text": 7, "html": "<p>A text.</p>"},
        {"id": "a", "html": {}},
    ],
    ids=lambda fields: json.dumps(fields)[:40],
)
def test_schema_and_intake_agree_on_what_is_an_item(fields):
    try:
        item_of(fields)
        usable = True
    except Unusable:
        usable = False
    assert valid("raw-item", fields) == usable


# The AsyncAPI document. Its own schema is on no PyPI package; npm's @asyncapi/parser has accepted it


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from ([node["$ref"]] if "$ref" in node else [])
        for part in node.values():
            yield from references(part)
    elif isinstance(node, list):
        for part in node:
            yield from references(part)


def test_the_document_is_asyncapi_3_with_all_its_sections():
    assert ASYNCAPI["asyncapi"] == "3.0.0"
    assert ASYNCAPI["id"] == f"urn:copydesk:topics:{SCHEMA_VERSION}"
    assert ASYNCAPI["info"]["title"] == "copydesk"
    assert ASYNCAPI["info"]["version"].split(".")[0] == str(SCHEMA_VERSION)
    assert ASYNCAPI["servers"]["broker"]["host"] == SETTINGS.broker
    allowed = {
        "asyncapi",
        "id",
        "info",
        "defaultContentType",
        "servers",
        "channels",
        "operations",
        "components",
    }
    assert set(ASYNCAPI) == allowed
    assert all(
        {"address", "description", "messages", "bindings"} == set(channel) for channel in CHANNELS.values()
    )


def test_every_reference_resolves_and_every_part_is_referred_to():
    resolver = REGISTRY.resolver(f"{BASE}/asyncapi.yaml")
    for reference in references(ASYNCAPI):
        assert resolver.lookup(reference).contents
    parts = {f"#/components/{kind}/{name}" for kind, named in COMPONENTS.items() for name in named}
    parts |= {f"./{name}.schema.json" for name in SCHEMAS}
    assert parts == {reference for reference in references(ASYNCAPI) if "channels" not in reference} - {
        "./dead-letter.schema.json#/$defs/headers"
    } | {"./dead-letter.schema.json"}


def documented(channel: dict[str, Any]) -> tuple[int, int, dict[str, str]]:
    """Partitions, replicas and configuration, as the broker is told them."""
    kafka = resolve(channel["bindings"], ASYNCAPI)["kafka"]
    config = {
        name: ",".join(value) if isinstance(value, list) else str(value)
        for name, value in kafka["topicConfiguration"].items()
    }
    return kafka["partitions"], kafka["replicas"], config


def test_the_channels_are_the_topics_that_are_made():
    wanted = [*topics(SETTINGS), *(raw_topic(SETTINGS, name) for name in SETTINGS.raw_topics)]
    made = {t.full_name: (t.partitions, SETTINGS.replication, t.config) for t in wanted}
    assert {channel["address"]: documented(channel) for channel in CHANNELS.values()} == made


def test_the_operations_are_what_the_topics_say_of_writers_and_readers():
    said = {("send", SETTINGS.raw_topics[0], "bus"), ("receive", SETTINGS.raw_topics[0], "normalize")}
    for topic in topics(SETTINGS):
        for action, who in (("send", topic.written_by), ("receive", topic.read_by)):
            said |= {(action, topic.full_name, name) for name in who.split(", ")}
    told = set()
    for key, operation in ASYNCAPI["operations"].items():
        (tag,) = operation["tags"]
        channel = operation["channel"]["$ref"].removeprefix("#/channels/")
        assert key == f"{tag['name']}.{operation['action']}.{channel}"
        told.add((operation["action"], CHANNELS[channel]["address"], tag["name"]))
    assert told == said
    assert {tag["name"] for tag in ASYNCAPI["info"]["tags"]} == {who for _, _, who in told}


def test_the_consumer_groups_are_those_of_the_stages():
    groups = {
        operation["tags"][0]["name"]: operation["bindings"]["kafka"]["groupId"]["const"]
        for operation in ASYNCAPI["operations"].values()
        if "bindings" in operation
    }
    assert groups == {stage: group(SETTINGS, stage) for stage in ALL_STAGES}


async def test_what_a_stage_sends_has_the_key_the_headers_and_the_payload_of_its_channel(messages):
    sent: list[tuple[str, bytes | None, bytes | None, dict[str, bytes] | None]] = []

    class Producer:
        async def send(self, topic, key, value, partition, timestamp, headers):
            sent.append((topic, key, value, headers))

    sender = Sender(SimpleNamespace(producer=Producer()), SETTINGS)  # type: ignore[arg-type]
    pack = codec.decode_fingerprints(orjson.dumps(messages["fingerprints"][-1]))
    for name in ("normalized", "sentences", "fingerprints"):
        await sender.pack(name, RECORDS[name][1](orjson.dumps(messages[name][0])), 0)
    await sender.relations([codec.decode_relation(orjson.dumps(r)) for r in messages["relation"]])
    await sender.verdicts(pack)
    await sender.dead_letters(dead_letters())

    by_address = {channel["address"]: channel for channel in CHANNELS.values()}
    for topic, key, value, headers in sent:
        (name,) = by_address[topic]["messages"]
        message = COMPONENTS["messages"][name]
        where = f"asyncapi.yaml#/components/messages/{name}"
        check(f"{where}/bindings/kafka/key", key if key is None else key.decode("latin-1"))
        if "contentType" in message:
            check(f"{where}/headers", {k: v.decode() for k, v in (headers or {}).items()})
        else:
            assert not headers
            check(f"{where}/payload", orjson.loads(value or b""))
    untold = {"news", "copydesk-detect-window-changelog"}
    assert {topic for topic, *_ in sent} == set(by_address) - untold


def test_a_relation_of_another_kind_is_refused_on_a_channel(messages):
    for record in messages["relation"]:
        fits = [
            name
            for name in ("duplicate", "containment", "reuseLink")
            if validator(f"asyncapi.yaml#/components/messages/{name}/payload").is_valid(record)
        ]
        address = {c["address"] for c in CHANNELS.values() if set(fits) & set(c["messages"])}
        assert address == {f"copydesk.{RELATION_TOPICS[record['kind']]}"}
