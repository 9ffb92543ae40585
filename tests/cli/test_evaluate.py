"""`copydesk evaluate`."""

from __future__ import annotations

import sys
from pathlib import Path

import orjson
from click.testing import CliRunner

from streams.cli.evaluate import command
from streams.errors import InputError


def test_one_method_is_one_row_and_its_numbers_are_written_as_json(corpora: Path, tmp_path: Path):
    file = tmp_path / "scores.json"
    arguments = [
        str(corpora / "edits"),
        "--method",
        "yoon",
        "--limit",
        "300",
        "--json",
        str(file),
        "--half",
        "first",
    ]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    assert [line.split("|")[1].strip() for line in result.output.splitlines()[:3:2]] == ["method", "yoon"]
    assert "300 items, pairs of the first half" in result.output
    written = orjson.loads(file.read_bytes())
    assert written["half"] == "first"
    assert set(written["methods"]) == {"yoon"}


def test_an_unknown_method_is_wrong_usage_and_the_known_ones_are_named(tmp_path: Path):
    result = CliRunner().invoke(command, [str(tmp_path), "--method", "guess"])
    assert result.exit_code == 2
    assert "yoon" in result.output


def test_a_plot_without_matplotlib_says_how_to_install_it_before_anything_runs(tmp_path: Path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = CliRunner().invoke(command, [str(tmp_path), "--plot", str(tmp_path / "a.svg")])
    assert isinstance(result.exception, InputError)
    assert "copydesk[bench]" in str(result.exception)
