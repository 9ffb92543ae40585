"""`copydesk run` as a user calls it."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from streams.codec import decode_relation, decode_verdict
from tests.commands import COPYDESK, copydesk, environment, running
from tests.texts import day, item, story

FILES = [
    "containments.jsonl",
    "dead-letters.jsonl",
    "duplicates.jsonl",
    "reuse-links.jsonl",
    "verdicts.jsonl",
]
ITEMS = [item("a", story("a"), 0, source="Wire"), item("b", story("a"), 1), item("c", story("c"), 2)]


def lines(items: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(fields).encode() + b"\n" for fields in items)


def read(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


@pytest.fixture
def news(tmp_path: Path) -> Path:
    file = tmp_path / "news.jsonl"
    file.write_bytes(lines(ITEMS))
    return file


def test_without_a_file_it_judges_the_sample(tmp_path: Path) -> None:
    done = copydesk("run", folder=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    for kind in ("DUPLICATE", "CONTAINMENT", "REUSE"):
        assert kind in done.stdout
    assert re.search(r"75 items judged: \d+ unique, \d+ duplicate", done.stdout)
    assert re.search(r"\d+ duplicates, \d+ containments, \d+ reuse-links", done.stdout)
    assert re.search(r"[\d,]+ items a second", done.stdout)
    assert list(tmp_path.iterdir()) == []


def test_a_relation_is_told_with_who_from_whom_how_much_and_a_passage(news: Path, tmp_path: Path) -> None:
    done = copydesk("run", news, folder=tmp_path)
    assert done.returncode == 0
    assert "b copies a (Wire)" in done.stdout
    assert "100%" in done.stdout
    told = " ".join(done.stdout.split())
    assert "“" + story("a")[:40] in told
    assert "3 items judged: 2 unique, 1 duplicate." in told


def test_nothing_is_wider_than_80_columns(tmp_path: Path) -> None:
    done = copydesk("run", folder=tmp_path)
    wide = [line for line in done.stdout.splitlines() if line.startswith(" ") and len(line) > 80]
    assert wide == []


def test_out_has_a_file_for_every_topic_with_the_records_of_the_topics(tmp_path: Path) -> None:
    file = tmp_path / "news.jsonl"
    file.write_bytes(lines(ITEMS) + b"broken\n\xff\xfe\n")
    done = copydesk("run", file, "--out", tmp_path / "deep" / "out", folder=tmp_path)
    assert done.returncode == 0
    out = tmp_path / "deep" / "out"
    assert sorted(path.name for path in out.iterdir()) == FILES
    verdicts = [decode_verdict(line) for line in (out / "verdicts.jsonl").read_bytes().splitlines()]
    (relation,) = [decode_relation(line) for line in (out / "duplicates.jsonl").read_bytes().splitlines()]
    assert [(v.item, v.decision) for v in verdicts] == [("a", "unique"), ("b", "duplicate"), ("c", "unique")]
    assert verdicts[1].relations == [relation.id]
    broken, binary = read(out, "dead-letters")
    assert (broken["reason"], broken["value"]) == ("not-json", "broken")
    assert binary["reason"] == "not-utf8"
    assert "value" not in binary
    assert "2 (1 not-json, 1 not-utf8)" in done.stdout


def test_out_is_written_anew_in_every_run(news: Path, tmp_path: Path) -> None:
    for _ in range(2):
        assert copydesk("run", news, "--out", "out", folder=tmp_path).returncode == 0
    assert len(read(tmp_path / "out", "verdicts")) == 3


def test_json_is_one_record_a_line_with_its_topic(news: Path, tmp_path: Path) -> None:
    done = copydesk("run", news, "--json", folder=tmp_path)
    assert done.returncode == 0
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [r["topic"] for r in records] == ["duplicates", "verdicts", "verdicts", "verdicts"]
    assert records[0]["value"]["item"] == "b"


def test_gzip_is_known_by_its_content(tmp_path: Path) -> None:
    for name in ("news.jsonl.gz", "no-suffix"):
        (tmp_path / name).write_bytes(gzip.compress(lines(ITEMS)))
        done = copydesk("run", name, folder=tmp_path)
        assert done.returncode == 0
        assert "3 items judged" in done.stdout


def test_a_gzip_file_that_is_cut_off_fails_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "cut.gz").write_bytes(gzip.compress(lines(day(200)))[:-500])
    done = copydesk("run", "cut.gz", "--out", "out", folder=tmp_path)
    assert done.returncode == 1
    assert "cut.gz" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_dash_is_standard_input(tmp_path: Path) -> None:
    done = copydesk("run", "-", folder=tmp_path, text=lines(ITEMS).rstrip(b"\n"))
    assert done.returncode == 0
    assert "3 items judged" in done.stdout


def test_standard_input_is_judged_as_it_comes(tmp_path: Path) -> None:
    with running("run", "-", "--json", folder=tmp_path, stdin=subprocess.PIPE) as run:
        assert run.process.stdin is not None
        for number, fields in enumerate(ITEMS[:2]):
            run.process.stdin.write(lines([fields]))
            run.process.stdin.flush()
            run.wait_until(lambda r, n=number: sum('"verdicts"' in line for line in r.out) > n, 20)
        run.process.stdin.close()
        assert run.process.wait(20) == 0


def test_several_files_are_one_stream(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(lines(ITEMS[:1]))
    (tmp_path / "two").write_bytes(gzip.compress(lines(ITEMS[1:])))
    done = copydesk("run", "one", "two", folder=tmp_path)
    assert "b copies a" in done.stdout


def test_empty_lines_are_passed_over_and_no_items_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "blank").write_bytes(b"\n  \n\r\n")
    done = copydesk("run", "blank", folder=tmp_path)
    assert done.returncode == 0
    assert "0 items judged" in done.stdout


def test_with_state_a_second_run_goes_on_where_the_first_ended(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(lines(ITEMS[:1]) + b"broken\n")
    (tmp_path / "two").write_bytes(lines(ITEMS[1:]))
    first = copydesk("run", "one", "--state", "kept", "--out", "out", folder=tmp_path)
    second = copydesk("run", "two", "--state", "kept", "--out", "out", folder=tmp_path)
    assert first.returncode == second.returncode == 0
    assert "b copies a" in second.stdout or "1 duplicates" in second.stdout
    assert [v["item"] for v in read(tmp_path / "out", "verdicts")] == ["a", "b", "c"]
    assert len(read(tmp_path / "out", "duplicates")) == 1


def test_with_state_two_runs_tell_what_one_tells(tmp_path: Path) -> None:
    items = day(120)
    (tmp_path / "all").write_bytes(lines(items))
    (tmp_path / "one").write_bytes(lines(items[:70]))
    (tmp_path / "two").write_bytes(lines(items[70:]))
    copydesk("run", "all", "--out", "together", folder=tmp_path)
    for name in ("one", "two"):
        copydesk("run", name, "--state", "kept", "--out", "apart", folder=tmp_path)
    for name in ("verdicts", "duplicates", "containments", "reuse-links"):
        together, apart = read(tmp_path / "together", name), read(tmp_path / "apart", name)
        assert {r["id"] for r in together} == {r["id"] for r in apart}, name


def test_with_state_the_same_file_again_is_re_delivered(news: Path, tmp_path: Path) -> None:
    for _ in range(2):
        assert copydesk("run", news, "--state", "kept", "--out", "out", folder=tmp_path).returncode == 0
    verdicts = read(tmp_path / "out", "verdicts")
    assert len(verdicts) == 6
    assert len({v["id"] for v in verdicts}) == 3
    assert len({r["id"] for r in read(tmp_path / "out", "duplicates")}) == 1


def test_state_of_another_number_of_partitions_is_refused(news: Path, tmp_path: Path) -> None:
    assert copydesk("run", news, "--state", "kept", folder=tmp_path).returncode == 0
    done = copydesk("run", news, "--state", "kept", "--partitions", "7", folder=tmp_path)
    assert done.returncode == 1
    assert "7" in done.stderr
    assert "Traceback" not in done.stderr


def test_state_that_another_run_holds_is_told_without_a_traceback(news: Path, tmp_path: Path) -> None:
    with running("run", "-", "--json", "--state", "kept", folder=tmp_path, stdin=subprocess.PIPE) as run:
        assert run.process.stdin is not None
        run.process.stdin.write(lines(ITEMS[:1]))
        run.process.stdin.flush()
        run.wait_until(lambda r: bool(r.out), 20)
        done = copydesk("run", news, "--state", "kept", folder=tmp_path)
        run.process.stdin.close()
        run.process.wait(20)
    assert done.returncode == 1
    assert "kept" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("partitions", ["1", "3", "8"])
def test_the_number_of_partitions_does_not_change_the_answers(tmp_path: Path, partitions: str) -> None:
    copydesk("run", "--out", "four", folder=tmp_path)
    copydesk("run", "--out", "other", "--partitions", partitions, folder=tmp_path)
    for name in ("verdicts", "duplicates", "containments", "reuse-links"):
        four, other = (sorted(r["id"] for r in read(tmp_path / out, name)) for out in ("four", "other"))
        assert four == other


def test_the_window_can_be_set(tmp_path: Path) -> None:
    (tmp_path / "news").write_bytes(lines([item("a", story("a"), 0), item("b", story("a"), 5)]))
    assert "1 duplicate" in copydesk("run", "news", "--window", "5", folder=tmp_path).stdout
    assert "2 unique" in copydesk("run", "news", "--window", "4", folder=tmp_path).stdout


def test_ctrl_c_stops_cleanly_and_keeps_what_was_judged(tmp_path: Path) -> None:
    (tmp_path / "news").write_bytes(lines(day(30_000)))
    with running("run", "news", "--out", "out", "--json", folder=tmp_path) as run:
        run.wait_until(lambda r: len(r.out) > 200, 30)
        assert run.end(signal.SIGINT) == 130
        told = run.out
    assert "Traceback" not in "".join(run.errors)
    verdicts = read(tmp_path / "out", "verdicts")
    shown = [json.loads(line)["value"]["id"] for line in told if '"topic":"verdicts"' in line]
    assert 100 < len(verdicts) < 30_000
    assert [v["id"] for v in verdicts] == shown


def test_ctrl_c_ends_a_run_that_waits_for_standard_input(tmp_path: Path) -> None:
    with running("run", "-", "--out", "out", "--json", folder=tmp_path, stdin=subprocess.PIPE) as run:
        assert run.process.stdin is not None
        run.process.stdin.write(lines(ITEMS))
        run.process.stdin.flush()
        run.wait_until(lambda r: sum('"verdicts"' in line for line in r.out) == 3, 20)
        assert run.end(signal.SIGINT, timeout=10) == 130
    assert len(read(tmp_path / "out", "verdicts")) == 3
    assert "Traceback" not in "".join(run.errors)


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "news").write_bytes(lines(day(3_000)))
    command = f"{' '.join(COPYDESK)} run news --json | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""


def test_there_is_a_progress_bar_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "news").write_bytes(lines(day(3_000)))
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COPYDESK, "run", "news", "--out", "out"],
        cwd=tmp_path,
        env=environment(TERM="xterm"),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    said, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            said += os.read(ours, 4096)
        except OSError:  # the terminal is gone with the process
            break
    os.close(ours)
    assert process.wait(10) == 0
    assert b"judging" in said


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["run", "not-there.jsonl"], "not-there.jsonl"),
        (["run", "."], "."),
        (["run", "--window", "soon"], "--window"),
        (["run", "--no-such-option"], "--no-such-option"),
        (["judge"], "judge"),
        (["publish"], "FILE"),
        (["publish", "not-there.jsonl"], "not-there.jsonl"),
        (["settings", "surplus"], "surplus"),
        (["worker", "--stages", "no"], "no"),
    ],
)
def test_wrong_usage_ends_with_2_and_names_it(tmp_path: Path, arguments: list[str], named: str) -> None:
    done = copydesk(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert named in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("option", [["--window", "0"], ["--partitions", "0"], ["--partitions", "-3"]])
def test_a_value_that_is_not_allowed_is_named_with_what_is(tmp_path: Path, option: list[str]) -> None:
    done = copydesk("run", *option, folder=tmp_path)
    assert done.returncode in (1, 2)
    assert option[0].strip("-") in done.stderr
    assert "greater than or equal to 1" in done.stderr
    assert "Traceback" not in done.stderr


def test_help_tells_every_command(tmp_path: Path) -> None:
    done = copydesk("--help", folder=tmp_path)
    assert done.returncode == 0
    for command in ("run", "worker", "topics", "publish", "watch", "settings"):
        assert re.search(rf"^\s+{command}\s", done.stdout, re.MULTILINE)


def test_an_out_that_cannot_be_written_is_told_without_a_traceback(news: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = copydesk("run", news, "--out", "file/out", folder=tmp_path)
    assert done.returncode in (1, 2)
    assert "file" in done.stderr
    assert "Traceback" not in done.stderr
