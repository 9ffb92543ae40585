"""The documentation against the code: settings, topics and dead-letter reasons, and nothing of this machine.

A table of the README stands between `<!-- name -->` and `<!-- /name -->`, where the name is `settings`,
`topics` or `reasons`. Its first column has the names in backticks; the second of `settings` has the defaults.
`python -m tests.test_documentation` prints all three.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from streams.cli.settings import command as settings_command
from streams.kafka.topics import topics
from streams.records import REASONS
from streams.settings import Settings

ROOT = Path(__file__).parents[1]
DEFAULTS = Settings().model_dump(mode="json")

_ROW = re.compile(r"^\|\s*`([^`|]+)`\s*\|\s*([^|]*?)\s*\|")
_MACHINE = re.compile(r"/(?:work|root)/")
_HOST = re.compile(r"\bhttps?://(?:[^\s/@]*@)?([A-Za-z0-9.-]+)")
_PRIVATE = re.compile(
    r"^(?!127\.0\.0\.1$)[0-9.]+$|^(?!localhost$)[^.]+$|\.(internal|local|lan|corp|intra)$"
    r"|registry|artifact|nexus|mirror|proxy|devpi"
)
_PUBLIC = {"registry.npmjs.org"}


def settings_table() -> Iterator[list[str]]:
    yield ["setting", "default", "what it does"]
    for name, field in Settings.model_fields.items():
        yield [f"`{name}`", f"`{json.dumps(DEFAULTS[name])}`", field.description or ""]


def topics_table() -> Iterator[list[str]]:
    yield ["topic", "what is on it", "written by", "read by"]
    settings = Settings()
    for name in settings.raw_topics:
        yield [f"`{name}`", "the bus's own: items to be judged", "the bus", "normalize"]
    for topic in topics(settings):
        yield [f"`{topic.full_name}`", topic.content, topic.written_by, topic.read_by]


def reasons_table() -> Iterator[list[str]]:
    yield ["reason", "what is wrong"]
    for name, meaning in REASONS.items():
        yield [f"`{name}`", meaning]


TABLES = {"settings": settings_table, "topics": topics_table, "reasons": reasons_table}


def markdown(rows: list[list[str]]) -> str:
    head, *body = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *body))


def readme_table(name: str) -> dict[str, str]:
    """First and second column of a table of the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    marked = re.findall(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", readme, re.DOTALL)
    assert len(marked) == 1, f"README.md needs one table between <!-- {name} --> and <!-- /{name} -->"
    rows = [match.groups() for line in marked[0].splitlines() if (match := _ROW.match(line))]
    twice = {row[0] for row in rows if sum(other[0] == row[0] for other in rows) > 1}
    assert not twice, f"twice in the table of {name}: {sorted(twice)}"
    return dict(rows)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_readme_names_what_there_is_and_nothing_else(name):
    there = [row[0].strip("`") for row in list(TABLES[name]())[1:]]
    told = readme_table(name)
    missing, unknown = [n for n in there if n not in told], [n for n in told if n not in there]
    assert not missing, f"not in README.md's table of {name}: {', '.join(missing)}"
    assert not unknown, f"in README.md's table of {name}, but not in the code: {', '.join(unknown)}"


def test_the_readme_has_the_defaults_of_the_settings():
    there = {row[0].strip("`"): row[1] for row in list(settings_table())[1:]}
    wrong = {name: told for name, told in readme_table("settings").items() if there.get(name, told) != told}
    assert not wrong, f"other defaults than in the code: {wrong}"


@pytest.mark.parametrize("name", Settings.model_fields)
def test_a_setting_says_what_it_does_in_a_sentence(name):
    description = Settings.model_fields[name].description or ""
    assert re.fullmatch(r"\S[^\n]*\.", description), f"{name}: {description!r}"


def test_copydesk_settings_shows_every_setting_with_what_it_does():
    shown = CliRunner().invoke(settings_command, [], obj=None).output
    for name, field in Settings.model_fields.items():
        assert re.search(rf"^{name} = .*\n +{re.escape(field.description or '?')}$", shown, re.MULTILINE), (
            name
        )


@pytest.mark.parametrize("reason", REASONS)
def test_a_reason_for_a_dead_letter_is_given_somewhere_in_the_code(reason):
    sources = [p for p in (ROOT / "streams").rglob("*.py") if p.name != "records.py"]
    assert any(f'"{reason}"' in p.read_text(encoding="utf-8") for p in sources), f"nothing gives {reason!r}"


def tree() -> list[Path]:
    """The files of the tree: those under version control, and new ones that are not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def of_this_machine(line: str) -> list[str]:
    """Folders and hosts in the line that are only here, such as a registry inside a network.

    >>> of_this_machine("from http://10.0.0.7/simple and https://pypi.org/simple, to http://127.0.0.1:9092")
    ['10.0.0.7']
    """
    hosts = [host for host in _HOST.findall(line) if _PRIVATE.search(host) and host not in _PUBLIC]
    return _MACHINE.findall(line) + hosts


def test_no_file_has_a_path_or_a_registry_of_this_machine():
    found = [
        f"{path.relative_to(ROOT)}:{number}: {', '.join(words)}"
        for path in tree()
        if path != Path(__file__)  # its example has one
        for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").splitlines(), 1)
        if (words := of_this_machine(line))
    ]
    assert not found, "\n".join(found)


if __name__ == "__main__":
    for table, rows in TABLES.items():
        print(f"<!-- {table} -->\n{markdown(list(rows()))}\n<!-- /{table} -->\n")
