"""`copydesk evaluate`: scores methods on a corpus with the truth for every pair."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import orjson

from streams.evaluate import plot
from streams.evaluate.corpus import Corpus, read_corpus
from streams.evaluate.peers import PEERS, run_peer
from streams.evaluate.runner import Run, run_method
from streams.evaluate.scoring import Half, score
from streams.evaluate.table import LEGEND, table, values
from streams.methods import METHODS
from streams.settings import Settings


@click.command("evaluate")
@click.argument("folder", metavar="CORPUS", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--method",
    "names",
    metavar="NAME",
    multiple=True,
    type=click.Choice([*METHODS, *PEERS]),
    help=f"Only this one (may be repeated). {', '.join(METHODS)}; other libraries: {', '.join(PEERS)}.",
)
@click.option(
    "--half",
    type=click.Choice(["first", "second", "both"]),
    default="both",
    show_default=True,
    help="Score the pairs around one half of the originals: choose thresholds on one, report the other.",
)
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write all numbers here."
)
@click.option(
    "--plot",
    "plot_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw precision and recall over the score threshold (SVG, PNG).",
)
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Only the first N items.")
def command(
    folder: Path,
    names: tuple[str, ...],
    half: Half,
    json_file: Path | None,
    plot_file: Path | None,
    limit: int | None,
) -> None:
    """Score methods on CORPUS: recall by kind of edit, precision, direction and CPU time.

    CORPUS is a folder with items.jsonl.gz, gold.jsonl.gz and lineage.jsonl.gz. Without --method all
    methods run, and the libraries that are installed.
    """
    if plot_file is not None:
        plot.check()
    chosen = names or _all()
    for name in chosen:
        if name in PEERS and not PEERS[name].installed:
            raise click.UsageError(f"{PEERS[name].library} is not installed: pip install 'copydesk[bench]'")
    corpus = read_corpus(folder, Settings.model_validate({}).window_hours, limit)
    runs = _run(chosen, corpus)
    rows = [(name, run, score(run.told, corpus.truth, half)) for name, run in runs.items()]
    click.echo(table(rows))
    scope = "both halves" if half == "both" else f"the {half} half"
    click.echo(f"{len(corpus.lines)} items, pairs of {scope}. {LEGEND}.")
    if json_file is not None:
        found = {name: values(run, result) for name, run, result in rows}
        json_file.write_bytes(orjson.dumps({"half": half, "methods": found}, option=orjson.OPT_INDENT_2))
    if plot_file is not None:
        plot.draw(plot_file, {name: run.told for name, run in runs.items()}, corpus.truth, half)


def _all() -> tuple[str, ...]:
    missing = sorted({peer.library for peer in PEERS.values() if not peer.installed})
    if missing:
        click.echo(f"not installed, left out: {', '.join(missing)} (pip install 'copydesk[bench]')", err=True)
    return (*METHODS, *(name for name, peer in PEERS.items() if peer.installed))


def _run(names: tuple[str, ...], corpus: Corpus) -> dict[str, Run]:
    runs: dict[str, Run] = {}
    with contextlib.ExitStack() as stack:
        begin = _progress(len(corpus.lines), stack)
        for name in names:
            advance = begin(name)
            if name in PEERS:
                runs[name] = run_peer(PEERS[name], corpus, advance)
            else:
                runs[name] = run_method(name, corpus, advance)
    return runs


def _progress(total: int, stack: contextlib.ExitStack) -> Callable[[str], Callable[[int], None]]:
    """A bar a method on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty():
        return lambda name: lambda count: None
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns: list[Any] = ["{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
    bar = stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))

    def begin(name: str) -> Callable[[int], None]:
        task = bar.add_task(name, total=total)
        return lambda count: bar.advance(task, count)

    return begin
