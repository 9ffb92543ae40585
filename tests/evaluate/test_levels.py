"""The levels that the default method must reach on the shared corpora, which lie beside the repository.

Skipped where they are absent. No text of theirs is kept here.
"""

from __future__ import annotations

import gzip
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest

from streams.embedded import Embedded
from streams.evaluate.corpus import Corpus, read_corpus
from streams.evaluate.runner import Run, run_method
from streams.evaluate.scoring import RELATIONS, Half, Score, score
from streams.inputs.lines import Numbering
from streams.methods import METHODS, combined
from streams.records import Relation
from streams.settings import Settings
from streams.stages.fingerprint import sign
from streams.stages.split import split_text
from streams.text.repair import repair
from tests.texts import story, word

HALVES: tuple[Half, ...] = ("both", "first", "second")
STRETCH = 1500
"""Items of the stream on which all methods run: together they take about half a minute."""
Items = list[dict[str, Any]]


def read(corpora: Path, name: str) -> Items:
    path = corpora / f"{name}.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no file {path}")
    with gzip.open(path) as lines:
        return [orjson.loads(line) for line in lines]


def told(items: Items) -> tuple[dict[frozenset[str], Relation], dict[str, str]]:
    """The relations by their two ends, and the normalized texts, of items that all lie in one window."""
    settings, now = Settings(), int(time.time() * 1000)
    numbering = Numbering(0, now)
    relations: dict[frozenset[str], Relation] = {}
    texts: dict[str, str] = {}
    lines = [orjson.dumps({key: i[key] for key in ("id", "text", "lang") if key in i}) for i in items]
    with tempfile.TemporaryDirectory() as folder, closing(Embedded(settings, Path(folder))) as flow:
        for first in range(0, len(lines), settings.pack_items):
            outcome = flow.feed(numbering.records(lines[first : first + settings.pack_items]), now)
            assert outcome.dead_letters == []
            relations |= {frozenset((r.item, r.other)): r for r in outcome.relations}
            texts |= {i.id: i.text for i in outcome.items}
    return relations, texts


# edits


@pytest.fixture(scope="module")
def edits(corpora: Path) -> Corpus:
    if not (corpora / "edits").is_dir():
        pytest.skip(f"no folder {corpora / 'edits'}")
    return read_corpus(corpora / "edits", window=24)


@pytest.fixture(scope="module")
def run(edits: Corpus) -> Run:
    return run_method("combined", edits, lambda _: None)


@pytest.fixture(scope="module")
def score_of(run: Run, edits: Corpus) -> Callable[[Half], Score]:
    scores = {half: score(run.told, edits.truth, half) for half in HALVES}
    return scores.__getitem__


LEAST_F1 = {"duplicate": 0.995, "containment": 0.99, "reuse": 0.985}
LEAST_RECALL = {
    **dict.fromkeys(("exact", "minor", "reorder", "shuffle-words", "abridge"), 0.99),
    **dict.fromkeys(("append", "patchwork", "quote"), 0.975),
}


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("relation", RELATIONS)
def test_f1_of_each_relation(score_of: Callable[[Half], Score], half: Half, relation: str) -> None:
    assert (score_of(half).f1(relation) or 0) >= LEAST_F1[relation]


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("kind", LEAST_RECALL)
def test_recall_of_each_kind_of_edit(score_of: Callable[[Half], Score], half: Half, kind: str) -> None:
    part = score_of(half).recall[kind]
    assert part.total > 50
    assert (part.share or 0) >= LEAST_RECALL[kind], part


@pytest.mark.parametrize("half", HALVES)
def test_what_is_told_fits_the_lineage(score_of: Callable[[Half], Score], half: Half) -> None:
    assert (score_of(half).strict.share or 0) >= 0.98
    assert (score_of(half).wrong.share or 0) <= 0.005


def test_every_containment_has_the_right_direction(score_of: Callable[[Half], Score]) -> None:
    part = score_of("both").direction
    assert part.total > 500
    assert part.count == part.total


def test_nothing_is_told_outside_of_the_window_and_no_item_is_lost(
    score_of: Callable[[Half], Score], run: Run
) -> None:
    assert score_of("both").outside == 0
    assert run.dead == 0


@pytest.fixture(scope="module")
def all_methods(corpora: Path) -> dict[str, Score]:
    if not (corpora / "edits").is_dir():
        pytest.skip(f"no folder {corpora / 'edits'}")
    corpus = read_corpus(corpora / "edits", window=24, limit=STRETCH)
    return {
        name: score(run_method(name, corpus, lambda _: None).told, corpus.truth, "both") for name in METHODS
    }


@pytest.mark.parametrize("relation", RELATIONS)
def test_no_other_method_reaches_the_default(all_methods: dict[str, Score], relation: str) -> None:
    f1 = {name: result.f1(relation) or 0 for name, result in all_methods.items()}
    best = f1.pop("combined")
    assert {name: value for name, value in f1.items() if value >= best} == {}, best


# must not merge


def opening(texts: dict[str, str], relation: Relation) -> tuple[str, str, str]:
    return relation.kind, texts[relation.item][:100], texts[relation.other][:100]


def test_pairs_that_readers_call_unrelated_are_no_copies(corpora: Path) -> None:
    pairs: dict[str, Items] = {}
    for row in read(corpora, "semeval2022_t8"):
        if row["label"] == 4:
            pairs.setdefault(row["pair"], []).append(row)
    relations, texts = told([row for pair in pairs.values() for row in pair])
    own = [relations.get(frozenset(row["id"] for row in pair)) for pair in pairs.values()]
    # two block or cookie pages are copies of each other, whatever was behind them
    merged = [
        opening(texts, r)
        for r in own
        if r is not None
        and r.kind != "reuse"
        and texts[r.item] != texts[r.other]
        and not all("cookie" in texts[id_].lower() for id_ in (r.item, r.other))
    ]
    assert len(pairs) > 500
    assert merged == []


def test_articles_about_different_events_are_no_copies(corpora: Path) -> None:
    rows = read(corpora, "ecbplus")
    event = {row["id"]: row["cluster"] for row in rows}
    relations, texts = told(rows)
    apart = [r for r in relations.values() if event[r.item] != event[r.other]]
    assert [opening(texts, r) for r in apart if r.kind != "reuse"] == []
    assert len(apart) <= 5


# one word changed


def edited(sentence: str, lang: str, chance: random.Random) -> str | None:
    """The sentence with a word, in Chinese a character, changed; none where it has no letters."""
    if lang == "zh":
        places = [n for n, character in enumerate(sentence) if "\u4e00" <= character <= "\u9fff"]
        if not places:
            return None
        place = chance.choice(places)
        return sentence[:place] + chr(chance.randrange(0x4E00, 0x9000)) + sentence[place + 1 :]
    words = sentence.split(" ")
    places = [n for n, part in enumerate(words) if any(character.isalpha() for character in part)]
    if not places:
        return None
    place = chance.choice(places)
    end = "" if words[place][-1].isalnum() else words[place][-1]
    words[place] = word(chance) + end
    return " ".join(words)


def sentences_of(text: str, lang: str) -> list[str]:
    spans = split_text(text, lang)
    return [text[start:end] for start, end in zip(spans[::2], spans[1::2], strict=True)]


@pytest.mark.parametrize(("name", "lang"), [("chinanews", "zh"), ("turkish_news", "tr"), ("bbc_news", "en")])
def test_an_item_with_a_word_changed_in_every_sentence_is_found(corpora: Path, name: str, lang: str) -> None:
    rows = [{**row, "lang": lang} for row in read(corpora, name)[:200]]
    chance = random.Random(5)
    copies = []
    for row in rows:
        sentences = sentences_of(repair(row["text"]), lang)
        text = "\n".join(edited(sentence, lang, chance) or sentence for sentence in sentences)
        copies.append({**row, "id": f"copy of {row['id']}", "text": text})
    relations, _ = told([*rows, *copies])
    kinds = Counter(
        relation.kind if (relation := relations.get(frozenset((row["id"], copy["id"])))) else None
        for row, copy in zip(rows, copies, strict=True)
    )
    assert kinds[None] <= 0.1 * len(rows), kinds
    assert kinds["duplicate"] >= 0.9 * len(rows), kinds


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize(
    ("name", "lang"),
    [("bbc_news", "en"), ("reuters21578", "en"), ("turkish_news", "tr"), ("chinanews", "zh")],
)
def test_a_sentence_with_one_word_changed_is_found(corpora: Path, name: str, lang: str, quoted: bool) -> None:
    rows = read(corpora, name)
    chance = random.Random(7)
    found, count = 0, 300
    for number, row in enumerate(chance.sample(rows, len(rows))):
        usual = [s for s in sentences_of(repair(row["text"]), lang) if _is_usual(s, lang)]
        sentence = chance.choice(usual) if usual else ""
        changed = edited(sentence, lang, chance)
        if changed is None:
            continue
        one, other = changed, sentence
        if quoted:
            one = " ".join([story(("one", number), 3), changed, story(("two", number), 3)])
            other = " ".join([story(("three", number), 3), sentence, story(("four", number), 3)])
        pack = sign([one, other], [split_text(one, lang), split_text(other, lang)])
        features = combined.features(pack)
        if set(features[0].tolist()) & set(features[1].tolist()):
            found += combined.compare(pack[0], pack[1]).kind is not None
        count -= 1
        if not count:
            break
    assert found >= 0.9 * 300, found


def _is_usual(sentence: str, lang: str) -> bool:
    """Whether this is a whole sentence of twelve words, in Chinese of twenty characters, or more."""
    size = len(sentence) / 20 if lang == "zh" else len(sentence.split()) / 12
    return size >= 1 and sentence[-1] in ".!?。！？"


# revisions and pasted passages


def test_next_revisions_of_a_page_are_related_and_other_pages_are_no_copies(corpora: Path) -> None:
    pages: dict[str, dict[int, str]] = {}
    rows = read(corpora, "wiki_versions")
    for row in rows:
        pages.setdefault(row["cluster"], {})[int(row["label"])] = row["id"]
    relations, _ = told(rows)
    kinds = Counter(
        relation.kind if (relation := relations.get(frozenset((page[n], page[n + 1])))) else None
        for page in pages.values()
        for n in page
        if n + 1 in page
    )
    assert kinds["duplicate"] > kinds["containment"] > kinds["reuse"] > kinds[None], kinds
    assert kinds[None] <= 0.1 * kinds.total(), kinds
    page_of = {row["id"]: row["cluster"] for row in rows}
    merged = Counter(
        tuple(sorted((page_of[r.item], page_of[r.other])))
        for r in relations.values()
        if r.kind != "reuse" and page_of[r.item] != page_of[r.other]
    )
    assert len(merged) <= 3, merged


def test_passages_pasted_into_long_documents_are_found(corpora: Path) -> None:
    rows = read(corpora, "pan13_containment")
    wanted = {frozenset((row["id"], passage[0])) for row in rows for passage in row.get("label") or ()}
    named = frozenset[str]().union(*wanted)
    relations, _ = told(
        [
            row
            for role in ("source", "suspicious")
            for row in rows
            if row["role"] == role and row["id"] in named
        ]
    )
    assert len(wanted) > 400
    assert len(wanted & set(relations)) >= 0.85 * len(wanted), len(wanted & set(relations))
