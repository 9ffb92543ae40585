"""`copydesk settings`, and where settings come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from streams.errors import SettingsError
from streams.settings import Settings, load
from tests.commands import copydesk


def shown(folder: Path, *options: str, **variables: str) -> dict[str, Any]:
    done = copydesk(*options, "settings", "--json", folder=folder, **variables)
    assert done.returncode == 0, done.stderr
    settings: dict[str, Any] = json.loads(done.stdout)
    return settings


def test_each_setting_is_shown_with_its_value_and_what_it_does(tmp_path: Path) -> None:
    done = copydesk("settings", folder=tmp_path, COPYDESK_WINDOW_HOURS="12")
    assert done.returncode == 0
    told = " ".join(done.stdout.split())
    for name, field in Settings.model_fields.items():
        assert f"{name} = " in told
        assert field.description
        assert " ".join(field.description.split()) in told
    assert "window_hours = 12" in told
    assert "variable COPYDESK_WINDOW_HOURS" in told


def test_defaults_are_shown_as_such(tmp_path: Path) -> None:
    settings = shown(tmp_path)
    assert set(settings) == set(Settings.model_fields)
    assert {value["from"] for value in settings.values()} == {"default"}
    assert settings["window_hours"]["value"] == 24


def test_a_file_in_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "copydesk.toml").write_text('window_hours = 6\nraw_topics = ["wires", "papers"]\n')
    settings = shown(tmp_path)
    assert settings["window_hours"] == {"value": 6, "from": "file copydesk.toml"}
    assert settings["raw_topics"]["value"] == ["wires", "papers"]


def test_a_named_file_goes_before_the_one_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "copydesk.toml").write_text("window_hours = 6\n")
    (tmp_path / "other.toml").write_text("window_hours = 7\n")
    (tmp_path / "third.toml").write_text("window_hours = 8\n")
    assert shown(tmp_path, COPYDESK_CONFIG="other.toml")["window_hours"]["value"] == 7
    settings = shown(tmp_path, "--config", "third.toml", COPYDESK_CONFIG="other.toml")
    assert settings["window_hours"] == {"value": 8, "from": "file third.toml"}


def test_a_variable_goes_before_the_file_and_the_command_line_before_both(tmp_path: Path) -> None:
    (tmp_path / "copydesk.toml").write_text("window_hours = 6\ngrace_hours = 6\n")
    settings = shown(tmp_path, COPYDESK_WINDOW_HOURS="7")
    assert settings["window_hours"] == {"value": 7, "from": "variable COPYDESK_WINDOW_HOURS"}
    assert settings["grace_hours"] == {"value": 6, "from": "file copydesk.toml"}
    loaded, origins = load(
        tmp_path / "copydesk.toml", {"COPYDESK_WINDOW_HOURS": "7"}, {"window_hours": 8, "partitions": None}
    )
    assert (loaded.window_hours, origins["window_hours"]) == (8, "command line")
    assert origins["partitions"] == "default"


@pytest.mark.parametrize("text", ["wires,papers", " wires , papers ,", '["wires", "papers"]'])
def test_a_list_in_a_variable_has_commas_or_is_json(text: str) -> None:
    settings, _ = load(None, {"COPYDESK_RAW_TOPICS": text})
    assert settings.raw_topics == ("wires", "papers")


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"COPYDESK_WINDOW": "5"}, ["window", "COPYDESK_WINDOW", "window_hours", "grace_hours"]),
        ({"COPYDESK_WINDOW_HOURS": "soon"}, ["window_hours", "soon", "COPYDESK_WINDOW_HOURS", "integer"]),
        ({"COPYDESK_WINDOW_HOURS": "0"}, ["window_hours", "0", "greater than or equal to 1"]),
        ({"COPYDESK_PARTITIONS": "1000"}, ["partitions", "1000", "512"]),
        ({"COPYDESK_METHODS": "yoon,guess"}, ["methods", "guess", "combined", "yoon"]),
        ({"COPYDESK_METHODS": ""}, ["methods", "combined", "yoon"]),
        ({"COPYDESK_LOG_LEVEL": "loud"}, ["log_level", "loud", "debug", "info", "warning", "error"]),
        ({"COPYDESK_RAW_TOPICS": "[wires"}, ["COPYDESK_RAW_TOPICS", "[wires"]),
        ({"COPYDESK_RAW_TOPICS": ""}, ["raw_topics"]),
        ({"COPYDESK_CONFIG": "not-there.toml"}, ["not-there.toml"]),
    ],
    ids=lambda value: "-".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else "",
)
def test_a_wrong_setting_is_named_with_what_is_allowed(
    tmp_path: Path, variables: dict[str, str], named: list[str]
) -> None:
    done = copydesk("settings", folder=tmp_path, **variables)
    assert done.returncode == 1
    for name in named:
        assert name in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("windows_hours = 5", ["windows_hours", "window_hours", "copydesk.toml"]),
        ("[judgement]\nwindow_hours = 5", ["judgement", "window_hours"]),
        ("window_hours = 'x'", ["window_hours", "x"]),
        ("window_hours = ", ["copydesk.toml", "TOML"]),
        ("window_hours = 1.5", ["window_hours", "1.5"]),
        ("partitions = true", ["partitions"]),
    ],
)
def test_a_wrong_file_is_told_with_the_setting(tmp_path: Path, text: str, named: list[str]) -> None:
    (tmp_path / "copydesk.toml").write_text(text)
    done = copydesk("settings", folder=tmp_path)
    assert done.returncode == 1
    for name in named:
        assert name in done.stderr
    assert "Traceback" not in done.stderr


def test_every_wrong_setting_is_named_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        load(None, {"COPYDESK_WINDOW_HOURS": "0", "COPYDESK_PARTITIONS": "0"})
    assert "window_hours" in str(caught.value)
    assert "partitions" in str(caught.value)


def test_a_wrong_setting_stops_every_command(tmp_path: Path) -> None:
    for command in (["run"], ["worker"], ["topics"], ["publish", "sample"], ["watch"]):
        done = copydesk(*command, folder=tmp_path, COPYDESK_NO_SUCH_THING="1")
        assert done.returncode == 1
        assert "no_such_thing" in done.stderr


def test_settings_are_frozen() -> None:
    settings, _ = load(None, {})
    with pytest.raises(ValidationError):
        settings.window_hours = 5  # type: ignore[misc]
