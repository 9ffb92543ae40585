"""`copydesk run`: judges files in this process."""

from __future__ import annotations

import contextlib
import signal
import sys
import tempfile
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from importlib.resources import as_file, files
from pathlib import Path
from types import FrameType
from typing import Any

import click
import orjson

from streams.cli.report import describe_relation, describe_verdict
from streams.embedded import Embedded, Outcome
from streams.inputs.lines import STANDARD_INPUT, Numbering, read_lines
from streams.records import RELATION_TOPICS
from streams.settings import load

_TEXTS = 20_000  # texts held for showing passages


@click.command("run")
@click.argument("names", metavar="[FILE]...", nargs=-1)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Write the records into this folder."
)
@click.option("--window", type=int, help="Hours that two items may be apart.")
@click.option("--partitions", type=int, help="Detect partitions; the answers are the same for any number.")
@click.option(
    "--state", type=click.Path(file_okay=False, path_type=Path), help="Keep state here and go on from it."
)
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object a line: topic and value of every record."
)
@click.pass_obj
def command(
    config: Path | None,
    names: tuple[str, ...],
    out: Path | None,
    window: int | None,
    partitions: int | None,
    state: Path | None,
    as_json: bool,
) -> None:
    """Judge items from FILEs (JSON Lines, plain or gzip; - is standard input), in this process.

    Without a FILE it judges the sample that comes with copydesk. Ctrl-C stops after the current items and
    keeps what was judged. With --out or without a terminal it shows no progress bar.
    """
    settings, _ = load(config, overrides={"window_hours": window, "partitions": partitions})
    with contextlib.ExitStack() as stack:
        if not names:
            sample = stack.enter_context(as_file(files("streams") / "sample" / "news-day.jsonl"))
            names = (str(sample),)
        for name in names:
            if name != STANDARD_INPUT and not Path(name).is_file():
                raise click.UsageError(f"no file {name}")
        folder = state or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="copydesk-")))
        writer = stack.enter_context(_Writer(out, append=state is not None)) if out else None
        flow = stack.enter_context(contextlib.closing(Embedded(settings, folder)))
        show: _Json | _Words = _Json() if as_json else _Words(quiet=out is not None)
        interruption = stack.enter_context(_Interruption())
        started = time.monotonic()
        for outcome in _outcomes(flow, list(names), settings.pack_items, interruption, stack):
            if writer:
                writer.write(outcome)
            show.show(outcome)
        show.summarize(time.monotonic() - started, out)
    if interruption.signal is not None:
        sys.exit(128 + interruption.signal)


def _outcomes(
    flow: Embedded, names: list[str], size: int, interruption: _Interruption, stack: contextlib.ExitStack
) -> Iterator[Outcome]:
    now = int(time.time() * 1000)
    numbering = Numbering(flow.next_offset, now)
    for lines in interruption.each(read_lines(names, _progress(names, stack))):
        for first in range(0, len(lines), size):
            records = numbering.records(lines[first : first + size])
            yield flow.feed(records, int(time.time() * 1000))
            if interruption.signal is not None:
                return


def _progress(names: list[str], stack: contextlib.ExitStack) -> Callable[[int], None] | None:
    """What to tell of bytes read: a bar on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty() or STANDARD_INPUT in names:
        return None
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    bar = Progress(
        "judging",
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    stack.enter_context(bar)
    task = bar.add_task("", total=sum(Path(name).stat().st_size for name in names))
    return lambda count: bar.advance(task, count)


class _Interruption:
    """Ctrl-C or SIGTERM: ends the run after the current items, or at once while it waits for input."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._waiting = False

    def __enter__(self) -> _Interruption:
        self._before = {
            number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)
        }
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        again = self.signal is not None
        self.signal = number
        if self._waiting or again:
            raise KeyboardInterrupt

    def each(self, runs: Iterator[list[bytes]]) -> Iterator[list[bytes]]:
        """The runs, until it is interrupted; waiting for one can be interrupted."""
        while self.signal is None:
            self._waiting = True
            try:
                run = next(runs, None)
            except KeyboardInterrupt:
                return
            finally:
                self._waiting = False
            if run is None:
                return
            yield run


def _records(outcome: Outcome) -> Iterator[tuple[str, Any]]:
    """Topic and record, relations before the verdicts that name them."""
    for relation in outcome.relations:
        yield RELATION_TOPICS[relation.kind], relation
    for verdict in outcome.verdicts:
        yield "verdicts", verdict
    for letter in outcome.dead_letters:
        yield "dead-letters", letter.as_json()


class _Writer:
    """The folder of `--out`: a file a topic."""

    def __init__(self, folder: Path, append: bool) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        names = [*RELATION_TOPICS.values(), "verdicts", "dead-letters"]
        mode = "ab" if append else "wb"
        self._files = {name: (folder / f"{name}.jsonl").open(mode) for name in names}

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def write(self, outcome: Outcome) -> None:
        for topic, record in _records(outcome):
            self._files[topic].write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))


class _Json:
    """Every record as a line of JSON."""

    def summarize(self, seconds: float, out: Path | None) -> None:
        """Nothing: the records say it all."""

    def show(self, outcome: Outcome) -> None:
        for topic, record in _records(outcome):
            click.echo(orjson.dumps({"topic": topic, "value": record}))
        sys.stdout.flush()


class _Words:
    """Each relation in words, then counts and the rate."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._counts: Counter[str] = Counter()
        self._dead: Counter[str] = Counter()

    def show(self, outcome: Outcome) -> None:
        for item in outcome.items:
            self._texts[item.id] = item.text
            if len(self._texts) > _TEXTS:
                self._texts.popitem(last=False)
        for relation in outcome.relations:
            self._counts[RELATION_TOPICS[relation.kind]] += 1
            if not self._quiet:
                click.echo(describe_relation(relation, self._texts.get(relation.item)) + "\n")
        for verdict in outcome.verdicts:
            self._counts[verdict.decision] += 1
            if verdict.decision in ("revised", "withdrawn") and not self._quiet:
                click.echo(describe_verdict(verdict) + "\n")
        self._dead.update(letter.reason for letter in outcome.dead_letters)

    def summarize(self, seconds: float, out: Path | None) -> None:
        decisions = ("unique", "duplicate", "contained", "contains", "reuses", "revised", "withdrawn")
        judged = sum(self._counts[name] for name in decisions)
        shown = ", ".join(f"{self._counts[name]} {name}" for name in decisions if self._counts[name])
        click.echo(f"{judged} items judged: {shown or 'none'}.")
        told = ", ".join(f"{self._counts[name]} {name}" for name in RELATION_TOPICS.values())
        click.echo(f"Relations told: {told}.")
        if self._dead:
            reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(self._dead.items()))
            click.echo(f"Dead letters: {sum(self._dead.values())} ({reasons}).")
        click.echo(f"{judged / max(seconds, 1e-9):,.0f} items a second, in {seconds:.1f} s.")
        if out:
            click.echo(f"Records are in {out}{'' if str(out).endswith('/') else '/'}")
