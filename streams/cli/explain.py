"""`copydesk explain`: two items side by side, and why they are told as what they are."""

from __future__ import annotations

import io
import shutil
import sys
import time
from pathlib import Path

import click
import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from streams.cli.sidebyside import Page
from streams.cli.wrapping import printable, wrap
from streams.explain.explanation import Explanation, Said, Side
from streams.explain.find import Version, find, learned
from streams.explain.pair import explain
from streams.explain.reasons import count, percent
from streams.inputs.lines import STANDARD_INPUT, Numbering, read_lines
from streams.methods import METHODS
from streams.settings import load

_WIDEST = 160
_COLOURS = {"duplicate": "bold red", "containment": "bold yellow", "reuse": "bold cyan", None: "bold"}
_SHOWN_NUMBERS = 8


@click.command("explain")
@click.argument("name", metavar="FILE")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--method",
    "names",
    metavar="NAME",
    multiple=True,
    type=click.Choice(list(METHODS)),
    help=f"Only this one (may be repeated; the first decides). {', '.join(METHODS)}.",
)
@click.option("--window", type=int, help="Hours that two items may be apart.")
@click.option("--json", "as_json", is_flag=True, help="The explanation as one JSON object.")
@click.pass_obj
def command(
    config: Path | None,
    name: str,
    a: str,
    b: str,
    names: tuple[str, ...],
    window: int | None,
    as_json: bool,
) -> None:
    """Show the items with the ids A and B side by side, and why they are told as what they are.

    FILE is JSON Lines, plain or gzip; - is standard input, `sample` the shipped sample. Of an id with
    several versions the last one is shown; ID@1 is the first.
    """
    settings, _ = load(config, overrides={"window_hours": window})
    path = str(Path(__file__).parent.parent / "sample" / "news-day.jsonl") if name == "sample" else name
    if path != STANDARD_INPUT and not Path(path).is_file():
        raise click.UsageError(f"no file {name}")
    now = int(time.time() * 1000)
    records = Numbering(0, now).records([line for lines in read_lines([path]) for line in lines])
    try:
        left, right = find(records, (a, b), settings, now)
    except LookupError as error:
        raise click.UsageError(f"{error.args[0]} (in {name})") from None
    if left.item.offset == right.item.offset:
        raise click.UsageError(f"{a} and {b} are the same item")
    other, item = sorted((left.item, right.item), key=lambda found: found.offset)
    chosen = names or tuple(dict.fromkeys([settings.methods[0], *METHODS]))
    explanation = explain(item, other, chosen, window_hours=settings.window_hours)
    if any(said.kind for said in explanation.methods):
        known = learned(records, item, settings, now)
        if known.common or known.everywhere:
            explanation = explain(item, other, chosen, window_hours=settings.window_hours, registration=known)
    if as_json:
        click.echo(orjson.dumps(explanation, option=orjson.OPT_INDENT_2))
    else:
        click.echo(_page(explanation, left, right), nl=False)


def _page(explanation: Explanation, left: Version, right: Version) -> str:
    """All that is shown, with colour on a terminal."""
    output = io.StringIO()
    width = min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)
    console = Console(file=output, width=width, force_terminal=sys.stdout.isatty(), highlight=False)
    _show_texts(console, explanation, left, right)
    later, earlier = sorted((left, right), key=lambda version: -version.item.offset)
    _show_reasons(console, explanation, _name(later, explanation), _name(earlier, explanation))
    if len(explanation.methods) > 1:
        _show_methods(console, explanation)
    return "".join(f"{line.rstrip()}\n" for line in output.getvalue().splitlines())


def _show_texts(console: Console, explanation: Explanation, left: Version, right: Version) -> None:
    page = Page(console)
    item, other, matches = explanation.item, explanation.other, explanation.matches
    later_is_left = left.item.offset > right.item.offset
    one, two = (item, other) if later_is_left else (other, item)
    heads = _head(one, left, later_is_left), _head(two, right, not later_is_left)
    if not later_is_left:
        matches = [(theirs, mine) for mine, theirs in matches]
    if page.two:
        parts = [*page.heads(*heads), page.rule(), *page.texts(one, two, matches)]
    else:
        first, second = (page.heads(head, []) for head in heads)
        parts = [*first, page.rule(), *page.text(one), Text(), *second, page.rule(), *page.text(two)]
    for line in parts:
        console.print(line, soft_wrap=True)
    legend = _legend(explanation, marked=not console.color_system)
    if legend:
        console.print(Text(f"\n{legend}", style="dim"))


def _head(side: Side, version: Version, later: bool) -> list[Text]:
    title = Text(printable(side.id), style="bold")
    if side.source:
        title.append(f" · {printable(side.source)}", style="not bold")
    when = f"{side.time[:10]} {side.time[11:16]} UTC, came {'later' if later else 'first'}"
    size = f"{count(len(side.sentences), 'sentence')}, {count(side.words, 'word')} that count"
    lines = [title, Text(when, style="dim"), Text(size, style="dim")]
    if version.versions > 1:
        lines.append(Text(f"version {version.number} of {version.versions}", style="dim"))
    return lines


def _legend(explanation: Explanation, marked: bool) -> str:
    sentences = [*explanation.item.sentences, *explanation.other.sentences]
    word = "{…}" if marked else "underlined"
    parts = [
        ("[n] a passage that matches", bool(explanation.passages)),
        (f"{word} not in the sentence that it matches", any(s.differing for s in sentences)),
        ("~ does not count", any(not s.words for s in sentences)),
    ]
    return " · ".join(text for text, shown in parts if shown)


def _name(version: Version, explanation: Explanation) -> str:
    same = explanation.item.id == explanation.other.id
    return printable(version.item.id) + (f"@{version.number}" if same else "")


def _show_reasons(console: Console, explanation: Explanation, item: str, other: str) -> None:
    said = explanation.methods[0]
    headline = Text("\n").append(_label(said).upper(), style=_COLOURS[said.kind])
    console.print(headline.append(f"  {_verdict(explanation, item, other)}", style="bold"))
    _bullet(console, _apart(explanation))
    if explanation.item.id == explanation.other.id:
        _bullet(console, "They are versions of one item, which the flow does not compare.")
    elif explanation.inside_window and said.kind and not said.found_by:
        _bullet(console, "They have no feature in common, so the flow never compares them.")
    for reason in said.reasons or [f"{said.method} needs {said.needs}."]:
        _bullet(console, printable(reason))
    _bullet(
        console,
        f"{percent(said.coverage.item)} of {item} is found in {other}, "
        f"{percent(said.coverage.other)} the other way; "
        f"matching sentences: {len(explanation.matches)}; score {said.score:.2f}.",
    )
    for name, side in ((item, explanation.item), (other, explanation.other)):
        if side.only:
            shown = ", ".join(printable(number) for number in side.only[:_SHOWN_NUMBERS])
            more = f" and {len(side.only) - _SHOWN_NUMBERS} more" if len(side.only) > _SHOWN_NUMBERS else ""
            _bullet(console, f"Numbers only in {name}: {shown}{more}.")


def _label(said: Said) -> str:
    return said.kind or "nothing to tell"


def _verdict(explanation: Explanation, item: str, other: str) -> str:
    said = explanation.methods[0]
    if said.kind == "duplicate":
        told = f"{item} copies {other}"
    elif said.kind == "containment":
        contained = explanation.contained == explanation.item.id
        told = f"{item} {'is contained in' if contained else 'contains'} {other}"
    elif said.kind == "reuse":
        told = f"{item} reuses sentences of {other}"
    else:
        return f"of {item} and {other}"
    return told if explanation.compared else f"{told}, but the flow does not tell it"


def _apart(explanation: Explanation) -> str:
    hours, minutes = divmod(abs(explanation.minutes), 60)
    apart = f"{hours} h {minutes:02} min" if hours else f"{minutes} min"
    window = f"the window of {explanation.window_hours} h"
    if explanation.inside_window:
        return f"{apart} apart, inside {window}."
    return f"{apart} apart, outside {window}: the flow does not compare them."


def _bullet(console: Console, text: str) -> None:
    for place, line in enumerate(wrap(Text(text), console.width - 3)):
        console.print(Text(" · " if not place else "   ").append_text(line), soft_wrap=True)


def _show_methods(console: Console, explanation: Explanation) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("method", no_wrap=True)
    table.add_column("says", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("needs")
    for said in explanation.methods:
        kind = Text(said.kind or "-", style=_COLOURS[said.kind] if said.kind else "dim")
        if said.kind and not said.found_by:
            kind.append(" *", style="dim")
        table.add_row(said.method, kind, f"{said.score:.2f}", Text(said.needs, style="dim"))
    console.print()
    console.print(table)
    if any(said.kind and not said.found_by for said in explanation.methods):
        console.print(Text("* never compared: no feature of that method in common", style="dim"))
