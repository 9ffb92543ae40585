"""The compose file and the Dockerfile name only what there is; no Docker engine is needed to see that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from streams.cli import _copydesk
from streams.settings import PREFIX, Settings

ROOT = Path(__file__).parents[1]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
OURS = {name: service for name, service in COMPOSE["services"].items() if "build" in service}


@pytest.mark.parametrize("name", OURS)
def test_a_service_calls_a_command_that_exists_with_options_that_it_has(name: str) -> None:
    command, *rest = OURS[name]["command"]
    shown = CliRunner().invoke(_copydesk, [command, "--help"])
    assert shown.exit_code == 0, shown.output
    assert [word for word in rest if word.startswith("-") and word not in shown.output] == []


@pytest.mark.parametrize("name", OURS)
def test_a_service_sets_variables_that_are_settings(name: str) -> None:
    for variable in OURS[name]["environment"]:
        assert variable.removeprefix(PREFIX).lower() in Settings.model_fields, variable


@pytest.mark.parametrize("name", OURS)
def test_what_a_service_is_built_from_and_waits_for_is_there(name: str) -> None:
    assert (ROOT / OURS[name]["build"]["dockerfile"]).is_file()
    assert set(OURS[name].get("depends_on", {})) <= set(COMPOSE["services"])


def test_the_dockerfile_copies_what_there_is_and_sets_variables_that_are_settings() -> None:
    text = (ROOT / "docker" / "Dockerfile").read_text()
    for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
    for variable in re.findall(rf"{PREFIX}(\w+)=", text):
        assert variable.lower() in Settings.model_fields, variable
