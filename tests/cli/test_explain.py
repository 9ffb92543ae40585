"""`copydesk explain`."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json
import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from streams.cli.explain import command
from streams.cli.sidebyside import rows
from streams.embedded import Embedded
from streams.errors import InputError
from streams.explain.differing import differing
from streams.explain.explanation import Side
from streams.explain.find import find, learned
from streams.explain.pair import explain
from streams.inputs.lines import Numbering
from streams.methods import METHODS
from streams.records import HOUR_MS, Item, RawRecord
from streams.settings import Settings
from streams.text.words import read_words

SAMPLE = Path(__file__).parents[2] / "streams" / "sample" / "news-day.jsonl"
TRUTH = json.loads((Path(__file__).parents[1] / "scenarios" / "news-day-truth.json").read_text())
SETTINGS = Settings.model_validate({})
NOW = int(time.time() * 1000)
FERRY = "The harbour council approved the new ferry terminal on Monday after a long debate about its cost."
ODD = [
    "!!!",
    "5",
    "The of and.",
    "(Reporting by Ann Lee; Editing by Bo Ek)",
    "市は説明会を開く。夏までに設計案をまとめる。",
    "यह एक परीक्षण वाक्य है। दूसरा वाक्य भी है।",
    "x" * 3000,
    "1 2 3 4 5 6 7 8 9 10 11 12. 4 5 6.",
    FERRY,
    f"{FERRY}\n\n{FERRY}",
    f"\x1b[31mred\x1b[0m 👩‍👩‍👧‍👦 \u202e {FERRY}",
    "Yes. No. " * 40,
]


def run(*arguments: str, columns: int = 80, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "streams", "explain", *arguments],
        env={**os.environ, "COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8"},
        input=stdin,
        capture_output=True,
        check=False,
    )
    return subprocess.CompletedProcess(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())


def shown(*arguments: str, columns: int = 80) -> list[str]:
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(command, [*arguments])
    assert result.exit_code == 0, result.output
    return result.output.splitlines()


def as_json(*arguments: str) -> dict[str, Any]:
    return json.loads("\n".join(shown(*arguments, "--json")))


def item(id_: str, text: str, offset: int = 0, hours: float = 0) -> Item:
    moment = int(hours * HOUR_MS)
    return Item(id_, text, hashlib.md5(text.encode()).hexdigest(), moment, moment, offset)


def sample() -> list[RawRecord]:
    return Numbering(0, NOW).records(SAMPLE.read_bytes().splitlines())


def passage(side: Side, number: int, *, same: bool = False) -> str:
    """The sentences that bear this number; or only those of their words that are not marked as differing."""
    parts = []
    for sentence in side.sentences:
        if number in sentence.passages:
            inner = itertools.chain.from_iterable(sentence.differing) if same else ()
            edges = [sentence.span[0], *inner, sentence.span[1]]
            parts += [side.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    return " ".join(parts)


def without_marks(lines: list[str], start: int, end: int | None) -> str:
    """The text of one column, without gutter, marks and line breaks."""
    column = [line[start:end][4:] for line in lines]
    return re.sub(r"[{}]", "", " ".join(" ".join(column).split()))


@pytest.mark.parametrize("kind", ["duplicate", "containment", "reuse"])
def test_a_pair_of_each_kind_is_told_as_in_the_flow_with_the_rule_that_decided(kind: str):
    pair = next(r for r in TRUTH["relations"] if r["kind"] == kind)
    page = "\n".join(shown("sample", pair["item"], pair["other"]))
    assert f"\n{kind.upper()}  {pair['item']} " in page
    assert f": {kind}" in page[page.index(kind.upper()) :]
    assert "inside the window of 24 h" in page


def test_relations_and_passages_are_those_of_the_flow(tmp_path: Path):
    flow = Embedded(SETTINGS, tmp_path)
    outcome = flow.feed(sample(), NOW)
    flow.close()
    items = {(i.id, i.digest): i for i in outcome.items}
    for told in outcome.relations:
        pair = items[told.item, told.item_digest], items[told.other, told.other_digest]
        explanation = explain(*pair, ["combined"])
        said = explanation.methods[0]
        assert (said.kind, said.score, said.coverage) == (told.kind, told.score, told.coverage)
        assert explanation.passages == told.passages
        assert explanation.compared
        assert said.differs == told.differs
        assert any(f": {told.kind}" in reason for reason in said.reasons), said.reasons


@pytest.mark.parametrize("pair", TRUTH["unrelated"][::9], ids="-".join)
def test_of_an_unrelated_pair_there_is_nothing_to_tell(pair: list[str]):
    page = "\n".join(shown("sample", *pair))
    assert f"NOTHING TO TELL  of {pair[0]} and {pair[1]}" in page
    assert page.count(": nothing to tell.") == 1


def test_a_copy_outside_of_the_window_is_said_not_to_be_told():
    page = " ".join(shown("sample", "wc-6006", "og-1001", "--method", "combined"))
    assert "DUPLICATE  wc-6006 copies og-1001, but the flow does not tell it" in page
    assert "26 h 38 min apart, outside the window of 24 h" in page
    wider = " ".join(shown("sample", "wc-6006", "og-1001", "--method", "combined", "--window", "48"))
    assert "inside the window of 48 h" in wider
    assert "does not tell it" not in wider


def test_other_figures_are_named():
    page = " ".join(" ".join(shown("sample", "cc-4003", "mw-3003", "--method", "combined")).split())
    assert "13 of 20 numbers in matching sentences stand nowhere in the other one" in page
    assert "Numbers only in mw-3003: 14.20, 17, 27, 26, 48.3, 45.1." in page


@pytest.mark.parametrize("columns", [80, 50, 60, 120, 30, 300])
@pytest.mark.parametrize("pair", [("cc-4006", "mw-3004"), ("sk-8002", "sk-8001")], ids="-".join)
def test_no_line_is_wider_than_the_terminal(pair: tuple[str, str], columns: int):
    lines = shown("sample", *pair, columns=columns)
    assert max(map(cell_len, lines)) <= min(columns, 160)


@pytest.mark.parametrize("pair", [("cc-4001", "np-2001"), ("qb-6503", "np-2005"), ("mn-7103", "lt-7001")])
def test_the_columns_have_all_of_both_texts(pair: tuple[str, str]):
    lines = shown("sample", *pair, "--method", "combined")
    end = next(place for place, line in enumerate(lines) if line.startswith("[n] "))
    body = lines[lines.index("─" * 38 + "   " + "─" * 38) + 1 : end]
    for (start, stop), side in zip(((0, 41), (41, None)), ("item", "other"), strict=True):
        assert without_marks(body, start, stop) == " ".join(as_json("sample", *pair)[side]["text"].split())


def test_a_narrow_terminal_gets_one_text_under_the_other():
    lines = shown("sample", "cc-4006", "mw-3004", columns=50)
    heads = [place for place, line in enumerate(lines) if "·" in line and line.startswith(("cc", "mw"))]
    assert [lines[place] for place in heads] == ["cc-4006 · Calverne Chronicle", "mw-3004 · Meridian Wire"]
    marks = [place for place, line in enumerate(lines) if line.startswith("[1] Presiding judge")]
    assert heads[0] < marks[0] < heads[1] < marks[1]


def test_matching_sentences_stand_in_the_same_row_under_the_same_number():
    lines = shown("sample", "cc-4006", "mw-3004")
    both = [line for line in lines if line.startswith("[1] ")]
    assert len(both) == 1
    assert both[0].split("[1] ")[1].strip() == both[0].split("[1] ")[2]


def test_sentences_that_do_not_count_are_marked():
    lines = shown("sample", "cc-4006", "mw-3004")
    assert " ~  (Reporting by Ines Kolbrandt in" in "\n".join(line[41:] for line in lines)
    assert any("~ does not count" in line for line in lines)


def test_wide_characters_keep_the_columns():
    lines = shown("sample", "sk-8001", "sk-8002")
    row = next(line for line in lines if line.startswith("[1] "))
    left, right = re.split(r" {2,}(?=\[1\])", row)
    assert left == right
    assert cell_len(row[: row.index("[1]", 4)]) == 41
    assert "{この}" in "\n".join(lines)
    assert not any(line[4:5] in tuple("。、") for line in lines)


def test_the_passages_that_are_marked_stand_in_both_texts():
    for told in TRUTH["relations"]:
        one, two = (found.item for found in find(sample(), (told["item"], told["other"]), SETTINGS, NOW))
        later, earlier = sorted((one, two), key=lambda found: -found.offset)
        explanation = explain(later, earlier, ["combined"])
        assert explanation.passages
        mine, theirs = explanation.item, explanation.other
        for number, told_passage in enumerate(explanation.passages, 1):
            for side, span in ((mine, told_passage.item), (theirs, told_passage.other)):
                assert squeezed(side.text[slice(*span)]) in squeezed(passage(side, number))
            for side, other in ((mine, theirs), (theirs, mine)):
                same = read_words([passage(side, number, same=True)])
                assert len(same.hashes)
                assert set(same.hashes) <= set(read_words([passage(other, number)]).hashes)


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_words_that_differ_are_found_whatever_their_order_case_and_marks():
    same = "on Monday, the Café's 1000 seats were SOLD"
    assert differing("The cafes’ 1,000 seats were sold on Monday.", [same, "cafes"]) == []
    assert differing("Seats were sold", ["Were seats bought?"]) == [(11, 15)]
    assert differing("夏までに案をまとめる予定だ。", ["夏までに案をまとめる予定である。"]) == [(12, 13)]


def test_colour_on_a_terminal_and_none_in_a_pipe():
    arguments = [sys.executable, "-m", "streams", "explain", "sample", "cc-4001", "np-2001"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"}
    environment.pop("NO_COLOR", None)
    screen, terminal = pty.openpty()
    with subprocess.Popen(arguments, stdout=terminal, env=environment) as process:
        os.close(terminal)
        written = b""
        try:
            while chunk := os.read(screen, 65_536):
                written += chunk
        except OSError:  # how a terminal of this kind says that its other end was closed
            pass
    os.close(screen)
    assert process.returncode == 0
    assert b"\x1b[36m" in written
    assert b"{described}" not in written
    assert re.search(rb"\x1b\[1;4;36mdescribed\x1b", written)
    piped = run("sample", "cc-4001", "np-2001")
    assert "\x1b" not in piped.stdout
    assert "{described}" in piped.stdout


def test_json_has_texts_spans_and_every_method():
    explanation = as_json("sample", "np-2001", "cc-4001")
    assert (explanation["item"]["id"], explanation["other"]["id"]) == ("cc-4001", "np-2001")
    assert [said["method"] for said in explanation["methods"]] == list(METHODS)
    assert explanation["methods"][0]["kind"] == "duplicate"
    assert explanation["inside_window"] is True
    side = explanation["item"]
    words = [side["text"][start:end] for s in side["sentences"] for start, end in s["differing"]]
    assert words == ["described", "as", "infrastructure", "regretted"]


def test_methods_that_are_named_run_and_the_first_decides():
    explanation = as_json("sample", "cc-4001", "np-2001", "--method", "yoon", "--method", "ddd")
    assert [(said["method"], said["kind"]) for said in explanation["methods"]] == [
        ("yoon", "reuse"),
        ("ddd", "duplicate"),
    ]
    page = shown("sample", "cc-4001", "np-2001", "--method", "yoon", "--method", "ddd")
    assert any(line.startswith("REUSE  cc-4001 reuses sentences of np-2001") for line in page)


def test_every_method_runs_on_odd_pairs_and_the_page_is_safe_to_print():
    for one, two in itertools.product(ODD, ODD):
        explanation = explain(item("b", one, 1), item("a", two))
        assert len(explanation.methods) == len(METHODS)
        assert all(0 <= said.score <= 1 + 1e-9 for said in explanation.methods)
        assert (explanation.methods[0].kind is None) == (
            "nothing to tell" in explanation.methods[0].reasons[-1]
        )


def test_control_characters_of_a_text_do_not_reach_the_terminal(tmp_path: Path):
    file = tmp_path / "items.jsonl"
    texts = [f"{FERRY} \u202eturned\u202c", FERRY]
    file.write_text(
        "".join(
            json.dumps({"id": f"i{n}", "text": t, "source": "\x1b[2J"}) + "\n" for n, t in enumerate(texts)
        )
    )
    page = "\n".join(shown(str(file), "i0", "i1"))
    assert not {"\x1b", "\u202e"} & set(page)


def test_an_unknown_id_is_wrong_usage_and_near_ones_are_named():
    done = run("sample", "cc-4001", "mn-710")
    assert done.returncode == 2
    assert "no item mn-710" in done.stderr
    assert "mn-7103" in done.stderr
    assert done.stdout == ""


def test_one_item_twice_and_a_missing_file_are_wrong_usage():
    runner = CliRunner()
    assert runner.invoke(command, ["sample", "cc-4001", "cc-4001"]).exit_code == 2
    missing = runner.invoke(command, ["nowhere.jsonl", "a", "b"])
    assert (missing.exit_code, "no file nowhere.jsonl" in missing.output) == (2, True)


def test_an_item_that_cannot_be_judged_says_why(tmp_path: Path):
    file = tmp_path / "items.jsonl"
    file.write_text('{"id": "a", "text": "One sentence."}\nno json\n{"id": "b"}\n')
    result = CliRunner().invoke(command, [str(file), "a", "b"])
    assert isinstance(result.exception, InputError)
    assert "b cannot be judged: no-text" in str(result.exception)


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_file_and_standard_input_give_the_same(tmp_path: Path, packed: bool):
    data = SAMPLE.read_bytes()
    file = tmp_path / "items.jsonl"
    file.write_bytes(gzip.compress(data) if packed else data)
    from_file = run(str(file), "sk-8001", "sk-8002")
    assert from_file.stdout == run("-", "sk-8001", "sk-8002", stdin=data).stdout
    assert from_file.returncode == 0


def test_of_several_versions_the_last_is_shown_and_others_can_be_named():
    assert "version 2 of 2" in "\n".join(shown("sample", "np-2002", "hc-4502", "--method", "combined"))
    first, last = find(sample(), ("np-2002@1", "np-2002"), SETTINGS, NOW)
    assert (first.number, last.number, last.versions) == (1, 2, 2)
    assert first.item.text != last.item.text
    with pytest.raises(LookupError, match="np-2002 has 2 versions, no number 3"):
        find(sample(), ("np-2002@3",), SETTINGS, NOW)
    page = "\n".join(shown("sample", "np-2002@1", "np-2002", "--method", "combined"))
    assert "np-2002@2 copies np-2002@1, but the flow does not tell it" in page
    (again,) = find(sample(), ("mw-3001",), SETTINGS, NOW)
    assert again.versions == 1  # delivered twice


def test_a_common_passage_is_learned_from_the_items_before_and_is_no_evidence(tmp_path: Path):
    stories = [
        "Rain delayed the regatta at Cape Dorrin until the wind had turned to the south.",
        "The orchestra of Skarholt plays two forgotten symphonies under an open roof.",
        "Beekeepers near Wrenfield counted more swarms than in any spring since the war.",
        "A locksmith in Pellstead opened the vault that nobody had entered for decades.",
        "Glassblowers of the Orrow valley founded a school for apprentices from abroad.",
        "Divers lifted the anchor of a grain ship from the mud below the lighthouse.",
    ]
    line = "The proceeds of the placement strengthen the treasury and serve general corporate purposes."
    file = tmp_path / "items.jsonl"
    rows_ = [{"id": f"s{n}", "text": f"{story} {line}"} for n, story in enumerate(stories)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows_))
    early = as_json(str(file), "s1", "s0", "--method", "combined")["methods"][0]
    late = as_json(str(file), "s5", "s0", "--method", "combined")
    assert early["kind"] == "reuse"
    assert late["methods"][0]["kind"] is None
    assert late["item"]["sentences"][1]["common"] is True
    assert "1 matching sentence stands in many stories: no evidence." in late["methods"][0]["reasons"]
    records = Numbering(0, NOW).records(file.read_bytes().splitlines())
    (last,) = find(records, ("s5",), SETTINGS, NOW)
    assert learned(records, last.item, SETTINGS, NOW).common == (1,)


def test_a_sentence_that_was_split_is_marked_in_all_of_its_parts():
    first, second = FERRY.removesuffix("."), "the bridge engineers praised its bright steel roof."
    whole, parts = f"{first} and {second}", f"{first}. {second.capitalize()}"
    explanation = explain(item("b", whole, 1), item("a", parts), ["combined"])
    assert [sentence.passages for sentence in explanation.other.sentences] == [[1], [1]]


def test_rows_keep_the_order_of_both_texts_and_have_every_sentence_once():
    found = rows(4, 5, [(0, 3), (1, 1), (2, 2), (3, 0)])
    assert [n for one, _ in found for n in one] == list(range(4))
    assert [n for _, two in found for n in two] == list(range(5))
    assert ([1], [1]) in found
    assert ([2], [2]) in found
    assert rows(0, 0, []) == []
