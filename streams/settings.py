"""The settings: one frozen object, each default and its meaning written once.

Values come from the defaults below, then a TOML file, then `COPYDESK_*` variables, then the command line;
the later one wins. `copydesk settings` prints each with its value and where that came from.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from streams.errors import SettingsError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PREFIX = "COPYDESK_"
DEFAULT_FILE = Path("copydesk.toml")
_NOT_SETTINGS = {"COPYDESK_CONFIG", "COPYDESK_TEST_BROKER", "COPYDESK_CACHE"}


def _known_methods(names: tuple[str, ...]) -> tuple[str, ...]:
    from streams.methods import METHODS  # here, because the methods are heavy and the settings are not

    unknown = [name for name in names if name not in METHODS]
    if unknown or not names:
        raise ValueError(f"name at least one of: {', '.join(sorted(METHODS))}; got {list(names)}")
    return names


class Settings(BaseModel):
    """Everything that can be set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _refuse_truth_for_numbers(cls, values: dict[str, Any]) -> dict[str, Any]:
        for name, value in values.items():
            if isinstance(value, bool):
                raise ValueError(f"{name} = {str(value).lower()} is neither a number nor a text")
        return values

    # the bus
    broker: str = Field(
        "127.0.0.1:9092", description="Kafka bootstrap servers, host:port, several with commas."
    )
    raw_topics: tuple[str, ...] = Field(("news",), min_length=1, description="The bus's own topics to read.")
    topic_prefix: str = Field(
        "copydesk.", description="In front of the names of all topics that copydesk writes."
    )
    group_prefix: str = Field("copydesk-", description="In front of the names of all consumer groups.")
    replication: int = Field(
        1, ge=1, description="Replicas of the topics that copydesk makes; 3 in production."
    )
    retention_hours: int = Field(168, ge=1, description="How long the topics keep what is written to them.")
    stage_partitions: int = Field(
        4, ge=1, le=512, description="Partitions of all topics but the chain's own."
    )

    # the judgement
    methods: Annotated[tuple[str, ...], AfterValidator(_known_methods)] = Field(
        ("combined",), description="The first method decides; the others add their scores to the evidence."
    )
    window_hours: int = Field(
        24, ge=1, le=8760, description="Two items are compared if their hours differ by this."
    )
    grace_hours: int = Field(
        24,
        ge=0,
        le=8760,
        description="How much longer state is kept, so that a late item is judged as if in time.",
    )
    ahead_minutes: int = Field(
        60, ge=0, description="A date this much after the record's own timestamp is still believed."
    )
    partitions: int = Field(
        4, ge=1, le=512, description="Detect partitions; partition p owns hours h, h mod n = p."
    )
    silence_seconds: int = Field(
        300,
        ge=1,
        description="A raw partition silent for this long no longer holds back the expiry of hours.",
    )

    # limits; what is over them becomes a dead letter
    max_message_bytes: int = Field(
        16_777_216, ge=1024, description="Largest raw message that is read at all."
    )
    max_text_characters: int = Field(2_000_000, ge=100, description="Longest text that is judged.")
    max_sentences: int = Field(20_000, ge=10, description="Most sentences that an item may have.")
    max_sentence_characters: int = Field(100_000, ge=100, description="Longest sentence that is judged.")

    # the flow
    pack_items: int = Field(
        32, ge=1, le=1024, description="Most items that travel between stages as one message."
    )
    pack_linger_ms: int = Field(20, ge=0, description="How long the intake waits for more items for a pack.")
    commit_seconds: float = Field(
        0.3, gt=0, description="Time between commits; a crash repeats about this much."
    )
    in_flight: int = Field(
        32, ge=1, description="Packs that a stage has sent and that are not yet acknowledged."
    )
    session_seconds: float = Field(
        10, ge=6, description="How soon the broker gives a dead worker's work to others."
    )

    # the worker
    state_dir: Path = Field(Path("state"), description="Folder of the worker's RocksDB tables, one a worker.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Least level that is logged."
    )


def load(
    file: Path | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> tuple[Settings, dict[str, str]]:
    """The settings, and for each where its value came from."""
    environ = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    origins = dict.fromkeys(Settings.model_fields, "default")

    def take(name: str, value: object, origin: str) -> None:
        if name not in Settings.model_fields:
            raise SettingsError(
                f"{origin}: unknown setting {name!r}; known are: {', '.join(Settings.model_fields)}"
            )
        values[name] = value
        origins[name] = origin

    if file is None and "COPYDESK_CONFIG" in environ:
        file = Path(environ["COPYDESK_CONFIG"])
    if file is None and DEFAULT_FILE.exists():
        file = DEFAULT_FILE
    if file is not None:
        for name, value in _read_toml(file).items():
            take(name, value, f"file {file}")
    for variable, text in environ.items():
        if variable.startswith(PREFIX) and variable not in _NOT_SETTINGS:
            name = variable[len(PREFIX) :].lower()
            take(name, _from_text(name, text), f"variable {variable}")
    for name, value in (overrides or {}).items():
        if value is not None:
            take(name, value, "command line")
    try:
        return Settings(**values), origins
    except ValidationError as error:
        lines = []
        for problem in error.errors():
            if not problem["loc"]:
                lines.append(str(problem["msg"]))
                continue
            name = str(problem["loc"][0])
            lines.append(f"{name} = {problem['input']!r} ({origins.get(name, '?')}): {problem['msg']}")
        raise SettingsError("; ".join(lines)) from None


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        values: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
        return values
    except FileNotFoundError:
        raise SettingsError(f"no settings file at {file}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} is not TOML: {error}") from None


def _from_text(name: str, text: str) -> object:
    """A variable's value: lists are comma-separated or JSON, the rest is converted by the field's type."""
    field = Settings.model_fields.get(name)
    if field is not None and "tuple" in str(field.annotation):
        if text.lstrip().startswith("["):
            try:
                return json.loads(text)
            except ValueError as error:
                raise SettingsError(
                    f"variable {PREFIX}{name.upper()}: {text!r} is not a JSON list: {error}"
                ) from None
        return [part.strip() for part in text.split(",") if part.strip()]
    return text
