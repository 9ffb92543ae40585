"""A corpus is read and run through the whole flow."""

from __future__ import annotations

import gzip
from pathlib import Path

import orjson
import pytest

from streams.errors import InputError
from streams.evaluate import peers
from streams.evaluate.corpus import read_corpus
from streams.evaluate.runner import run_method
from streams.evaluate.scoring import Part, score

STORY = [
    "The harbour authority closed the northern quay on Tuesday after divers found cracks in nine pillars.",
    "Engineers will measure the remaining concrete pillars with sonar before the weekend.",
    "Two ferry lines moved their evening departures to the southern terminal.",
    "Passengers with bicycles should arrive forty minutes before their departure.",
]
OTHER = [
    "The museum bought a lost sketchbook by a forgotten botanist from Bergen.",
    "Curators will scan its fragile pages during the coming winter.",
]
ITEMS = {"a": ("2024-03-04T08:00:00Z", STORY), "b": ("2024-03-04T09:00:00Z", OTHER)}
ITEMS |= {"c": ("2024-03-04T10:00:00Z", STORY), "d": ("2024-03-05T14:00:00Z", STORY)}


def write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_bytes(gzip.compress(b"\n".join(orjson.dumps(row) for row in rows)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(
        tmp_path / "items.jsonl.gz",
        [{"id": name, "published_at": when, "text": " ".join(text)} for name, (when, text) in ITEMS.items()],
    )
    write(
        tmp_path / "lineage.jsonl.gz",
        [
            {"id": name, "sentences": [[len(text), number, 0] for number in range(len(text))]}
            for name, (_, text) in ITEMS.items()
        ],
    )
    planted = {"source": "a", "relation": "duplicate"}
    write(
        tmp_path / "gold.jsonl.gz",
        [
            {"item": "c", "kind": "exact", "expected": True, **planted},
            {"item": "d", "kind": "late", "expected": False, **planted},
        ],
    )
    return tmp_path


def test_a_copy_within_the_window_is_found_and_a_later_one_is_not(folder: Path):
    corpus = read_corpus(folder, window=24)
    done = []
    run = run_method("yoon", corpus, done.append)
    assert [(pair.item, pair.other, pair.kind) for pair in run.told] == [("c", "a", "duplicate")]
    assert (sum(done), run.items, run.dead) == (4, 4, 0)
    result = score(run.told, corpus.truth)
    assert (result.recall["exact"], result.outside) == (Part(1, 1), 0)


def test_a_limit_leaves_out_the_planted_pairs_beyond_it(folder: Path):
    corpus = read_corpus(folder, window=24, limit=2)
    assert len(corpus.lines) == 2
    assert corpus.truth.planted == []


def test_a_folder_that_lacks_a_file_or_a_field_is_refused_by_name(folder: Path):
    write(folder / "gold.jsonl.gz", [{"item": "c", "source": "a"}])
    with pytest.raises(InputError, match="kind"):
        read_corpus(folder, window=24)
    (folder / "gold.jsonl.gz").unlink()
    with pytest.raises(InputError, match="gold"):
        read_corpus(folder, window=24)


@pytest.mark.parametrize("name", peers.PEERS)
def test_an_installed_peer_sees_the_same_window(folder: Path, name: str):
    peer = peers.PEERS[name]
    if not peer.installed:
        pytest.skip(f"{peer.library} is not installed")
    run = peers.run_peer(peer, read_corpus(folder, window=24), lambda _: None)
    assert [(pair.item, pair.other, pair.score) for pair in run.told] == [("c", "a", 1.0)]


def test_exact_copies_of_real_articles_are_all_found_and_none_outside_of_the_window(corpora: Path):
    corpus = read_corpus(corpora / "edits", window=24, limit=1200)
    run = run_method("yoon", corpus, lambda _: None)
    result = score(run.told, corpus.truth)
    assert result.recall["exact"].total > 50
    assert result.recall["exact"].share == 1
    assert result.outside == 0
